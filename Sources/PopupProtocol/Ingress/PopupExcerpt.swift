/// The title of a popup and the beginning of its text, for lists.
package struct PopupExcerpt: Equatable, Sendable {
    /// The title; empty if it has none.
    package private(set) var title = ""
    /// The beginning of the text, of at most `maximumBytes`; empty if the content is not text.
    package private(set) var text = ""

    /// The maximum size of each, in bytes. What is left out is replaced by an ellipsis.
    static let maximumBytes = 120

    /// Creates the excerpt of a popup.
    package init(_ popup: WirePopup) {
        title = Self.beginning(of: popup.presentation.title)
        text = Self.beginning(of: popup.text)
    }

    /// Creates the excerpt of a popup in the binary encoding, in which only the excerpt is copied.
    package init(popup bytes: Span<UInt8>) {
        var reader = FieldReader(0..<bytes.count)
        while !reader.isAtEnd, let tag = reader.tag(in: bytes) {
            switch tag {
            case WireKeys.Popup.text.tag:
                guard let range = reader.bytes(in: bytes) else { return }
                text = Self.beginning(of: range, in: bytes)
            case WireKeys.Popup.data.tag:
                // The content is a text or bytes: the last one counts.
                guard reader.bytes(in: bytes) != nil else { return }
                text = ""
            case WireKeys.Popup.presentation.tag:
                guard let range = reader.bytes(in: bytes) else { return }
                readTitle(in: bytes, range)
            default: guard reader.skipValue(of: tag, in: bytes) else { return }
            }
        }
    }

    /// Returns a popup in the binary encoding that has the excerpt and the user of another one, and nothing else: less
    /// than 400 bytes.
    package static func shortened(popup bytes: Span<UInt8>) -> [UInt8] {
        let excerpt = PopupExcerpt(popup: bytes)
        var presentation: [UInt8] = []
        presentation.appendField(WireKeys.Presentation.title, Array(excerpt.title.utf8)[...])
        var popup: [UInt8] = []
        popup.appendField(WireKeys.Popup.text, Array(excerpt.text.utf8)[...])
        popup.appendField(WireKeys.Popup.presentation, presentation[...])
        return popup + CommandUser.field(CommandUser.name(inPopup: bytes))
    }

    private mutating func readTitle(in bytes: Span<UInt8>, _ presentation: Range<Int>) {
        var reader = FieldReader(presentation)
        while !reader.isAtEnd, let tag = reader.tag(in: bytes) {
            if tag == WireKeys.Presentation.title.tag {
                guard let range = reader.bytes(in: bytes) else { return }
                title = Self.beginning(of: range, in: bytes)
            } else {
                guard reader.skipValue(of: tag, in: bytes) else { return }
            }
        }
    }

    private static func beginning(of text: String) -> String {
        var text = text
        return text.withUTF8 { beginning(of: 0..<$0.count, in: Span(_unsafeElements: $0)) }
    }

    private static func beginning(of range: Range<Int>, in bytes: Span<UInt8>) -> String {
        guard range.count > maximumBytes else { return String(decoding: bytes, range) }
        let ellipsis = "…"
        var end = range.lowerBound + maximumBytes - ellipsis.utf8.count
        // Not within a character.
        while end > range.lowerBound, bytes[end] & 0xC0 == 0x80 { end -= 1 }
        return String(decoding: bytes, range.lowerBound..<end) + ellipsis
    }
}

extension String {
    fileprivate init(decoding bytes: Span<UInt8>, _ range: Range<Int>) {
        self = bytes.extracting(range).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
}

extension FieldReader {
    /// Skips the value of a field with this tag. Returns whether the message has it.
    fileprivate mutating func skipValue(of tag: UInt64, in bytes: Span<UInt8>) -> Bool {
        switch tag & 7 {
        case 0: varint(in: bytes) != nil
        case 1: skip(8)
        case 2: self.bytes(in: bytes) != nil
        case 5: skip(4)
        default: false
        }
    }
}
