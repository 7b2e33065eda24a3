import SwiftProtobuf

extension Ingress {
    /// The command that this JSON text encodes. Unknown fields are skipped.
    ///
    /// - Throws: `MALFORMED` when it is no JSON or not of the schema's types, `INVALID` for a name of no enum value and
    ///   for a number
    ///   that its field can't have, `UNSUPPORTED` when its command is none of this version.
    public static func command(json bytes: [UInt8]) throws(CommandRefusal) -> WireCommand {
        let command: WireCommand
        do {
            command = try WireCommand(jsonUTF8Bytes: bytes)
        } catch JSONDecodingError.unknownField {
            command = try commandWithUnknownFields(JSONText(bytes: bytes))
        } catch {
            throw refusal(of: error, in: JSONText(bytes: bytes))
        }
        guard command.command != nil else { throw unsupportedCommand(in: JSONText(bytes: bytes)) }
        return command
    }

    static func jsonCommands(in frame: [UInt8]) -> [Result<WireCommand, CommandRefusal>] {
        do throws(CommandRefusal) {
            return try jsonTexts(in: frame).map { text in
                Result { () throws(CommandRefusal) in try command(json: text) }
            }
        } catch {
            return [.failure(error)]
        }
    }

    /// The texts of the commands of a JSON frame in order: the frame itself, or the elements of a batch.
    ///
    /// - Throws: `MALFORMED` for a broken batch: nothing of it is trusted.
    public static func jsonTexts(in frame: [UInt8]) throws(CommandRefusal) -> [[UInt8]] {
        let json = JSONText(bytes: frame)
        guard let batch = json.value(at: ["commands"]) else { return [frame] }
        do throws(JSONText.Malformed) {
            let end = try json.members().end
            guard frame[end...].allSatisfy(JSONText.isSpace) else { throw JSONText.Malformed(position: end) }
            return try json.elements(at: batch.lowerBound).map { Array(frame[$0]) }
        } catch {
            throw CommandRefusal(
                .malformed,
                "the batch is broken at byte \(error.position); send {\"commands\":[{…},{…}]} and nothing else")
        }
    }

    private static func commandWithUnknownFields(_ json: JSONText) throws(CommandRefusal) -> WireCommand {
        if let misnamed = misnamedValue(in: json) { throw misnamed }
        var options = JSONDecodingOptions()
        options.ignoreUnknownFields = true
        do {
            return try WireCommand(jsonUTF8Bytes: json.bytes, options: options)
        } catch {
            throw refusal(of: error, in: json)
        }
    }

    private static func refusal(of error: any Error, in json: JSONText) -> CommandRefusal {
        switch error {
        case JSONDecodingError.unrecognizedEnumValue:
            misnamedValue(in: json) ?? addressed(CommandRefusal(.invalid, "no enum value has that name"), in: json)
        case JSONDecodingError.numberRange, JSONDecodingError.malformedNumber:
            addressed(
                CommandRefusal(.invalid, "a number is none of its field's range; times are 0 to 4294967295 ms"),
                in: json
            )
        default:
            addressed(
                CommandRefusal(.malformed, "not a Command in proto3 JSON (\(error)); check names and types"), in: json)
        }
    }

    private static func misnamedValue(in json: JSONText) -> CommandRefusal? {
        EnumPlace.misnamed(in: json).map { path, value in
            addressed(
                CommandRefusal(.invalid, "`\(path)` has no value named \(value); see its list in the documentation"),
                in: json)
        }
    }

    private static func unsupportedCommand(in json: JSONText) -> CommandRefusal {
        let names = ((try? json.members().members) ?? []).map { "`\($0.name)`" }.joined(separator: ", ")
        return addressed(
            unsupported(names.isEmpty ? "an empty object is no command of" : "none of \(names) is a command of"),
            in: json)
    }

    /// Tells whom the refused command was about, as far as its text does.
    private static func addressed(_ refusal: CommandRefusal, in json: JSONText) -> CommandRefusal {
        var refusal = refusal
        for member in (try? json.members().members) ?? [] {
            let start = member.value.lowerBound
            refusal.group = json.value(at: ["group"], from: start).flatMap(json.string).flatMap { GroupName($0) }
            refusal.popup = json.value(at: ["id"], from: start).flatMap(json.string) ?? ""
            if refusal.group != nil || !refusal.popup.isEmpty { break }
        }
        return refusal
    }
}
