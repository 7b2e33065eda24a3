import SwiftProtobuf

/// Reads what producers, renderers and consoles send: one `Command` or `Batch` a frame, in either encoding.
public enum Ingress {
    /// Bytes of a frame at most.
    public static let maximumFrameBytes = 131_072

    /// The encoding of a frame: JSON when it starts with `{`, which no protobuf message does.
    public static func encoding(of frame: Span<UInt8>) -> WireEncoding {
        !frame.isEmpty && frame[0] == UInt8(ascii: "{") ? .json : .binary
    }

    /// The commands of a frame in order, each decoded on its own: a refused one doesn't hold back the others. What a
    /// command says is not validated yet.
    public static func commands(in frame: [UInt8]) -> [Result<WireCommand, CommandRefusal>] {
        switch encoding(of: frame.span) {
        case .json: jsonCommands(in: frame)
        case .binary: binaryCommands(in: frame)
        }
    }

    /// The command that these bytes encode in binary.
    ///
    /// - Throws: `MALFORMED` when they encode none, `UNSUPPORTED` when its command is none of this version.
    public static func command(binary bytes: [UInt8]) throws(CommandRefusal) -> WireCommand {
        let command: WireCommand
        var options = BinaryDecodingOptions()
        options.discardUnknownFields = true
        do {
            command = try WireCommand(serializedBytes: bytes, options: options)
        } catch {
            throw CommandRefusal(.malformed, "not a protobuf Command (\(error)); send one Command or Batch per frame")
        }
        guard command.command != nil else { throw unsupported("the frame holds no command of") }
        return command
    }

    private static func binaryCommands(in frame: [UInt8]) -> [Result<WireCommand, CommandRefusal>] {
        guard frame.first == BatchFrame.firstByte else {
            return [Result { () throws(CommandRefusal) in try command(binary: frame) }]
        }
        var batch = BatchFrame()
        var commands: [Result<WireCommand, CommandRefusal>] = []
        do throws(CommandRefusal) {
            while let range = try batch.next(in: frame.span) {
                commands.append(Result { () throws(CommandRefusal) in try command(binary: Array(frame[range])) })
            }
        } catch {
            // Nothing of a broken frame is trusted, whole as its beginning looks.
            return [.failure(error)]
        }
        return commands
    }

    static func unsupported(_ what: String) -> CommandRefusal {
        CommandRefusal(
            .unsupported,
            "\(what) protocol version \(ProtocolVersion.current); see the list of commands in the protocol's documentation"
        )
    }
}
