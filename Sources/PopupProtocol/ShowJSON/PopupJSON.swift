/// Writes an ordinary popup as JSON from its binary, without a message in between.
public enum PopupJSON {
    /// The lowest number of the fields that only the broker sets.
    private static let firstOfOutput: UInt64 = 32

    /// Appends the members of the object that stands for these fields of a `Popup`, output-only ones left out.
    ///
    /// - Returns: Whether all fields are known here; otherwise the popup is for the full encoder, and what was appended is
    ///   of no use.
    public static func appendMembers(of popup: Span<UInt8>, to text: inout [UInt8]) -> Bool {
        append(PopupField.ofPopup, popup, 0..<popup.count, to: &text)
    }

    private static func append(
        _ fields: [PopupField], _ bytes: Span<UInt8>, _ range: Range<Int>, to text: inout [UInt8]
    ) -> Bool {
        var reader = FieldReader(range)
        var seen: UInt64 = 0
        var isInList = false
        while !reader.isAtEnd {
            guard let tag = reader.tag(in: bytes) else { return false }
            if tag >> 3 >= firstOfOutput {
                // What the broker says there stands behind it.
                guard tag & 7 == 0, reader.varint(in: bytes) != nil else { return false }
                continue
            }
            guard let field = fields.first(where: { $0.tag == tag }) else { return false }
            if case .messages(let inner) = field.kind {
                guard let range = reader.bytes(in: bytes) else { return false }
                // Its elements one after another, as they come.
                if isInList {
                    text.removeLast()
                    text.append(UInt8(ascii: ","))
                } else {
                    guard FieldReader.isFirst(tag, &seen) else { return false }
                    text.appendMember(field.name)
                    text.append(UInt8(ascii: "["))
                }
                guard append(object: inner, bytes, range, to: &text) else { return false }
                text.append(UInt8(ascii: "]"))
                isInList = true
                continue
            }
            isInList = false
            guard FieldReader.isFirst(tag, &seen), append(field, &reader, bytes, to: &text) else { return false }
        }
        return true
    }

    private static func append(
        object fields: [PopupField], _ bytes: Span<UInt8>, _ range: Range<Int>, to text: inout [UInt8]
    ) -> Bool {
        text.append(UInt8(ascii: "{"))
        guard append(fields, bytes, range, to: &text) else { return false }
        text.append(UInt8(ascii: "}"))
        return true
    }

    private static func append(
        _ field: PopupField, _ reader: inout FieldReader, _ bytes: Span<UInt8>, to text: inout [UInt8]
    ) -> Bool {
        switch field.kind {
        case .text, .message:
            guard let range = reader.bytes(in: bytes) else { return false }
            if range.isEmpty, !field.hasPresence { return true }
            text.appendMember(field.name)
            if case .message(let fields) = field.kind { return append(object: fields, bytes, range, to: &text) }
            bytes.extracting(range).withUnsafeBytes { text.appendJSONString($0) }
        case .signed, .unsigned, .flag, .choice:
            guard let value = reader.varint(in: bytes) else { return false }
            if value == 0, !field.hasPresence { return true }
            text.appendMember(field.name)
            switch field.kind {
            case .signed: text.append(contentsOf: Array("\(Int64(bitPattern: value))".utf8))
            case .flag:
                guard value <= 1 else { return false }
                text.append(value == 1 ? "true" : "false")
            case .choice(let names):
                guard value < UInt64(names.count) else { return false }
                text.append(UInt8(ascii: "\""))
                text.append(names[Int(value)])
                text.append(UInt8(ascii: "\""))
            default: text.appendDecimal(value)
            }
        case .messages: return false
        }
        return true
    }
}

extension PopupField {
    /// How a field begins in binary.
    fileprivate var tag: UInt64 {
        switch kind {
        case .text, .message, .messages: number << 3 | 2
        case .signed, .unsigned, .flag, .choice: number << 3
        }
    }
}

/// Writes JSON at the end of bytes that are used again and again.
extension [UInt8] {
    /// The name of a member, behind a comma unless it is the object's first.
    public mutating func appendMember(_ name: StaticString) {
        if last != UInt8(ascii: "{") { append(UInt8(ascii: ",")) }
        append(UInt8(ascii: "\""))
        append(name)
        append(UInt8(ascii: "\""))
        append(UInt8(ascii: ":"))
    }

    /// Text in quotes, with what JSON doesn't allow in them escaped (RFC 8259, 7).
    public mutating func appendJSONString(_ text: UnsafeRawBufferPointer) {
        append(UInt8(ascii: "\""))
        var start = 0
        for (index, byte) in text.enumerated()
        where byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
            append(contentsOf: text[start..<index])
            append(UInt8(ascii: "\\"))
            switch byte {
            case 0x0A: append(UInt8(ascii: "n"))
            case 0x0D: append(UInt8(ascii: "r"))
            case 0x09: append(UInt8(ascii: "t"))
            case 0..<0x20:
                append("u00")
                append(UInt8(ascii: byte < 0x10 ? "0" : "1"))
                append(byte & 0x0F < 10 ? UInt8(ascii: "0") + byte & 0x0F : UInt8(ascii: "a") + byte & 0x0F - 10)
            default: append(byte)
            }
            start = index + 1
        }
        append(contentsOf: text[start...])
        append(UInt8(ascii: "\""))
    }

    /// A number without a sign.
    public mutating func appendDecimal(_ value: UInt64) {
        let start = count
        var rest = value
        repeat {
            append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        } while rest > 0
        self[start...].reverse()
    }

    /// ASCII text as it stands.
    public mutating func append(_ text: StaticString) {
        append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
}
