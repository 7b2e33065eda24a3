import PopupProtocol
import PopupScheduling

/// Reads an encoded `show` or `dismiss` as far as the scheduler needs it, in place of decoding it. These two are nearly
/// all of what a broker is told; everything else, and whatever is unusual or wrong with them, is left to the decoder.
enum CommandScanner {
    struct Scanned {
        var command: Command
        var kind: CommandKind
        var producer: ProducerName?
    }

    /// The command, or `nil` when it needs a closer look. Its ranges refer to `bytes`.
    ///
    /// - Parameters:
    ///   - trusted: it was admitted before: only what the scheduler needs is looked at.
    ///   - contentBytes: bytes of a popup's `text` or `data` at most.
    @inline(__always)
    static func scan(_ bytes: UnsafeRawBufferPointer, trusted: Bool, contentBytes: Int) -> Scanned? {
        var cursor = WireCursor(bytes, 0..<bytes.count)
        var producer: ProducerName?
        var sequence: UInt64 = 0
        var show: Range<Int>?
        var dismiss: Range<Int>?
        while !cursor.isAtEnd {
            guard let tag = cursor.varint() else { return nil }
            switch tag {
            case 1 << 3 | 2:
                guard let range = cursor.range() else { return nil }
                let digits = UnsafeRawBufferPointer(rebasing: bytes[range]).bindMemory(to: UInt8.self)
                guard let name = ProducerName(Span(_unsafeElements: digits)) else { return nil }
                producer = name
            case 2 << 3:
                guard let value = cursor.varint() else { return nil }
                sequence = value
            case 3 << 3 | 2:
                guard show == nil, dismiss == nil, let range = cursor.range() else { return nil }
                show = range
            case 5 << 3 | 2:
                guard show == nil, dismiss == nil, let range = cursor.range() else { return nil }
                dismiss = range
            default: return nil
            }
        }
        guard sequence == 0 || producer != nil else { return nil }
        if let show {
            let popup = UnsafeRawBufferPointer(rebasing: bytes[show])
            guard
                var request = PopupScanner.scan(
                    popup, at: show.lowerBound, trusted: trusted, contentBytes: contentBytes)
            else { return nil }
            request.producer = producer.map { ProducerID($0) }
            return Scanned(command: .show(request), kind: .show, producer: producer)
        }
        guard let dismiss, let dismissal = scanDismissal(bytes, dismiss) else { return nil }
        return Scanned(command: .dismiss(dismissal), kind: .dismiss, producer: producer)
    }

    private static func scanDismissal(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Dismissal? {
        var cursor = WireCursor(bytes, range)
        var dismissal = Dismissal(id: .none, action: .none)
        while !cursor.isAtEnd {
            guard let tag = cursor.varint() else { return nil }
            switch tag {
            case 1 << 3 | 2:
                guard let id = id(&cursor) else { return nil }
                dismissal.id = id
            case 2 << 3 | 2:
                guard let action = id(&cursor) else { return nil }
                dismissal.action = action
            case 3 << 3:
                guard let revision = cursor.varint() else { return nil }
                dismissal.revision = revision
            case 4 << 3 | 2:
                guard id(&cursor) != nil else { return nil }
            default: return nil
            }
        }
        return dismissal.id.isEmpty ? nil : dismissal
    }

    private static func id(_ cursor: inout WireCursor) -> TextRange? {
        guard let range = cursor.range(),
            WireText.isPlainID(UnsafeRawBufferPointer(rebasing: cursor.bytes[range]))
        else { return nil }
        return TextRange(offset: range.lowerBound, count: range.count)
    }
}
