import SwiftProtobuf

extension JSONWriter {
    /// Appends the members of the JSON object of a `Popup`, except output-only ones, directly from its stored bytes.
    package mutating func appendMembers(ofPopup popup: Span<UInt8>) {
        let start = count
        if PopupJSON.append(WireSchema.popup, popup, 0..<popup.count, to: &self) { return }
        // A list in several parts, which protobuf allows, but which is rare.
        truncate(to: start)
        var message = popup.withUnsafeBytes { try? WirePopup(serializedBytes: Array($0)) } ?? WirePopup()
        message.clearRemainingMs()
        message.attempt = 0
        message.sinceRevision = 0
        message.writeFields(to: &self)
    }
}

/// The conversion of a message from its bytes to JSON. Every function returns whether it succeeds.
private enum PopupJSON {
    /// The lowest number of the output-only fields. All but `by`, which is kept, are numbers.
    private static let firstOfOutput = WireKeys.Popup.remainingMs.number

    static func append(
        _ message: Int, _ bytes: Span<UInt8>, _ range: Range<Int>, to text: inout JSONWriter
    ) -> Bool {
        var reader = FieldReader(range)
        var seen: UInt64 = 0
        // The number of the list that is open. Its elements follow one another.
        var list: UInt64 = 0
        while !reader.isAtEnd {
            guard let tag = reader.tag(in: bytes) else { return false }
            if message == WireSchema.popup, tag >> 3 >= firstOfOutput, tag != WireKeys.Popup.by.tag {
                // Output-only fields are written by the broker, after these.
                guard tag & 7 == 0, reader.varint(in: bytes) != nil else { return false }
                continue
            }
            guard let index = WireSchema.messages[message].index(ofTag: tag) else { return false }
            let field = WireSchema.messages[message].fields[index]
            let name = WireSchema.messages[message].names[index]
            if field.isRepeated {
                if list == tag {
                    text.reopenList()
                } else {
                    guard FieldReader.isFirst(tag, &seen) else { return false }
                    text.name(name)
                    text.beginList()
                }
                guard append(field, &reader, bytes, to: &text) else { return false }
                text.endList()
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
        to text: inout JSONWriter
    ) -> Bool {
        if !field.hasPresence {
            // Default values are left out.
            var ahead = reader
            guard let value = ahead.varint(in: bytes) else { return false }
            if value == 0 {
                reader = ahead
                return true
            }
        }
        text.name(name)
        return append(field, &reader, bytes, to: &text)
    }

    /// Appends a value.
    private static func append(
        _ field: WireField, _ reader: inout FieldReader, _ bytes: Span<UInt8>, to text: inout JSONWriter
    ) -> Bool {
        switch field.kind {
        case .text, .message, .bytes:
            guard let range = reader.bytes(in: bytes) else { return false }
            switch field.kind {
            case .text: text.append(text: bytes.extracting(range))
            case .bytes: text.append(data: bytes.extracting(range))
            default:
                text.beginObject()
                guard append(Int(field.type), bytes, range, to: &text) else { return false }
                text.endObject()
            }
        case .signed, .unsigned, .flag, .choice, .long:
            guard let value = reader.varint(in: bytes) else { return false }
            switch field.kind {
            case .signed: text.append(number: Int64(bitPattern: value))
            case .flag:
                guard value <= 1 else { return false }
                text.append(flag: value == 1)
            case .choice: text.append(choice: value, of: field.choices)
            case .long: text.append(long: value)
            default: text.append(number: value)
            }
        }
        return true
    }
}
