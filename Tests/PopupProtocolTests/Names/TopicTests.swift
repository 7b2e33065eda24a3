import PopupProtocol
import Testing

@Suite("Topics")
struct TopicTests {
    @Test(
        "are written and read the same",
        arguments: [
            ("state/lobby/", Channel.state), ("state+json/store/1/top/", .stateJSON), ("feed/", .feed),
            ("events/lobby/", .events), ("events+json/lobby/", .eventsJSON), ("heartbeat/", .heartbeat),
            ("acks/00000000000000010000000000000abc/", .acks),
            ("acks+json/00000000000000010000000000000abc/", .acksJSON),
            ("sync/me/7/a/b/", .sync), ("sync+json/me/7/*/", .syncJSON), ("replies/me/7/", .replies),
            ("replies+json/me/7/", .repliesJSON),
        ])
    func roundTrip(text: String, channel: Channel) throws {
        let topic = try #require(Topic(text))
        #expect(topic.text == text)
        #expect(topic.channel == channel)
    }

    @Test(
        "end in a slash and are of a known channel",
        arguments: [
            "", "/", "state/lobby", "state/", "state//", "feed/x/", "heartbeat", "unknown/x/", "state/a b/",
            "replies/me/",
            "replies/me/7/8/", "sync/me/7/", "sync/me/7/a/*/", "acks/1/",
        ])
    func refused(text: String) {
        #expect(Topic(text) == nil)
    }

    @Test("are never matched by a neighbour's subscription")
    func prefixes() throws {
        let lobby = try Topic.state(#require(GroupName("lobby")), .binary).text
        let neighbour = try Topic.state(#require(GroupName("lobby2")), .binary).text
        let below = try Topic.state(#require(GroupName("lobby/left")), .binary).text
        #expect(!neighbour.hasPrefix(lobby))
        #expect(below.hasPrefix(lobby))
    }
}

@Suite("Producers")
struct ProducerNameTests {
    @Test("are 32 hexadecimal digits")
    func digits() throws {
        let name = try #require(ProducerName("00000000000000ff8000000000ABCDEF"))
        #expect(name == ProducerName(high: 0xFF, low: 0x8000_0000_00AB_CDEF))
        #expect(name.description == "00000000000000ff8000000000abcdef")
        #expect(ProducerName(name.description) == name)
    }

    @Test(
        "are nothing else",
        arguments: ["", "0", "g0000000000000ff8000000000abcdef", "0x000000000000ff8000000000abcdef1"])
    func refused(text: String) {
        #expect(ProducerName(text) == nil)
    }
}
