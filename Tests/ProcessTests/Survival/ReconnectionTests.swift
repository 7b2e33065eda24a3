import Foundation
import Glibc
import PopupProtocol
import Testing
import ZeroMQ

@Suite("A thousand renderers", .ownThread)
struct ReconnectionTests {
    @Test("find their way back to a broker that was killed, are told what is shown, and keep their leases")
    func thousand() throws {
        try raiseFileLimit(to: 4096)
        // The broker asks for more than it is started with.
        let stage = try Stage(
            policies: #"  - {group: "*", rendererLost: CLOSE}"# + "\n",
            launcher: ["/usr/bin/prlimit", "--nofile=256:4096"])
        try stage.startBroker()
        let crowd = try RendererCrowd(1000, stage)
        let wire = try stage.wire(following: "events/")
        for number in 0..<20 { try wire.send(show("P\(number)", in: "crowd/\(number)")) }
        try crowd.run(until: "all are told what is shown", before: .after(.seconds(180))) {
            $0.isTold(in: stage.epochs[0])
        }

        for _ in 1...2 {
            try stage.killBroker()
            let begin = ContinuousClock.now
            try stage.startBroker()
            // It answers while they come back.
            #expect(try wire.ask(#""count":{"selector":{"group":"crowd/*"}}"#).count.popups == 20)
            let answered = ContinuousClock.now
            let epoch = stage.epochs.last ?? 0
            try crowd.run(until: "all are told what is shown", before: .after(.seconds(180))) { $0.isTold(in: epoch) }
            print("a thousand renderers were back after \(ContinuousClock.now - begin), answered \(answered - begin)")
        }
        // Longer than a lease lasts: nobody was given up.
        try wire.send(show("clock", in: "clock", #""durationMs":6000"#))
        try crowd.run(until: "the time of a lease has passed", before: .after(.seconds(60))) { _ in
            try wire.waits(before: .after(.zero)) {
                $0.events(of: "clock").contains { $0.words == "clock closed TIMED_OUT" }
            }
        }
        #expect(try wire.ask(#""count":{"selector":{"group":"crowd/*"}}"#).count.popups == 20)
        let stats = try wire.ask(#""stats":{}"#).stats
        #expect(stats.epoch == stage.epochs.last)
    }

    /// That of this process.
    private func raiseFileLimit(to count: rlim_t) throws {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        try #require(limit.rlim_max >= count, "the system allows \(limit.rlim_max) open files a process")
        limit.rlim_cur = max(limit.rlim_cur, count)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}

/// Renderers on one thread, a SUB each, and their leases, which another thread renews each second.
private final class RendererCrowd {
    private final class Listener {
        let socket: Socket

        init(_ context: Context, _ options: [SocketOption], to topic: String, of endpoint: String) throws {
            socket = try Socket(context, .sub, options: options)
            try socket.subscribe(to: topic)
            try socket.connect(endpoint)
        }
    }

    /// So many of them have a group in common.
    private static let groups = 20

    private var listeners: [Listener] = []
    private let leases: LeaseKeeper
    private var poller = Poller()
    private var items: [Poller.Index] = []
    private var states: [WireGroupState?]

    init(_ count: Int, _ stage: Stage) throws {
        let context = try Context(maxSockets: Int32(count + 10))
        let options: [SocketOption] = [
            .reconnectInterval(milliseconds: 20), .maxReconnectInterval(milliseconds: 200),
        ]
        leases = LeaseKeeper(
            (0..<count).map { (client: "r\($0)", groups: ["crowd/\($0 % Self.groups)"]) }, ingress: stage.ingress,
            egress: stage.egress)
        states = Array(repeating: nil, count: count)
        for index in 0..<count {
            let topic = "state/crowd/\(index % Self.groups)/"
            listeners.append(try Listener(context, options, to: topic, of: stage.egress))
            items.append(poller.add(listeners[index].socket))
        }
    }

    /// Whether each of them has been told by the broker of this epoch what its group shows.
    func isTold(in epoch: UInt64) -> Bool {
        states.indices.allSatisfy { index in
            states[index]?.epoch == epoch && states[index]?.words == "P\(index % Self.groups)"
        }
    }

    /// Does what renderers do until a condition holds.
    func run(
        until purpose: String, before deadline: Deadline, _ condition: (RendererCrowd) throws -> Bool
    ) throws {
        while try !condition(self) {
            guard !deadline.isOver else {
                let epochs = Dictionary(grouping: states) { $0?.epoch }.mapValues(\.count)
                throw NotInTime(description: "waited in vain until \(purpose); heard of epochs: \(epochs)")
            }
            guard try poller.wait(timeoutMilliseconds: 20) > 0 else { continue }
            for (index, item) in items.enumerated() where poller[item].contains(.readable) { try receive(index) }
        }
    }

    private func receive(_ index: Int) throws {
        let socket = listeners[index]
        while let topic = try socket.socket.receive() {
            let body = try socket.socket.receive(wait: true)
            guard let body, case .state(let state) = Arrival([topic.copy(), body.copy()], at: .now).content else {
                continue
            }
            states[index] = state
        }
    }
}
