public import PopupProtocol
public import PopupScheduling

extension DismissFrame {
    /// The command for the scheduler. Its ranges refer to the frame.
    @inlinable @inline(__always)
    package var dismissal: Dismissal {
        Dismissal(
            id: TextRange(id), action: TextRange(action), revision: revision, client: TextRange(client),
            group: TextRange(group))
    }
}
