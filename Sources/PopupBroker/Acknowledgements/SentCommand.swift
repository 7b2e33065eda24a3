import PopupProtocol
import SwiftProtobuf

/// The form in which a producer sent a command, in addition to its decoded form.
enum SentCommand {
    /// The bytes of a frame.
    case binary([UInt8])
    /// Text in a frame that contains no valid command, with its sender if it can be read.
    case json(CommandSender?, digest: UInt64)
    /// A decoded command: from JSON, or from another thread of the process.
    case decoded

    /// Returns the sender of a command, if it can be read.
    func sender(_ command: Result<WireCommand, CommandRefusal>) -> CommandSender? {
        switch (command, self) {
        case (.success(let command), _): CommandSender(command)
        case (.failure, .binary(let bytes)): CommandSender(binary: bytes.span)
        case (.failure, .json(let sender, _)): sender
        case (.failure, .decoded): nil
        }
    }

    /// Returns the digest by which a repetition is recognized.
    func digest(_ command: Result<WireCommand, CommandRefusal>) -> UInt64 {
        switch (self, command) {
        case (.binary(let bytes), _): CommandDigest.of(bytes.span.bytes)
        case (.json(_, let digest), _): digest
        case (.decoded, .success(let command)): Self.digest(of: command)
        case (.decoded, .failure): 0
        }
    }

    private static func digest(of command: WireCommand) -> UInt64 {
        let bytes: [UInt8] = (try? command.serializedBytes()) ?? []
        return CommandDigest.of(bytes.span.bytes)
    }
}
