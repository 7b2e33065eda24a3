/// A builder for the texts of a command that the program creates itself.
///
///     var text = TextBuilder()
///     var request = PopupRequest(id: text.add("A"), group: text.add("lobby"))
///     request.priority = 5
///     scheduler.apply(.show(request), text: text.bytes.span.bytes, at: now, into: &output)
public struct TextBuilder: Sendable {
    /// The bytes of all added texts.
    public private(set) var bytes: [UInt8] = []

    /// Creates an empty builder.
    public init() {}

    /// Adds a string. Returns its range.
    public mutating func add(_ string: String) -> TextRange {
        add(string.utf8)
    }

    /// Adds bytes. Returns their range.
    public mutating func add(_ added: some Collection<UInt8>) -> TextRange {
        let offset = bytes.count
        bytes.append(contentsOf: added)
        return TextRange(offset: offset, count: bytes.count - offset)
    }

    /// Removes all texts and keeps the memory.
    public mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
    }
}
