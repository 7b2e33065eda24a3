import SwiftProtobuf

/// Reads what producers, renderers and consoles send: one `Command` or `Batch` a frame, in either encoding.
public enum Ingress {
    /// Bytes of a frame at most.
    public static let maximumFrameBytes = 131_072
    /// Levels of lists and objects at most in the value of a JSON field that isn't known.
    public static let maximumNesting = 64
    /// Refused commands of a frame at most that are told one by one, of those that ask for no acknowledgement: what
    /// follows the last of them is refused as one, unread.
    public static let toldMistakes = 16
    /// Popups and groups that the questions of one frame and its commands for many popups or groups go through at most,
    /// unless one alone does: 100 ns each, so that others wait for some 10 ms.
    public static let visitedPopups = 100_000

    /// The encoding of a frame: JSON when it starts with `{`, which no protobuf message does.
    public static func encoding(of frame: Span<UInt8>) -> WireEncoding {
        !frame.isEmpty && frame[0] == UInt8(ascii: "{") ? .json : .binary
    }

    /// The commands of a frame in order, each decoded on its own: a refused one doesn't hold back the others. What a
    /// command says is not validated yet.
    public static func commands(in frame: [UInt8]) -> [Result<WireCommand, CommandRefusal>] {
        receivedCommands(in: frame).map(\.result)
    }

    /// Returns the commands of a frame as `commands` does, each with its sender.
    public static func receivedCommands(in frame: [UInt8]) -> [ReceivedCommand] {
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

    private static func binaryCommands(in frame: [UInt8]) -> [ReceivedCommand] {
        guard frame.first == BatchFrame.firstByte else { return [ReceivedCommand(binary: frame)] }
        var batch = BatchFrame()
        var commands: [ReceivedCommand] = []
        do throws(CommandRefusal) {
            var mistakes = 0
            var unread = 0
            while let range = try batch.next(in: frame.span) {
                guard mistakes < toldMistakes else {
                    unread += 1
                    continue
                }
                let command = ReceivedCommand(binary: Array(frame[range]))
                if case .failure = command.result, command.sender == nil { mistakes += 1 }
                commands.append(command)
            }
            if unread > 0 { commands.append(ReceivedCommand(tooManyMistakes(unread: unread))) }
        } catch {
            // Nothing of a broken frame is trusted, whole as its beginning looks.
            return [ReceivedCommand(error)]
        }
        return commands
    }

    /// The refusal of what follows too many mistakes in one frame.
    ///
    /// - Parameter unread: how many commands follow.
    public static func tooManyMistakes(unread: Int) -> CommandRefusal {
        CommandRefusal(
            .malformed,
            "the last \(unread) commands of the frame were not read, since \(toldMistakes) before them were refused; "
                + "mend those and send these again")
    }

    static func unsupported(_ what: String) -> CommandRefusal {
        CommandRefusal(
            .unsupported,
            "\(what) protocol version \(ProtocolVersion.current); see the list of commands in the protocol's documentation"
        )
    }
}
