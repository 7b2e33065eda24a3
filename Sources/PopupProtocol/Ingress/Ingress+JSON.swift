import SwiftProtobuf

extension Ingress {
    /// Returns the command in a JSON text. Skips unknown fields.
    ///
    /// - Throws: `MALFORMED` if the text is not JSON or does not have the types of the schema, `INVALID` for an unknown
    ///   enum value or a number out of range, `UNSUPPORTED` if this version does not have the command.
    public static func command(json bytes: [UInt8]) throws(CommandRefusal) -> WireCommand {
        guard let command = jsonCommands(in: bytes).first else {
            throw CommandRefusal(.malformed, "the text is an empty batch; give a command")
        }
        return try command.result.get()
    }

    /// Returns the first field in the commands of a JSON frame that the schema does not have; `nil` if there is none.
    ///
    /// The broker skips such fields, because a newer client may send them. For commands that people write, they are
    /// mistakes.
    ///
    /// - Parameters:
    ///   - frame: The JSON frame.
    ///   - otherNames: The names that a command may have besides its fields.
    public static func unknownField(in frame: [UInt8], besides otherNames: [String] = []) -> JSONFault? {
        var json = CommandJSON(lookingForUnknownFieldsBesides: otherNames)
        // A text that is not JSON has no fields.
        try? json.read(frame.span)
        return json.unknownField
    }

    static func jsonCommands(in frame: [UInt8]) -> [ReceivedCommand] {
        var json = CommandJSON()
        do throws(CommandRefusal) { try json.read(frame.span) } catch { return [ReceivedCommand(error)] }
        var commands: [ReceivedCommand] = json.parts.map { part in
            switch part.content {
            case .binary(let range): ReceivedCommand(binary: Array(json.binary[range]))
            case .command(let command): ReceivedCommand(command)
            case .refused(let refusal, let sender):
                ReceivedCommand(.failure(refusal), from: sender, bytes: Array(frame[part.text]))
            }
        }
        if json.unread > 0 { commands.append(ReceivedCommand(tooManyMistakes(unread: json.unread))) }
        return commands
    }
}
