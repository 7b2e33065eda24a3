public import SwiftProtobuf

/// The conversion of the schema's messages from and to JSON.
public enum WireJSON {
    /// The treatment of unknown fields and of unknown values of enums.
    public enum Unknown: Sendable {
        /// The field is skipped.
        case skipped
        /// The message is refused.
        case refused
    }

    /// Returns the message in a JSON text.
    ///
    /// - Throws: `JSONFault`, with the first mistake and its position.
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

    /// Returns a message as JSON.
    ///
    /// - Throws: `JSONFault` if the message is not of the schema.
    public static func encode(_ message: some Message) throws(JSONFault) -> [UInt8] {
        guard let message = message as? any SchemaMessage else {
            throw JSONFault(.type, "", "a message that the schema doesn't have", at: 0)
        }
        return message.jsonBytes
    }
}
