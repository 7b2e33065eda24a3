import SwiftProtobuf

/// A command of a frame, or why it was refused, with its sender and the bytes by which a repetition is recognized.
public struct ReceivedCommand: Sendable {
    /// The decoded command, or why there is none.
    public var result: Result<WireCommand, CommandRefusal>
    /// The sender, also of a refused command if that could be read; `nil`: the command asks for no acknowledgement.
    public var sender: CommandSender?
    /// Two commands under one sequence are the same command if these bytes are equal.
    public var bytes: [UInt8]

    /// Creates a command from its parts.
    public init(_ result: Result<WireCommand, CommandRefusal>, from sender: CommandSender?, bytes: [UInt8]) {
        self.result = result
        self.sender = sender
        self.bytes = bytes
    }

    /// Creates a command that was decoded elsewhere.
    public init(_ command: WireCommand) {
        self.init(.success(command), from: CommandSender(command), bytes: (try? command.serializedBytes()) ?? [])
    }

    /// Creates a command from its binary encoding.
    init(binary bytes: [UInt8]) {
        self.init(
            Result { () throws(CommandRefusal) in try Ingress.command(binary: bytes) },
            from: CommandSender(binary: bytes.span), bytes: bytes)
    }

    /// Creates the refusal of something that names no sender.
    public init(_ refusal: CommandRefusal) {
        self.init(.failure(refusal), from: nil, bytes: [])
    }
}
