import PopupProtocol
import SwiftProtobuf

/// A command as its producer sent it, beside what was decoded of it.
enum SentCommand {
    /// These bytes of a frame.
    case binary([UInt8])
    /// Text of a frame that holds no command, from this sender as far as it tells one.
    case json(CommandSender?, digest: UInt64)
    /// Decoded already: from JSON, or by another thread of the process.
    case decoded

    /// Who sent it, as far as that can be read.
    func sender(_ command: Result<WireCommand, CommandRefusal>) -> CommandSender? {
        switch (command, self) {
        case (.success(let command), _): CommandSender(command)
        case (.failure, .binary(let bytes)): CommandSender(binary: bytes.span)
        case (.failure, .json(let sender, _)): sender
        case (.failure, .decoded): nil
        }
    }

    /// The digest by which it is known again.
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
