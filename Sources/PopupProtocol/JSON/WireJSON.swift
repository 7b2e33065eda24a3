public import SwiftProtobuf

/// Reads messages of the schema from JSON, whatever they are.
public enum WireJSON {
    /// What becomes of names that the schema doesn't have, of fields and of enum values.
    public enum Unknown: Sendable {
        /// The field is passed over.
        case skipped
        /// The message is refused.
        case refused
    }

    /// The message that a JSON text is.
    ///
    /// - Throws: What is wrong, and where.
    public static func decode<Body: Message>(
        _ text: [UInt8], as type: Body.Type = Body.self, unknown: Unknown = .skipped
    ) throws(JSONFault) -> Body {
        let name = String(Body.protoMessageName.trimmingPrefix("popup.v\(ProtocolVersion.current)."))
        guard let message = WireSchema.message(named: name) else {
            throw JSONFault(.type, "", "a text of `\(name)`, which the schema doesn't have", at: 0)
        }
        var json = MessageJSON()
        json.unknownFields = unknown
        json.unknownChoices = unknown
        do throws(JSONSyntaxError) {
            json.begin()
            try json.readMessage(message, in: text.span)
            try json.reader.end(of: text.span)
        } catch {
            throw JSONFault(error)
        }
        if let fault = json.fault { throw fault }
        do {
            return try Body(serializedBytes: json.bytes)
        } catch {
            throw JSONFault(.type, "", "no `\(name)` (\(error))", at: 0)
        }
    }
}
