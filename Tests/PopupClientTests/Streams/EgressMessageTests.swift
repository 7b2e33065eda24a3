import PopupProtocol
import Testing

@testable import PopupClient

@Suite("The epoch of a message")
struct EgressMessageTests {
    @Test("is that of an event or a reply that names one; a broker that names none is heard, too")
    func unnamed() throws {
        func epoch(_ body: [UInt8], on topic: String) throws -> UInt64? {
            try #require(EgressMessage(body, on: topic)).epoch
        }
        var (event, reply, state) = (WireEvent(), WireReply(), WireGroupState())
        event.group = "a"
        state.group = "a"
        (reply.client, reply.nonce) = ("c", "1")
        let binary = WireEncoding.binary

        #expect(try epoch(binary.encode(event), on: "events/a/") == nil)
        #expect(try epoch(binary.encode(reply), on: "replies/c/1/") == nil)
        // States have always named it.
        #expect(try epoch(binary.encode(state), on: "state/a/") == 0)

        event.epoch = 7
        reply.epoch = 7
        #expect(try epoch(binary.encode(event), on: "events/a/") == 7)
        #expect(try epoch(binary.encode(reply), on: "replies/c/1/") == 7)
    }
}
