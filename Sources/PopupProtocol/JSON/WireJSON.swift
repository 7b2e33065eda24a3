public import SwiftProtobuf

/// Reads messages of the schema from JSON, and writes them in it.
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
        guard let type = type as? any SchemaMessage.Type else {
            throw JSONFault(.type, "", "a text of `\(Body.protoMessageName)`, which the schema doesn't have", at: 0)
        }
        var reader = MessageReader()
        reader.unknownFields = unknown
        reader.unknownChoices = unknown
        var target = MessageTarget(type.init())
        do throws(JSONSyntaxError) {
            try reader.readMessage(type.schemaPlace, into: &target, in: text.span)
            try reader.reader.end(of: text.span)
        } catch {
            throw JSONFault(error)
        }
        if let fault = reader.fault { throw fault }
        return target.message as? Body ?? Body()
    }

    /// A message in JSON.
    ///
    /// - Throws: A fault for a message that the schema doesn't have.
    public static func encode(_ message: some Message) throws(JSONFault) -> [UInt8] {
        guard let message = message as? any SchemaMessage else {
            throw JSONFault(.type, "", "a message that the schema doesn't have", at: 0)
        }
        return message.jsonBytes
    }
}
