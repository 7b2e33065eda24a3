/// Why bytes are no state of a scheduler. Nothing was restored.
public enum SnapshotError: Error, Sendable, Equatable {
    /// They were written in another version of the state's format.
    case version(UInt64)
    /// They are damaged: at the offset `at` stands what no scheduler writes.
    case damaged(String, at: Int)
}

extension SnapshotError: CustomStringConvertible {
    /// What is wrong in a sentence, with what to do.
    public var description: String {
        switch self {
        case .version(let version):
            "the state is of version \(version), and this program reads versions 1 to \(Scheduler.stateVersion); "
                + "use the program that wrote it"
        case .damaged(let what, let offset):
            "the state is damaged: \(what), at byte \(offset); use an older one"
        }
    }
}
