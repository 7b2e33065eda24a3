import SwiftProtobuf

/// The decoding of the frames of producers, renderers and admin clients: one `Command` or `Batch` per frame, in either
/// encoding.
public enum Ingress {
    /// The maximum size of a frame in bytes.
    public static let maxFrameBytes = 131_072
    /// The maximum depth of lists and objects in the value of an unknown JSON field.
    public static let maxNesting = 64
    /// The maximum number of refused commands without an acknowledgement that are reported one by one per frame. The
    /// commands after the last of them are not read, and refused together.
    public static let reportedMistakes = 16
    /// The maximum number of commands of a frame that have to be decoded: all but a `show` with an id and common fields, and
    /// a `dismiss`. The commands after the last of them are not read, and refused together. They take some 35 µs each, and a
    /// frame of each producer is handled in turn: with ten thousand of them, others would wait for a third of a second.
    public static let decodedCommands = 2048
    /// The maximum number of popups and groups that the queries of one frame, and its commands for many popups or
    /// groups, may visit together; a single one may exceed it. A visit takes about 100 ns, so other work waits about 10
    /// ms.
    public static let visitedPopups = 100_000

    /// Returns the encoding of a frame: JSON if it begins with `{`, as no protobuf message does.
    public static func encoding(of frame: Span<UInt8>) -> WireEncoding {
        !frame.isEmpty && frame[0] == UInt8(ascii: "{") ? .json : .binary
    }

    /// Returns the commands of a frame in order. Each is decoded separately: a refused one does not affect the others.
    /// The values of the fields are not validated.
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

    /// Returns the command in binary bytes.
    ///
    /// - Throws: `MALFORMED` if they are not a command, `UNSUPPORTED` if this version does not have it.
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
                guard mistakes < reportedMistakes else {
                    unread += 1
                    continue
                }
                let command = ReceivedCommand(binary: Array(frame[range]))
                if case .failure = command.result, command.sender == nil { mistakes += 1 }
                commands.append(command)
            }
            if unread > 0 { commands.append(ReceivedCommand(tooManyMistakes(unread: unread))) }
        } catch {
            // A broken frame is refused as a whole, even if its beginning is valid.
            return [ReceivedCommand(error)]
        }
        return commands
    }

    /// Returns the refusal of the commands after too many refused ones in one frame.
    ///
    /// - Parameter unread: The number of commands that are not read.
    public static func tooManyMistakes(unread: Int) -> CommandRefusal {
        CommandRefusal(
            .malformed,
            "the last \(unread) commands of the frame were not read, since \(reportedMistakes) before them were refused; "
                + "correct those and send these again")
    }

    /// Returns the refusal of the commands after the last one of a frame that may be decoded.
    ///
    /// - Parameter unread: The number of commands that are not read.
    public static func tooManyDecoded(unread: Int) -> CommandRefusal {
        CommandRefusal(
            .overload,
            "the last \(unread) commands of the frame were not read, since \(decodedCommands) before them take long; send "
                + "these in another frame")
    }

    static func unsupported(_ what: String, _ advice: String? = nil) -> CommandRefusal {
        let advice = advice ?? "see the list of commands in the protocol's documentation"
        return CommandRefusal(.unsupported, "\(what) protocol version \(ProtocolVersion.current); \(advice)")
    }
}
