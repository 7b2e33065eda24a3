import PopupProtocol
import SwiftProtobuf
import Testing

@Suite("The sender of a command")
struct CommandSenderTests {
    private let alice = "a11ce000000000000000000000000001"

    @Test("is read from what can't be decoded, as far as that goes")
    func undecodable() throws {
        let command = WireCommand.with {
            $0.producer = alice
            $0.sequence = 7
            $0.show.id = "A"
        }
        let sender = try #require(CommandSender(command))
        let bytes: [UInt8] = try command.serializedBytes()
        let readable = [bytes + [0xFF], bytes.dropLast(), Array(bytes.prefix(36)), Array(bytes.prefix(34))]
        #expect(readable.map { CommandSender(binary: $0.span) } == [sender, sender, sender, nil])
        for text in [
            #"{"producer":"\#(alice)","sequence":7,"show":{"id":5}}"#,
            #"{"sequence":"7","show":[],"producer":"\#(alice)"}"#,
        ] {
            #expect(try Self.sender(ofRefused: text) == sender)
        }
        for text in [
            #"{"producer":"\#(alice)","show":{"id":5}}"#, #"{"producer":"x","sequence":7}"#,
            #"{"producer":"\#(alice)","sequence":-1}"#,
        ] {
            #expect(try Self.sender(ofRefused: text) == nil)
        }
    }

    private static func sender(ofRefused text: String) throws -> CommandSender? {
        var json = CommandJSON()
        try json.read(Array(text.utf8).span)
        let part = try #require(json.parts.first)
        guard case .refused(_, let sender) = part.content else {
            Issue.record("\(text) is not refused")
            return nil
        }
        return sender
    }
}
