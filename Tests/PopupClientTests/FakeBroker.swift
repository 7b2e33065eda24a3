import Foundation
@_spi(Wire) import PopupClient
import PopupProtocol
import Synchronization
import ZeroMQ

/// A broker's two sockets without a scheduler: it tells the test what came in and sends what the test says.
final class FakeBroker: Sendable {
    let endpoints: BrokerEndpoints
    /// The frames that came in, in order.
    let frames: AsyncStream<[UInt8]>
    /// The topics that were subscribed to, in order.
    let subscriptions: AsyncStream<String>
    /// The topics whose subscriptions were withdrawn, in order.
    let withdrawals: AsyncStream<String>

    private let exchange: Exchange
    private let ended: AsyncStream<Void>

    /// What the thread shares with the test.
    private final class Exchange: Sendable {
        struct State {
            var pipeline: [[[UInt8]]] = []
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
                defer { state.pipeline.removeAll() }
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

    /// - Parameters:
    ///   - epoch: nil: it sends no acknowledgements.
    ///   - answer: What is published when a command has come in, and has been acknowledged.
    ///   - judge: What becomes of a command that is to be acknowledged.
    init(
        at endpoints: BrokerEndpoints = BrokerEndpoints(ingress: "tcp://127.0.0.1:*", egress: "tcp://127.0.0.1:*"),
        epoch: UInt64? = 1, answer: @escaping @Sendable (WireCommand) -> [(Topic, [UInt8])] = { _ in [] },
        judge: @escaping @Sendable (WireCommand) -> FakeProducerSessions.Verdict = { _ in .accept }
    ) throws {
        let context = try Context()
        let ingress = try Socket(context, .sub)
        let egress = try Socket(context, .xpub, options: [.xpubVerboser(true)])
        try ingress.bind(endpoints.ingress)
        try egress.bind(endpoints.egress)
        try ingress.subscribe(to: "")
        self.endpoints = BrokerEndpoints(ingress: try ingress.lastEndpoint, egress: try egress.lastEndpoint)
        let exchange = try Exchange()
        self.exchange = exchange
        let (frames, incoming) = AsyncStream<[UInt8]>.makeStream()
        let (subscriptions, subscribed) = AsyncStream<String>.makeStream()
        let (ended, end) = AsyncStream<Void>.makeStream()
        self.frames = frames
        self.subscriptions = subscriptions
        let (withdrawals, withdrawn) = AsyncStream<String>.makeStream()
        self.withdrawals = withdrawals
        self.ended = ended
        let handover = Handover(Sockets(ingress: ingress, egress: egress))
        Thread.detachNewThread {
            let sessions = epoch.map { epoch in
                var sessions = FakeProducerSessions()
                sessions.epoch = epoch
                return sessions
            }
            try! Self.run(
                exchange, handover.sockets.take()!, sessions, judge, answer, incoming, (subscribed, withdrawn))
            end.finish()
        }
    }

    /// A place that nobody listens at until a broker is made there, and that no other test can take meanwhile.
    static func unusedEndpoints() -> BrokerEndpoints {
        let place = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        return BrokerEndpoints(ingress: "ipc://\(place)-ingress", egress: "ipc://\(place)-egress")
    }

    deinit {
        exchange.change { $0.isStopping = true }
    }

    private static func run(
        _ exchange: Exchange, _ sockets: consuming Sockets, _ sessions: consuming FakeProducerSessions?,
        _ judge: (WireCommand) -> FakeProducerSessions.Verdict, _ answer: (WireCommand) -> [(Topic, [UInt8])],
        _ incoming: AsyncStream<[UInt8]>.Continuation,
        _ topics: (subscribed: AsyncStream<String>.Continuation, withdrawn: AsyncStream<String>.Continuation)
    ) throws {
        defer {
            topics.subscribed.finish()
            topics.withdrawn.finish()
        }
        let message = Message()
        var poller = Poller()
        _ = poller.add(exchange.wakeup)
        _ = poller.add(sockets.ingress)
        _ = poller.add(sockets.egress)
        while true {
            _ = try poller.wait(timeoutMilliseconds: nil)
            exchange.wakeup.drain()
            while try sockets.egress.receive(into: message) {
                let bytes = message.copy()
                let topic = String(decoding: bytes.dropFirst(), as: UTF8.self)
                guard bytes.first == 1 else {
                    topics.withdrawn.yield(topic)
                    continue
                }
                // An acknowledgement may have been sent before its subscription was there.
                if case .acks(let producer, _)? = Topic(topic) {
                    try acknowledge(producer.description, on: sockets.egress, &sessions)
                }
                topics.subscribed.yield(topic)
            }
            while try sockets.ingress.receive(into: message) {
                let frame = message.copy()
                incoming.yield(frame)
                var producers: Set<String> = []
                var answers: [(Topic, [UInt8])] = []
                for case .success(let command) in Ingress.commands(in: frame) {
                    if command.sequence > 0 {
                        _ = sessions?.admit(command, judge)
                        producers.insert(command.producer)
                    }
                    answers += answer(command)
                }
                for producer in producers { try acknowledge(producer, on: sockets.egress, &sessions) }
                // What the test has published before it asked goes before the answer.
                if try sendPublished(of: exchange, on: sockets.egress) { return }
                for (topic, body) in answers {
                    _ = try sockets.egress.send([UInt8](topic.text.utf8), more: true)
                    _ = try sockets.egress.send(body)
                }
            }
            if try sendPublished(of: exchange, on: sockets.egress) { return }
        }
    }

    /// Sends what the test has published. Returns whether it is to stop.
    private static func sendPublished(of exchange: Exchange, on egress: borrowing Socket) throws -> Bool {
        let state = exchange.take()
        for frames in state.pipeline {
            for (index, frame) in frames.enumerated() { _ = try egress.send(frame, more: index < frames.count - 1) }
        }
        return state.isStopping
    }

    private static func acknowledge(
        _ producer: String, on egress: borrowing Socket, _ sessions: inout FakeProducerSessions?
    ) throws {
        guard let ack = sessions?.ack(for: producer) else { return }
        _ = try egress.send([UInt8]("acks/\(producer)/".utf8), more: true)
        _ = try egress.send(try WireEncoding.binary.encode(ack))
    }

    func publish(_ topic: String, _ body: [UInt8]) {
        exchange.change { $0.pipeline.append([Array(topic.utf8), body]) }
    }

    /// Publishes a state in one frame: the topic, a zero byte, the body.
    func publish(_ state: WireGroupState) throws {
        let body = try WireEncoding.binary.encode(state)
        exchange.change { $0.pipeline.append([Array("state+frame/\(state.group)/\0".utf8) + body]) }
    }

    func publish(_ event: WireEvent) throws {
        publish("events/\(event.group)/", try WireEncoding.binary.encode(event))
    }

    /// Stops and releases the ports.
    func stop() async {
        exchange.change { $0.isStopping = true }
        for await _ in ended {}
    }

    /// Waits until a topic has been subscribed to.
    func subscribed(to topic: String) async {
        for await subscription in subscriptions where subscription == topic { return }
    }

    /// Waits for a subscription that begins so.
    func subscribed(below prefix: String) async -> String {
        for await subscription in subscriptions where subscription.hasPrefix(prefix) { return subscription }
        return ""
    }

    /// The next commands that came in, each once and without what it is acknowledged by, and the frames that brought
    /// them.
    func commands(_ count: Int) async -> (commands: [WireCommand], frames: [[UInt8]]) {
        struct Number: Hashable {
            var producer: String
            var sequence: UInt64
        }
        var commands: [WireCommand] = []
        var taken: [[UInt8]] = []
        var seen: Set<Number> = []
        for await frame in frames {
            let before = commands.count
            for case .success(var command) in Ingress.commands(in: frame) {
                let number = Number(producer: command.producer, sequence: command.sequence)
                guard number.sequence == 0 || seen.insert(number).inserted else { continue }
                command.producer = ""
                command.sequence = 0
                commands.append(command)
            }
            if commands.count > before { taken.append(frame) }
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
            active = Popup(id: popup, group: group, text: popup).wire
            active.sinceRevision = revision
        }
    }
}

extension WireHeartbeat {
    /// The heartbeat, with the revisions of groups that changed lately.
    init(epoch: UInt64, _ revisions: KeyValuePairs<String, UInt64> = [:]) {
        self.init()
        self.epoch = epoch
        groups = revisions.map { group, revision in
            var head = WireGroupRevision()
            head.group = group
            head.revision = revision
            return head
        }
    }
}

extension WireEvent {
    static func shown(_ popup: String, in group: String, epoch: UInt64 = 1) -> WireEvent {
        var event = WireEvent()
        event.epoch = epoch
        event.group = group
        event.popup = popup
        event.shown = WireShown()
        return event
    }
}

extension FakeBroker {
    /// The answer to a query.
    static func reply(to command: WireCommand, _ result: WireResult, epoch: UInt64 = 1) -> [(Topic, [UInt8])] {
        var reply = WireReply()
        reply.epoch = epoch
        reply.client = command.query.client
        reply.nonce = command.query.nonce
        reply.reply = result
        let topic = Topic.replies(
            client: ClientToken(reply.client)!, nonce: ClientToken(reply.nonce)!, .binary)
        return [(topic, try! WireEncoding.binary.encode(reply))]
    }
}

extension ClientLimits {
    /// Limits of a client on a slow machine: however long a thread waits for a core, no call gives up, no state comes again
    /// because the broker says nothing, and nothing is asked for twice.
    static var patient: ClientLimits {
        var limits = ClientLimits()
        limits.sendTimeout = .seconds(200)
        limits.replyTimeout = .seconds(200)
        limits.confirmationTimeout = .seconds(3600)
        limits.syncTimeout = .seconds(3600)
        return limits
    }
}
