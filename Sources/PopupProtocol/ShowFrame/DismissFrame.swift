/// The second commonest frame, one binary `dismiss`, read where it was received as `ShowFrame` reads a `show`.
public struct DismissFrame: Sendable, Equatable {
    /// Who sends it.
    public private(set) var producer: ProducerName?
    /// The producer's count; 0: none.
    public private(set) var sequence: UInt64 = 0

    /// The bytes of its fields; empty where a field is absent, never for `id`.
    public private(set) var id = 0..<0
    /// Where the action is.
    public private(set) var action = 0..<0
    /// The revision that it answers.
    public private(set) var revision: UInt64?
    /// Where the renderer's name is.
    public private(set) var client = 0..<0

    /// Where the name of its group is.
    public private(set) var group = 0..<0

    /// Nothing yet, to read into.
    public init() {}

    /// The `dismiss` in a frame, or `nil` when the frame is for the full decoder.
    public static func read(_ frame: Span<UInt8>) -> DismissFrame? {
        var dismiss = DismissFrame()
        return dismiss.read(frame) ? dismiss : nil
    }

    /// Reads the `dismiss` in a frame, in the place of what was read before.
    ///
    /// - Returns: Whether it is one; otherwise the frame is for the full decoder, and nothing of this is to be used.
    public mutating func read(_ frame: Span<UInt8>) -> Bool {
        self = DismissFrame()
        guard let message = FieldReader.message(WireKeys.Command.dismiss, of: frame, from: &producer, &sequence) else {
            return false
        }
        var reader = FieldReader(message)
        var seen: UInt64 = 0
        while !reader.isAtEnd {
            guard let tag = reader.tag(in: frame), FieldReader.isFirst(tag, &seen) else { return false }
            switch tag {
            case WireKeys.Dismiss.id.tag:
                guard let text = reader.line(in: frame, maximum: WireLimits.maximumIDBytes) else { return false }
                id = text
            case WireKeys.Dismiss.action.tag:
                guard let text = reader.line(in: frame, maximum: WireLimits.maximumIDBytes) else { return false }
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
            default: return false
            }
        }
        return !id.isEmpty
    }
}
