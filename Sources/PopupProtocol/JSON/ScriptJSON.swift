public import SwiftProtobuf

/// Messages as JSON for scripts: 64-bit integers are numbers, and fields that are zero, empty or lists without elements
/// are written. An absent field that differs from its default (a message, an `optional` field, a field of a oneof) is
/// left out, as in proto3 JSON.
public enum ScriptJSON {
    /// Returns a message as JSON.
    ///
    /// - Throws: `JSONFault` if the message is not of the schema.
    public static func encode(_ message: some Message) throws(JSONFault) -> [UInt8] {
        guard let message = message as? any SchemaMessage else {
            throw JSONFault(.type, "", "a message that the schema doesn't have", at: 0)
        }
        var bytes: [UInt8] = []
        do throws(JSONSyntaxError) {
            let json = message.jsonBytes
            try append(json.span, as: type(of: message).schemaPlace, to: &bytes)
        } catch {
            throw JSONFault(error)
        }
        return bytes
    }

    /// Appends an object in proto3 JSON, of this message.
    private static func append(
        _ json: Span<UInt8>, as number: Int, to bytes: inout [UInt8]
    ) throws(JSONSyntaxError) {
        let message = WireSchema.messages[number]
        let values = try values(of: message, in: json)
        var separator = UInt8(ascii: "{")
        for (index, field) in message.fields.enumerated() {
            let value = values[index]
            guard value != nil || !field.hasPresence else { continue }
            bytes.append(separator)
            separator = UInt8(ascii: ",")
            bytes += "\"\(message.names[index])\":".utf8
            if let value {
                try append(json.extracting(value), of: field, to: &bytes)
            } else {
                bytes += field.defaultJSON.utf8
            }
        }
        if separator == UInt8(ascii: "{") { bytes.append(separator) }
        bytes.append(UInt8(ascii: "}"))
    }

    /// Returns the ranges of the values of a message's fields.
    private static func values(
        of message: WireMessage, in json: Span<UInt8>
    ) throws(JSONSyntaxError) -> [Range<Int>?] {
        var values = [Range<Int>?](repeating: nil, count: message.fields.count)
        var reader = JSONReader()
        var hint = 0
        try reader.expect("{", in: json, or: "an object must begin there")
        if reader.take("}", in: json) { return values }
        repeat {
            let name = try reader.string(in: json)
            try reader.expect(":", in: json, or: "a colon is missing")
            let value = try reader.value(in: json)
            guard case .plain(let range) = name, let index = message.index(of: range, in: json, from: hint) else {
                continue
            }
            values[index] = value
            hint = index + 1
        } while reader.take(",", in: json)
        return values
    }

    /// Appends the value of a field: each element of a list, or one value.
    private static func append(
        _ json: Span<UInt8>, of field: WireField, to bytes: inout [UInt8]
    ) throws(JSONSyntaxError) {
        guard field.isRepeated else { return try append(json, element: field, to: &bytes) }
        var reader = JSONReader()
        try reader.expect("[", in: json, or: "a list must begin there")
        var separator = UInt8(ascii: "[")
        repeat {
            bytes.append(separator)
            separator = UInt8(ascii: ",")
            try append(json.extracting(reader.value(in: json)), element: field, to: &bytes)
        } while reader.take(",", in: json)
        bytes.append(UInt8(ascii: "]"))
    }

    private static func append(
        _ json: Span<UInt8>, element field: WireField, to bytes: inout [UInt8]
    ) throws(JSONSyntaxError) {
        switch field.kind {
        case .message: try append(json, as: Int(field.type), to: &bytes)
        case .long: for index in json.indices where json[index] != UInt8(ascii: "\"") { bytes.append(json[index]) }
        default: for index in json.indices { bytes.append(json[index]) }
        }
    }
}

extension JSONReader {
    /// Skips the next value, and returns its range.
    fileprivate mutating func value(in json: Span<UInt8>) throws(JSONSyntaxError) -> Range<Int> {
        _ = next(in: json)
        let start = position
        try skip(in: json)
        return start..<position
    }
}

extension WireField {
    /// The value of an absent field without presence.
    fileprivate var defaultJSON: String {
        if isRepeated { return "[]" }
        return switch kind {
        case .text, .bytes: "\"\""
        case .flag: "false"
        case .signed, .unsigned, .long: "0"
        case .choice: choices.name(of: 0).map { "\"\($0)\"" } ?? "0"
        case .message: "{}"
        }
    }
}
