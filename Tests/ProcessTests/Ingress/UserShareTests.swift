import PopupProtocol
import TestPrograms
import Testing
import ZeroMQ

/// A client that invents a name for each popup, at a broker whose table of popups is small.
@Suite("Fifty names", .ownThread)
struct UserShareTests {
    private static let limits = "limits: {popups: 45, refusalLogLines: 0}\n"
    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
    }

    /// Sends fifty shows, each with another name as its producer.
    private func flood(_ wire: Wire, _ round: Int) throws {
        for number in 1...50 {
            let producer = String(repeating: "0", count: 24) + String(10_000_000 + 100 * round + number)
            try wire.send(
                #"{"producer":"\#(producer)","show":{"id":"f\#(round)-\#(number)","group":"many","text":"t"}}"#)
        }
    }

    /// The ids of the popups that are live now.
    private func live(_ wire: Wire) throws -> [String] {
        try wire.ask(#""list":{"limit":100}"#).list.popups.map(\.id)
    }

    @Test("of a user with a key leave room for another user, whose popup is shown meanwhile")
    func keys() throws {
        let server = try CurveKeyPair.random()
        let (many, one) = (try CurveKeyPair.random(), try CurveKeyPair.random())
        try KeyFile(folder.path("broker.key")).create(server)
        let configuration = try folder.write(
            "popup-broker.yaml",
            Self.limits + """
                security:
                  curve: {secretKeyFile: "\(folder.path("broker.key"))"}
                  users:
                    - {name: many, publicKey: "\(many.publicKey)"}
                    - {name: one, publicKey: "\(one.publicKey)"}
                """)
        let broker = try BrokerProcess(configuration: configuration)
        func connect(_ keys: CurveKeyPair) throws -> Wire {
            try Wire(
                ingress: broker.ingress, egress: broker.egress, following: ["events/"],
                options: [.curveClient(keys, server: server.publicKey)])
        }
        let (stranger, good) = (try connect(many), try connect(one))
        try flood(stranger, 1)
        try good.send(show("mine", in: "one"))
        try flood(stranger, 2)
        try good.event("mine shown", of: "one")
        try flood(stranger, 3)
        try stranger.settle()
        try good.settle()

        // At 41, eight times what is free is 32; at 40 of them beside the other popup, too.
        let ids = try live(good)
        #expect(ids.contains("mine"))
        #expect((40...41).contains(ids.count { $0 != "mine" }), "\(ids)")
        let refusals = good.events.filter { $0.group == "many" && $0.refused.reason == .overload }
        #expect(refusals.count == 150 - (ids.count - 1))
        #expect(refusals.allSatisfy { $0.refused.detail.contains("all its producers together hold more than 8 times") })
        try good.send([dismiss("mine"), show("another", in: "one")])
        try good.event("another shown", of: "one")
    }

    @Test("of a client without a key fill the table: there, every name counts for itself")
    func withoutKeys() throws {
        let broker = try BrokerProcess(configuration: try folder.write("popup-broker.yaml", Self.limits))
        let (stranger, good) = (
            try broker.wire(following: "events/"), try broker.wire(following: "events/")
        )
        try flood(stranger, 1)
        try stranger.settle()
        try good.send(show("mine", in: "one"))
        try good.settle()

        #expect(try live(good).count == 45)
        #expect(good.events(of: "one").map(\.words) == ["mine refused OVERLOAD"])
    }
}
