import Foundation
import PopupClient
import Synchronization
import ZeroMQ

/// A broker's two sockets without a scheduler: it tells the test what came in and sends what the test says.
final class FakeBroker: Sendable {
    let endpoints: BrokerEndpoints
    /// The frames that came in, in order.
    let frames: AsyncStream<[UInt8]>
    /// The topics that were subscribed to, in order.
    let subscriptions: AsyncStream<String>

    private let desk: Desk
    private let ended: AsyncStream<Void>

    /// What the thread shares with the test.
    private final class Desk: Sendable {
        struct State {
            var outgoing: [(topic: String, body: [UInt8])] = []
            var isStopping = false
        }

        private let state = Mutex(State())
        let wakeup: Wakeup

        init() throws {
            wakeup = try Wakeup()
        }

        func change(_ body: (inout State) -> Void) {
            state.withLock { body(&$0) }
            wakeup.signal()
        }

        func take() -> State {
            state.withLock { state in
                defer { state.outgoing.removeAll() }
                return state
            }
        }
    }

    private struct Sockets: ~Copyable {
        let ingress: Socket
        let egress: Socket
    }

    /// Hands the sockets to the thread, which closes them before it tells that it has ended.
    private final class Handover: @unchecked Sendable {
        var sockets: Sockets?

        init(_ sockets: consuming Sockets) {
            self.sockets = consume sockets
        }
    }

    /// - Parameter answer: what is published when a command has come in.
    init(
        at endpoints: BrokerEndpoints = BrokerEndpoints(ingress: "tcp://127.0.0.1:*", egress: "tcp://127.0.0.1:*"),
        answer: @escaping @Sendable (WireCommand) -> [(Topic, [UInt8])] = { _ in [] }
    ) throws {
        let context = try Context()
        let ingress = try Socket(context, .sub)
        let egress = try Socket(context, .xpub, options: [.xpubVerboser(true)])
        try ingress.bind(endpoints.ingress)
        try egress.bind(endpoints.egress)
        try ingress.subscribe(to: "")
        self.endpoints = BrokerEndpoints(ingress: try ingress.lastEndpoint, egress: try egress.lastEndpoint)
        let desk = try Desk()
        self.desk = desk
        let (frames, incoming) = AsyncStream<[UInt8]>.makeStream()
        let (subscriptions, subscribed) = AsyncStream<String>.makeStream()
        let (ended, end) = AsyncStream<Void>.makeStream()
        self.frames = frames
        self.subscriptions = subscriptions
        self.ended = ended
        let handover = Handover(Sockets(ingress: ingress, egress: egress))
        Thread.detachNewThread {
            try! Self.run(desk, handover.sockets.take()!, answer, incoming, subscribed)
            end.finish()
        }
    }

    /// A place that nobody listens at until a broker is made there, and that no other test can take meanwhile.
    static func unusedEndpoints() -> BrokerEndpoints {
        let place = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        return BrokerEndpoints(ingress: "ipc://\(place)-ingress", egress: "ipc://\(place)-egress")
    }

    deinit {
        desk.change { $0.isStopping = true }
    }

    private static func run(
        _ desk: Desk, _ sockets: consuming Sockets, _ answer: (WireCommand) -> [(Topic, [UInt8])],
        _ incoming: AsyncStream<[UInt8]>.Continuation, _ subscribed: AsyncStream<String>.Continuation
    ) throws {
        let message = Message()
        var poller = Poller()
        _ = poller.add(desk.wakeup)
        _ = poller.add(sockets.ingress)
        _ = poller.add(sockets.egress)
        while true {
            _ = try poller.wait(timeoutMilliseconds: nil)
            desk.wakeup.drain()
            while try sockets.egress.receive(into: message) {
                let bytes = message.copy()
                if bytes.first == 1 { subscribed.yield(String(decoding: bytes.dropFirst(), as: UTF8.self)) }
            }
            while try sockets.ingress.receive(into: message) {
                let frame = message.copy()
                incoming.yield(frame)
                for case .success(let command) in Ingress.commands(in: frame) {
                    for (topic, body) in answer(command) {
                        _ = try sockets.egress.send([UInt8](topic.text.utf8), more: true)
                        _ = try sockets.egress.send(body)
                    }
                }
            }
            let state = desk.take()
            for (topic, body) in state.outgoing {
                _ = try sockets.egress.send([UInt8](topic.utf8), more: true)
                _ = try sockets.egress.send(body)
            }
            if state.isStopping { return }
        }
    }

    func publish(_ topic: String, _ body: [UInt8]) {
        desk.change { $0.outgoing.append((topic, body)) }
    }

    func publish(_ state: WireGroupState) throws {
        publish("state/\(state.group)/", try WireEncoding.binary.encode(state))
    }

    func publish(_ event: WireEvent) throws {
        publish("events/\(event.group)/", try WireEncoding.binary.encode(event))
    }

    /// Stops and releases the ports.
    func stop() async {
        desk.change { $0.isStopping = true }
        for await _ in ended {}
    }

    /// Waits until a topic has been subscribed to.
    func subscribed(to topic: String) async {
        for await subscription in subscriptions where subscription == topic { return }
    }

    /// The next commands that came in, and how many frames they took.
    func commands(_ count: Int) async -> (commands: [WireCommand], frames: [[UInt8]]) {
        var commands: [WireCommand] = []
        var taken: [[UInt8]] = []
        for await frame in frames {
            taken.append(frame)
            commands += Ingress.commands(in: frame).compactMap { try? $0.get() }
            if commands.count >= count { break }
        }
        return (commands, taken)
    }
}

extension WireGroupState {
    /// A state as the broker would send it; no popup: the group shows nothing.
    init(_ group: String, epoch: UInt64 = 1, revision: UInt64, popup: String? = nil, waiting: UInt32 = 0) {
        self.init()
        self.group = group
        self.epoch = epoch
        self.revision = revision
        self.waiting = waiting
        if let popup {
            active = Popup(id: popup, group: group, text: popup)
            active.sinceRevision = revision
        }
    }
}

extension WireEvent {
    static func shown(_ popup: String, in group: String) -> WireEvent {
        var event = WireEvent()
        event.group = group
        event.popup = popup
        event.shown = WireShown()
        return event
    }
}

extension FakeBroker {
    /// The answer to a question.
    static func reply(to command: WireCommand, _ result: WireResult) -> [(Topic, [UInt8])] {
        var reply = WireReply()
        reply.client = command.query.client
        reply.nonce = command.query.nonce
        reply.reply = result
        let topic = Topic.replies(
            client: ClientToken(reply.client)!, nonce: ClientToken(reply.nonce)!, .binary)
        return [(topic, try! WireEncoding.binary.encode(reply))]
    }
}
