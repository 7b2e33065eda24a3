import PopupProtocol
import Testing

@Suite("Binary and JSON", .ownThread)
struct EncodingTests {
    @Test("say the same of the same")
    func egress() throws {
        let broker = try BrokerProcess()
        let wire = try broker.wire(following: "state/", "state+json/", "events/", "events+json/")
        try wire.send([
            show("A", in: "g/1", #""priority":1,"durationMs":60000,"text":"ä\n\"quoted\" \u0001""#),
            show("B", in: "g/1", #""priority":2,"data":"AAECAwT/","contentType":"application/octet-stream""#),
            show("C", in: "g/2", #""presentation":{"scene":"CENTER","countdown":true}"#),
            #"{"update":{"id":"B","priority":7,"text":"other"}}"#, dismiss("B", "yes"), dismiss("B", "again"),
            #"{"clear":{"selector":{"group":"*"}}}"#,
        ])
        try wire.settle()

        func states(_ channel: String) -> [WireGroupState] { wire.states { $0.hasPrefix(channel) } }
        func events(_ channel: String) -> [WireEvent] {
            wire.arrivals.filter { $0.topic.hasPrefix(channel) }.compactMap {
                if case .event(let event) = $0.content { event } else { nil }
            }
        }
        #expect(states("state/").count == 7)
        #expect(states("state/") == states("state+json/"))
        #expect(events("events/").count == 10)
        #expect(events("events/") == events("events+json/"))
    }

    @Test("are taken alike")
    func ingress() throws {
        let broker = try BrokerProcess()
        let wire = try broker.wire(following: "state/", "events/")
        let commands = [
            #"{"setPolicy":{"group":"G","preset":"LIFO","maxWaiting":3}}"#,
            show("A-G", in: "G", #""priority":-4,"text":"héllo","interruptible":false"#),
            show("B-G", in: "G", #""priority":2147483647,"exclusive":"GROUP""#),
            #"{"update":{"id":"B-G","durationMs":60000,"restartTimer":true}}"#,
            show("C-G", in: "G", #""data":"AAEC""#), dismiss("C-G"), #"{"advance":{"group":"G"}}"#,
        ]
        for command in commands {
            try wire.send(command.replacing("G", with: "json").replacing("jsonROUP", with: "GROUP"))
            let binary = command.replacing("G", with: "wire").replacing("wireROUP", with: "GROUP")
            let message: WireCommand = try WireEncoding.json.decode(Array(binary.utf8))
            try wire.send(frames: [try WireEncoding.binary.encode(message)])
        }
        try wire.settle()

        let json = wire.events(of: "json").map { $0.words.replacing("-json", with: "") }
        let binary = wire.events(of: "wire").map { $0.words.replacing("-wire", with: "") }
        #expect(
            json == [
                "A shown", "A closed SUPERSEDED", "B shown", "B updated", "B paused", "C shown",
                "C closed DISMISSED ok", "B resumed", "B closed ADVANCED",
            ])
        #expect(binary == json)
    }
}
