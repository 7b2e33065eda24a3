/// Gathers the texts of a command that is made in the program, not received.
///
///     var text = TextBuilder()
///     var request = PopupRequest(id: text.add("A"), group: text.add("lobby"))
///     request.priority = 5
///     scheduler.apply(.show(request), text: text.bytes.span.bytes, at: now, into: &output)
public struct TextBuilder: Sendable {
    /// What was added so far.
    public private(set) var bytes: [UInt8] = []

    /// An empty text.
    public init() {}

    /// Adds a string and returns its range.
    public mutating func add(_ string: String) -> TextRange {
        add(string.utf8)
    }

    /// Adds bytes and returns their range.
    public mutating func add(_ added: some Collection<UInt8>) -> TextRange {
        let offset = bytes.count
        bytes.append(contentsOf: added)
        return TextRange(offset: offset, count: bytes.count - offset)
    }

    /// Forgets the texts and keeps the memory.
    public mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
    }
}
