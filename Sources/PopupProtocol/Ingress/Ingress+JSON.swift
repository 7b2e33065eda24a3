import SwiftProtobuf

extension Ingress {
    /// The command that this JSON text encodes. Unknown fields are skipped.
    ///
    /// - Throws: `MALFORMED` when it is no JSON or not of the schema's types, `INVALID` for a name of no enum value and
    ///   for a number that its field can't have, `UNSUPPORTED` when its command is none of this version.
    public static func command(json bytes: [UInt8]) throws(CommandRefusal) -> WireCommand {
        guard let command = jsonCommands(in: bytes).first else {
            throw CommandRefusal(.malformed, "the text is an empty batch; give a command")
        }
        return try command.get()
    }

    static func jsonCommands(in frame: [UInt8]) -> [Result<WireCommand, CommandRefusal>] {
        var json = CommandJSON()
        do throws(CommandRefusal) { try json.read(frame.span) } catch { return [.failure(error)] }
        var commands: [Result<WireCommand, CommandRefusal>] = json.parts.map { part in
            switch part.content {
            case .binary(let range):
                Result { () throws(CommandRefusal) in try command(binary: Array(json.binary[range])) }
            case .command(let command): .success(command)
            case .refused(let refusal, _): .failure(refusal)
            }
        }
        if json.unread > 0 { commands.append(.failure(tooManyMistakes(unread: json.unread))) }
        return commands
    }
}
