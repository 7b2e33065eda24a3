/// The author of the entry that is applied: the user whose command it is.
///
/// Consecutive entries mostly have one author, so the name is read from the log only when the sender changes.
struct EntryAuthor {
    /// The sender of the entry that was applied last.
    private(set) var sender = BatchEntry.Sender.withoutName
    /// The name of its user; empty for a client without a key.
    private(set) var name = ""

    init() {}

    /// Changes to another sender.
    ///
    /// - Parameter bytes: The bytes of its entry, which end with the name.
    mutating func change(to sender: BatchEntry.Sender, _ bytes: RawSpan) {
        self.sender = sender
        name = bytes.extracting(last: sender.nameBytes).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
}
