import PopupProtocol
import PopupScheduling

/// Reads what the scheduler needs of an encoded `Popup` and leaves the rest where it is: its content for the scheduler
/// is the encoded popup itself.
enum PopupScanner {
    /// The request, or `nil` when there is anything that needs a closer look: the decoder gives that.
    ///
    /// - Parameters:
    ///   - bytes: the encoded popup.
    ///   - offset: where it begins in the text that the request's ranges refer to.
    ///   - trusted: it was admitted before: only what the scheduler needs is looked at.
    ///   - contentBytes: bytes of `text` or `data` at most.
    @inline(__always)
    static func scan(
        _ bytes: UnsafeRawBufferPointer, at offset: Int, trusted: Bool, contentBytes: Int
    ) -> PopupRequest? {
        var cursor = WireCursor(bytes, 0..<bytes.count)
        var request = PopupRequest(id: .none, group: .none)
        request.content = TextRange(offset: offset, count: bytes.count)
        while !cursor.isAtEnd {
            guard let tag = cursor.varint() else { return nil }
            switch tag {
            case 1 << 3 | 2:
                guard let id = id(&cursor, offset, trusted) else { return nil }
                request.id = id
            case 2 << 3 | 2:
                guard let range = cursor.range() else { return nil }
                let name = UnsafeRawBufferPointer(rebasing: bytes[range])
                guard trusted || GroupName.isValid(Span(_unsafeElements: name.bindMemory(to: UInt8.self))) else {
                    return nil
                }
                request.group = TextRange(offset: offset + range.lowerBound, count: range.count)
            case 3 << 3:
                guard let priority = cursor.int32() else { return nil }
                request.priority = priority
            case 4 << 3:
                guard let duration = cursor.uint32() else { return nil }
                request.duration = duration
            case 5 << 3:
                guard let timeToLive = cursor.uint32() else { return nil }
                request.timeToLive = timeToLive
            case 6 << 3:
                guard let delay = cursor.uint32() else { return nil }
                request.delay = delay
            case 7 << 3:
                guard let minimum = cursor.uint32() else { return nil }
                request.minimumDisplay = minimum
            case 8 << 3:
                guard let value = cursor.varint(), value <= 2 else { return nil }
                request.exclusive = value == 0 ? .none : value == 1 ? .group : .all
            case 9 << 3 | 2:
                guard let key = id(&cursor, offset, trusted) else { return nil }
                request.collapseKey = key
            case 10 << 3:
                guard let value = cursor.varint() else { return nil }
                request.interruptible = value != 0
            case 11 << 3 | 2:
                guard let range = cursor.range() else { return nil }
                guard
                    trusted
                        || range.count <= contentBytes
                            && WireText.isUTF8(UnsafeRawBufferPointer(rebasing: bytes[range]))
                else { return nil }
            case 12 << 3 | 2:
                guard let range = cursor.range(), trusted || range.count <= contentBytes else { return nil }
            case 13 << 3 | 2:
                guard id(&cursor, offset, trusted) != nil else { return nil }
            case 19 << 3 | 2:
                guard let surface = id(&cursor, offset, trusted) else { return nil }
                request.surface = surface
            default:
                guard trusted, cursor.skip(tag: tag) != nil else { return nil }
            }
        }
        return request.id.isEmpty || request.group.isEmpty ? nil : request
    }

    @inline(__always)
    private static func id(_ cursor: inout WireCursor, _ offset: Int, _ trusted: Bool) -> TextRange? {
        guard let range = cursor.range() else { return nil }
        guard trusted || WireText.isPlainID(UnsafeRawBufferPointer(rebasing: cursor.bytes[range])) else { return nil }
        return TextRange(offset: offset + range.lowerBound, count: range.count)
    }
}
