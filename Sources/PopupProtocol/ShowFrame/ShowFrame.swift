/// The commonest frame, one binary `show`, read where it was received: no message is built and nothing allocated.
///
/// `read` knows the fields that nearly all popups have and says no to everything else: another command, a field it
/// doesn't know or that stands twice, a value out of its range. What it reads, `CommandValidator` accepts and the full
/// decoder reads the same, which a test with damaged frames holds it to; what it doesn't, goes through them.
public struct ShowFrame: Sendable, Equatable {
    /// Who sends it.
    public private(set) var producer: ProducerName?
    /// The producer's count; 0: none.
    public private(set) var sequence: UInt64 = 0

    /// The bytes of the `Popup`.
    public private(set) var popup = 0..<0
    /// The bytes of its fields; empty where a field is absent, never for `id` and `group`.
    public private(set) var id = 0..<0
    /// Where the group's name is.
    public private(set) var group = 0..<0
    /// Where the collapse key is.
    public private(set) var collapseKey = 0..<0
    /// Where the surface is.
    public private(set) var surface = 0..<0

    /// As in the `Popup`.
    public private(set) var priority: Int32 = 0
    /// As in the `Popup`.
    public private(set) var durationMs: UInt32 = 0
    /// As in the `Popup`.
    public private(set) var ttlMs: UInt32 = 0
    /// As in the `Popup`.
    public private(set) var delayMs: UInt32 = 0
    /// As in the `Popup`.
    public private(set) var minDisplayMs: UInt32 = 0
    /// As in the `Popup`.
    public private(set) var exclusive = WirePopup.Exclusive.none
    /// As in the `Popup`.
    public private(set) var interruptible = true

    /// Nothing yet, to read into.
    public init() {}

    /// The `show` in a frame, or `nil` when the frame is for the full decoder.
    public static func read(_ frame: Span<UInt8>, limits: WireLimits) -> ShowFrame? {
        var show = ShowFrame()
        return show.read(frame, limits: limits) ? show : nil
    }

    /// Reads the `show` in a frame, in the place of what was read before: one is enough for any number of frames.
    ///
    /// - Returns: Whether it is one; otherwise the frame is for the full decoder, and nothing of this is to be used.
    public mutating func read(_ frame: Span<UInt8>, limits: WireLimits) -> Bool {
        self = ShowFrame()
        guard let message = FieldReader.message(WireKeys.Command.show, of: frame, from: &producer, &sequence) else {
            return false
        }
        popup = message
        return readPopup(in: frame, limits: limits)
    }

    @inline(__always)
    private mutating func readPopup(in frame: Span<UInt8>, limits: WireLimits) -> Bool {
        var reader = FieldReader(popup)
        var seen: UInt64 = 0
        var hasContent = false
        var actions = 0
        while !reader.isAtEnd {
            guard let tag = reader.tag(in: frame) else { return false }
            if tag == WireKeys.Popup.actions.tag {
                actions &+= 1
                guard actions <= WireLimits.maximumActions, let action = reader.bytes(in: frame),
                    Self.isAction(action, in: frame)
                else { return false }
                continue
            }
            guard FieldReader.isFirst(tag, &seen) else { return false }
            switch tag {
            case WireKeys.Popup.id.tag: guard line(&reader, frame, &id) else { return false }
            case WireKeys.Popup.group.tag:
                guard let text = reader.bytes(in: frame), GroupName.isValid(text, in: frame) else { return false }
                group = text
            case WireKeys.Popup.priority.tag:
                guard let value = reader.varint(in: frame),
                    let narrow = Int32(exactly: Int64(bitPattern: value))
                else { return false }
                priority = narrow
            case WireKeys.Popup.durationMs.tag: guard number(&reader, frame, &durationMs) else { return false }
            case WireKeys.Popup.ttlMs.tag: guard number(&reader, frame, &ttlMs) else { return false }
            case WireKeys.Popup.delayMs.tag: guard number(&reader, frame, &delayMs) else { return false }
            case WireKeys.Popup.minDisplayMs.tag: guard number(&reader, frame, &minDisplayMs) else { return false }
            case WireKeys.Popup.exclusive.tag:
                guard let value = reader.uint32(in: frame), value <= 2 else { return false }
                exclusive = WirePopup.Exclusive(rawValue: Int(value)) ?? .none
            case WireKeys.Popup.collapseKey.tag: guard line(&reader, frame, &collapseKey) else { return false }
            case WireKeys.Popup.interruptible.tag:
                guard let value = reader.bool(in: frame) else { return false }
                interruptible = value
            case WireKeys.Popup.text.tag, WireKeys.Popup.data.tag:
                guard !hasContent,
                    let content = tag == WireKeys.Popup.text.tag ? reader.text(in: frame) : reader.bytes(in: frame),
                    content.count <= limits.contentBytes
                else { return false }
                hasContent = true
            case WireKeys.Popup.contentType.tag:
                var contentType = 0..<0
                guard line(&reader, frame, &contentType) else { return false }
            case WireKeys.Popup.presentation.tag:
                guard let presentation = reader.bytes(in: frame), Self.isPresentation(presentation, in: frame) else {
                    return false
                }
            case WireKeys.Popup.surface.tag: guard line(&reader, frame, &surface) else { return false }
            default: return false
            }
        }
        return !id.isEmpty && !group.isEmpty
    }

    private func line(_ reader: inout FieldReader, _ frame: Span<UInt8>, _ range: inout Range<Int>) -> Bool {
        guard let text = reader.line(in: frame, maximum: WireLimits.maximumIDBytes) else { return false }
        range = text
        return true
    }

    @inline(__always)
    private func number(_ reader: inout FieldReader, _ frame: Span<UInt8>, _ number: inout UInt32) -> Bool {
        guard let value = reader.uint32(in: frame) else { return false }
        number = value
        return true
    }

    @inline(never)
    private static func isAction(_ range: Range<Int>, in frame: Span<UInt8>) -> Bool {
        var reader = FieldReader(range)
        var seen: UInt64 = 0
        while !reader.isAtEnd {
            guard let tag = reader.tag(in: frame), FieldReader.isFirst(tag, &seen) else { return false }
            switch tag {
            case WireKeys.Action.id.tag:
                guard let id = reader.line(in: frame, maximum: WireLimits.maximumIDBytes), !id.isEmpty else {
                    return false
                }
            case WireKeys.Action.label.tag:
                guard reader.line(in: frame, maximum: WireLimits.maximumLabelBytes) != nil else { return false }
            default: return false
            }
        }
        return seen & 1 << WireKeys.Action.id.number != 0
    }

    /// Its numbers within their lists (scene and animation: 0 to 4), its texts one line.
    @inline(never)
    private static func isPresentation(_ range: Range<Int>, in frame: Span<UInt8>) -> Bool {
        var reader = FieldReader(range)
        var seen: UInt64 = 0
        while !reader.isAtEnd {
            guard let tag = reader.tag(in: frame), FieldReader.isFirst(tag, &seen) else { return false }
            switch tag {
            case WireKeys.Presentation.scene.tag, WireKeys.Presentation.animation.tag:
                guard let value = reader.uint32(in: frame), value <= 4 else { return false }
            case WireKeys.Presentation.dismissOnOutside.tag, WireKeys.Presentation.countdown.tag,
                WireKeys.Presentation.backdrop.tag:
                guard reader.bool(in: frame) != nil else { return false }
            case WireKeys.Presentation.cornerRadius.tag: guard reader.uint32(in: frame) != nil else { return false }
            case WireKeys.Presentation.title.tag, WireKeys.Presentation.icon.tag:
                guard reader.line(in: frame, maximum: WireLimits.maximumLabelBytes) != nil else { return false }
            case WireKeys.Presentation.style.tag:
                guard reader.line(in: frame, maximum: WireLimits.maximumIDBytes) != nil else { return false }
            default: return false
            }
        }
        return true
    }
}
