/// Writes a popup as JSON from its binary, without a message in between.
public enum PopupJSON {
    /// The lowest number of the fields that only the broker sets.
    private static let firstOfOutput: UInt64 = 32

    /// Appends the members of the object that stands for these fields of a `Popup`, output-only ones left out.
    ///
    /// - Returns: Whether all fields are known here; otherwise the popup is for the full encoder, and what was appended is
    ///   of no use.
    public static func appendMembers(of popup: Span<UInt8>, to text: inout [UInt8]) -> Bool {
        append(WireSchema.popup, popup, 0..<popup.count, to: &text)
    }

    private static func append(
        _ message: Int, _ bytes: Span<UInt8>, _ range: Range<Int>, to text: inout [UInt8]
    ) -> Bool {
        var reader = FieldReader(range)
        var seen: UInt64 = 0
        // The field of the list that is open: its elements come one after another.
        var list: UInt64 = 0
        while !reader.isAtEnd {
            guard let tag = reader.tag(in: bytes) else { return false }
            if message == WireSchema.popup, tag >> 3 >= firstOfOutput {
                // What the broker says there stands behind it.
                guard tag & 7 == 0, reader.varint(in: bytes) != nil else { return false }
                continue
            }
            guard let place = WireSchema.messages[message].place(ofTag: tag) else { return false }
            let field = WireSchema.messages[message].fields[place]
            let name = WireSchema.messages[message].names[place]
            if field.isRepeated {
                if list == tag {
                    text.removeLast()
                    text.append(UInt8(ascii: ","))
                } else {
                    guard FieldReader.isFirst(tag, &seen) else { return false }
                    text.appendMember(name)
                    text.append(UInt8(ascii: "["))
                }
                guard append(field, &reader, bytes, to: &text) else { return false }
                text.append(UInt8(ascii: "]"))
                list = tag
                continue
            }
            list = 0
            guard FieldReader.isFirst(tag, &seen), append(field, name, &reader, bytes, to: &text) else { return false }
        }
        return true
    }

    private static func append(
        _ field: WireField, _ name: StaticString, _ reader: inout FieldReader, _ bytes: Span<UInt8>,
        to text: inout [UInt8]
    ) -> Bool {
        if !field.hasPresence {
            // What is so by default is left out.
            var ahead = reader
            guard let value = ahead.varint(in: bytes) else { return false }
            if value == 0 {
                reader = ahead
                return true
            }
        }
        text.appendMember(name)
        return append(field, &reader, bytes, to: &text)
    }

    /// Appends a value.
    private static func append(
        _ field: WireField, _ reader: inout FieldReader, _ bytes: Span<UInt8>, to text: inout [UInt8]
    ) -> Bool {
        switch field.kind {
        case .text, .message, .bytes:
            guard let range = reader.bytes(in: bytes) else { return false }
            switch field.kind {
            case .text: bytes.extracting(range).withUnsafeBytes { text.appendJSONString($0) }
            case .bytes: text.appendBase64(bytes.extracting(range))
            default:
                text.append(UInt8(ascii: "{"))
                guard append(Int(field.type), bytes, range, to: &text) else { return false }
                text.append(UInt8(ascii: "}"))
            }
        case .signed, .unsigned, .flag, .choice, .long:
            guard let value = reader.varint(in: bytes) else { return false }
            switch field.kind {
            case .signed: text.append(contentsOf: Array("\(Int64(bitPattern: value))".utf8))
            case .flag:
                guard value <= 1 else { return false }
                text.append(value == 1 ? "true" : "false")
            case .choice:
                guard let name = field.choices.name(of: value) else { return false }
                text.append(UInt8(ascii: "\""))
                text.append(name)
                text.append(UInt8(ascii: "\""))
            case .long:
                text.append(UInt8(ascii: "\""))
                text.appendDecimal(value)
                text.append(UInt8(ascii: "\""))
            default: text.appendDecimal(value)
            }
        }
        return true
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

    /// Bytes as base64 (RFC 4648, 4) in quotes.
    mutating func appendBase64(_ data: Span<UInt8>) {
        func digit(_ value: UInt32) -> UInt8 {
            switch UInt8(value & 63) {
            case let value where value < 26: UInt8(ascii: "A") + value
            case let value where value < 52: UInt8(ascii: "a") + value - 26
            case let value where value < 62: UInt8(ascii: "0") + value - 52
            case 62: UInt8(ascii: "+")
            default: UInt8(ascii: "/")
            }
        }
        append(UInt8(ascii: "\""))
        var index = 0
        while index < data.count {
            let left = data.count - index
            var bits = UInt32(data[index]) << 16
            if left > 1 { bits |= UInt32(data[index + 1]) << 8 }
            if left > 2 { bits |= UInt32(data[index + 2]) }
            append(digit(bits >> 18))
            append(digit(bits >> 12))
            append(left > 1 ? digit(bits >> 6) : UInt8(ascii: "="))
            append(left > 2 ? digit(bits) : UInt8(ascii: "="))
            index += 3
        }
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
