/// The most frequent frame, one binary `show`, read in place: no message is created and nothing is allocated.
///
/// `read` accepts the fields of nearly all popups, and refuses everything else: other commands, unknown or repeated
/// fields, values out of range. For a frame that it reads, `CommandValidator` accepts the command and the full decoder
/// has the same result, as a test with damaged frames shows. Other frames go through these.
///
/// It takes 96 bytes: it is copied once to the batch, and kept there until the command is applied.
public struct ShowFrame: Sendable, Equatable {
    /// The producer; `nil` for none.
    public private(set) var producer: ProducerName?
    @usableFromInline private(set) var exclusiveNumber: UInt8 = 0
    /// Whether other popups may interrupt it.
    public private(set) var interruptible = true
    /// The priority of the popup.
    public private(set) var priority: Int32 = 0
    /// The display time in ms; 0 for the default of the group.
    public private(set) var durationMs: UInt32 = 0
    /// The time in ms within which it must be shown for the first time; 0 for no limit.
    public private(set) var ttlMs: UInt32 = 0
    /// The delay in ms before the popup may be shown.
    public private(set) var delayMs: UInt32 = 0
    /// The minimum display time in ms.
    public private(set) var minDisplayMs: UInt32 = 0
    /// The sequence of the producer; 0 for none.
    public private(set) var sequence: UInt64 = 0

    /// The range of the `Popup`.
    public private(set) var popup = FrameRange()
    /// The range of the id, which is never empty.
    public private(set) var id = FrameRange()
    /// The range of the group, which is never empty.
    public private(set) var group = FrameRange()
    /// The range of the collapse key; empty if absent.
    public private(set) var collapseKey = FrameRange()
    /// The range of the surface; empty if absent.
    public private(set) var surface = FrameRange()
    /// The range of the name of the user that requested it.
    public private(set) var by = FrameRange()

    /// The groups in which it closes all other popups.
    @inlinable
    public var exclusive: WirePopup.Exclusive {
        switch exclusiveNumber {
        case 1: .group
        case 2: .all
        default: .none
        }
    }

    /// Creates an empty frame, to read into.
    public init() {}

    /// Returns the `show` in a frame; `nil` if the full decoder must read the frame.
    public static func read(_ frame: Span<UInt8>, limits: WireLimits) -> ShowFrame? {
        var show = ShowFrame()
        return show.read(frame, limits: limits) ? show : nil
    }

    /// Reads the `show` in a frame. Replaces all values, so that one object suffices for any number of frames.
    ///
    /// - Returns: Whether the frame was read. If not, the values are not valid, and the full decoder must read the
    ///   frame.
    public mutating func read(_ frame: Span<UInt8>, limits: WireLimits) -> Bool {
        self = ShowFrame()
        guard let message = FieldReader.message(WireKeys.Command.show, of: frame, from: &producer, &sequence) else {
            return false
        }
        popup = FrameRange(message)
        return readPopup(in: frame, limits: limits)
    }

    /// Makes room for the field with a user's name behind the frame, which ends with the popup: the same as reading the
    /// frame again with that field.
    ///
    /// - Parameter count: The bytes of the name.
    @inline(__always)
    public mutating func append(userOf count: Int) {
        let (start, end) = (Int(popup.offset), popup.upperBound &+ CommandUser.fieldBytes(ofName: count))
        popup = FrameRange(Range(uncheckedBounds: (start, end)))
        by = FrameRange(Range(uncheckedBounds: (end &- count, end)))
    }

    @inline(__always)
    private mutating func readPopup(in frame: Span<UInt8>, limits: WireLimits) -> Bool {
        var reader = FieldReader(popup.indices)
        var seen: UInt64 = 0
        var hasContent = false
        var actions = 0
        while !reader.isAtEnd {
            guard let tag = reader.tag(in: frame) else { return false }
            if tag == WireKeys.Popup.actions.tag {
                actions &+= 1
                guard actions <= WireLimits.maxActions, let action = reader.bytes(in: frame),
                    Self.isAction(action, in: frame)
                else { return false }
                continue
            }
            guard FieldReader.isFirst(tag, &seen) else { return false }
            switch tag {
            case WireKeys.Popup.id.tag:
                guard let text = reader.bytes(in: frame), Self.isLine(text, in: frame) else { return false }
                id = FrameRange(text)
            case WireKeys.Popup.group.tag:
                guard let text = reader.bytes(in: frame), GroupName.isValid(text, in: frame) else { return false }
                group = FrameRange(text)
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
                exclusiveNumber = UInt8(truncatingIfNeeded: value)
            case WireKeys.Popup.collapseKey.tag:
                guard let text = reader.bytes(in: frame), Self.isLine(text, in: frame) else { return false }
                collapseKey = FrameRange(text)
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
                guard let text = reader.bytes(in: frame), Self.isLine(text, in: frame) else { return false }
            case WireKeys.Popup.language.tag:
                guard reader.line(in: frame, maximum: WireLimits.maxLanguageBytes) != nil else { return false }
            case WireKeys.Popup.presentation.tag:
                guard let presentation = reader.bytes(in: frame), Self.isPresentation(presentation, in: frame) else {
                    return false
                }
            case WireKeys.Popup.surface.tag:
                guard let text = reader.bytes(in: frame), Self.isLine(text, in: frame) else { return false }
                surface = FrameRange(text)
            case WireKeys.Popup.by.tag:
                guard let name = reader.bytes(in: frame), ClientToken.isValid(frame.extracting(unchecked: name)) else {
                    return false
                }
                by = FrameRange(name)
            default: return false
            }
        }
        return !id.isEmpty && !group.isEmpty
    }

    /// Whether a range is a line of at most `WireLimits.maxIDBytes`. The reader is not passed, so that its position
    /// stays in a register.
    @inline(never)
    private static func isLine(_ range: Range<Int>, in frame: Span<UInt8>) -> Bool {
        range.count <= WireLimits.maxIDBytes && frame.isLine(range)
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
                guard let id = reader.line(in: frame, maximum: WireLimits.maxIDBytes), !id.isEmpty else {
                    return false
                }
            case WireKeys.Action.label.tag:
                guard reader.line(in: frame, maximum: WireLimits.maxLabelBytes) != nil else { return false }
            default: return false
            }
        }
        return seen & 1 << WireKeys.Action.id.number != 0
    }

    /// Whether a range is a valid presentation: its enums within their values (scene and animation: 0 to 4), its texts
    /// one line each.
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
                guard reader.line(in: frame, maximum: WireLimits.maxLabelBytes) != nil else { return false }
            case WireKeys.Presentation.style.tag:
                guard reader.line(in: frame, maximum: WireLimits.maxIDBytes) != nil else { return false }
            default: return false
            }
        }
        return true
    }
}

/// A range of a frame in eight bytes, half of what `Range<Int>` takes. A frame is far below 4 GiB.
public struct FrameRange: Sendable, Equatable {
    /// The position of the first byte.
    public let offset: UInt32
    /// The number of bytes; 0 for a field that is absent.
    public let count: UInt32

    /// Creates an empty range.
    @inlinable @inline(__always)
    init() { (offset, count) = (0, 0) }

    @inlinable @inline(__always)
    init(_ range: Range<Int>) {
        offset = UInt32(truncatingIfNeeded: range.lowerBound)
        count = UInt32(truncatingIfNeeded: range.upperBound &- range.lowerBound)
    }

    /// Whether the field is absent.
    @inlinable @inline(__always)
    public var isEmpty: Bool { count == 0 }

    /// The position behind the last byte.
    @inlinable @inline(__always)
    public var upperBound: Int { Int(offset) &+ Int(count) }

    /// The range as indices of its frame.
    @inlinable @inline(__always)
    public var indices: Range<Int> { Range(uncheckedBounds: (Int(offset), upperBound)) }
}
