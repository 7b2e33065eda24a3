/// The second most frequent frame, one binary `dismiss`, read in place, as `ShowFrame` reads a `show`.
public struct DismissFrame: Sendable, Equatable {
    /// The producer; `nil` for none.
    public private(set) var producer: ProducerName?
    /// The sequence of the producer; 0 for none.
    public private(set) var sequence: UInt64 = 0

    /// The range of the `Dismiss`.
    public private(set) var message = 0..<0
    /// The range of the id, which is never empty.
    public private(set) var id = 0..<0
    /// The range of the action; empty if absent.
    public private(set) var action = 0..<0
    /// The revision that it answers; `nil` if absent.
    public private(set) var revision: UInt64?
    /// The range of the renderer's name; empty if absent.
    public private(set) var client = 0..<0

    /// The range of the group; empty if absent.
    public private(set) var group = 0..<0
    /// The range of the name of the user that sent it.
    public private(set) var by = 0..<0

    /// Creates an empty frame, to read into.
    public init() {}

    /// Makes room for the field with a user's name behind the frame, which ends with the message: the same as reading the
    /// frame again with that field.
    ///
    /// - Parameter count: The bytes of the name.
    @inline(__always)
    public mutating func append(userOf count: Int) {
        let end = message.upperBound &+ CommandUser.fieldBytes(ofName: count)
        message = Range(uncheckedBounds: (message.lowerBound, end))
        by = Range(uncheckedBounds: (end &- count, end))
    }

    /// Returns the `dismiss` in a frame; `nil` if the full decoder must read the frame.
    public static func read(_ frame: Span<UInt8>) -> DismissFrame? {
        var dismiss = DismissFrame()
        return dismiss.read(frame) ? dismiss : nil
    }

    /// Reads the `dismiss` in a frame. Replaces all values.
    ///
    /// - Returns: Whether the frame was read. If not, the values are not valid, and the full decoder must read the
    ///   frame.
    public mutating func read(_ frame: Span<UInt8>) -> Bool {
        self = DismissFrame()
        guard let message = FieldReader.message(WireKeys.Command.dismiss, of: frame, from: &producer, &sequence) else {
            return false
        }
        self.message = message
        var reader = FieldReader(message)
        var seen: UInt64 = 0
        while !reader.isAtEnd {
            guard let tag = reader.tag(in: frame), FieldReader.isFirst(tag, &seen) else { return false }
            switch tag {
            case WireKeys.Dismiss.id.tag:
                guard let text = reader.line(in: frame, maximum: WireLimits.maxIDBytes) else { return false }
                id = text
            case WireKeys.Dismiss.action.tag:
                guard let text = reader.line(in: frame, maximum: WireLimits.maxIDBytes) else { return false }
                action = text
            case WireKeys.Dismiss.revision.tag:
                guard let value = reader.varint(in: frame) else { return false }
                revision = value
            case WireKeys.Dismiss.client.tag:
                guard let text = reader.bytes(in: frame) else { return false }
                guard text.isEmpty || ClientToken.isValid(frame.extracting(unchecked: text)) else { return false }
                client = text
            case WireKeys.Dismiss.group.tag:
                guard let text = reader.bytes(in: frame) else { return false }
                guard text.isEmpty || GroupName.isValid(frame.extracting(unchecked: text)) else { return false }
                group = text
            case WireKeys.Command.by.tag:
                guard let name = reader.bytes(in: frame), ClientToken.isValid(frame.extracting(unchecked: name)) else {
                    return false
                }
                by = name
            default: return false
            }
        }
        return !id.isEmpty
    }
}
