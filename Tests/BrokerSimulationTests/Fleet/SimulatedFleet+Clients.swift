@testable import PopupBroker
@testable import PopupClient
import PopupProtocol
import PopupScheduling
import SwiftProtobuf

// The clients and their lines: each has one to each node, and sends on all of them. The node that is subscribed is the owner.
extension SimulatedFleet {
    static func line(_ machine: Int, _ client: String) -> String { "\(machine)/\(client)" }

    /// A new connection: what was on its way is gone, the subscriptions are told again.
    func connect(_ machine: Int, _ name: String) {
        guard let client = clients.first(where: { $0.name == name }) else { return }
        let line = Self.line(machine, name)
        network.cut(line)
        network.heal(line)
        let process = machines[machine].process
        guard !process.isDead else { return }
        process.transport.disconnect(name)
        process.transport.connect(name, prefixes: client.prefixes)
        wake(process)
        act(name) { $0.connected(at: now, &$1) }
    }

    /// Cuts a client off from a node.
    func cut(_ machine: Int, _ name: String, for time: Milliseconds) {
        network.cut(Self.line(machine, name))
        machines[machine].process.transport.disconnect(name)
        wake(machines[machine].process)
        add(.connect(machine: machine, client: name), after: time)
    }

    /// What happens to messages on the way to a client is over: what waits for a reader that had stopped is read.
    func calm(_ machine: Int, _ name: String) {
        for direction in Direction.allCases { network.set(.calm, for: Self.line(machine, name), direction) }
        add(.read(machine: machine, client: name), after: 0)
    }

    func act(_ name: String, _ body: (any SimulatedClient, inout Hand) -> Void) {
        guard let client = clients.first(where: { $0.name == name }) else { return }
        var hand = Hand()
        body(client, &hand)
        for message in hand.messages { emit(message, from: name) }
        for alarm in hand.alarms { add(.wake(client: name), after: max(0, alarm - now)) }
        for (topic, isSubscription) in hand.subscriptions {
            for machine in machines
            where !machine.process.isDead && !network.isCut(Self.line(machine.process.machine, name)) {
                machine.process.transport.tell(name, topic, isSubscription: isSubscription)
                wake(machine.process)
            }
        }
    }

    /// A client sends a frame to all nodes.
    private func emit(_ frames: [[UInt8]], from client: String) {
        if let frame = frames.last { acknowledgements.noteSent(frame, at: now) }
        for machine in machines {
            for delay in network.delays(Self.line(machine.process.machine, client), .up) {
                add(.arrival(machine.process, client: client, frames: frames), after: 1 + delay)
            }
        }
    }

    /// A client sends commands, a producer until they are acknowledged.
    func send(_ commands: [WireCommand], by client: String) {
        if let producer = senders.first(where: { $0.name == client }) {
            act(client) { producer.send(commands, at: now, &$1) }
        } else {
            emit(Handwriting.withTopic.frames(commands), from: client)
        }
    }

    // MARK: - To clients

    /// A message of a process is on its way to a subscriber.
    func send(_ message: SimulatedTransport.Message, by process: NodeProcess, to client: String) {
        guard client != "audit" else { return }
        let queued = network.queues(message, for: Self.line(process.machine, client))
        if !queued.isQueued { dispatch(message, from: process.machine, to: client, after: process.wordsDelay) }
        if let wait = queued.wait { add(.read(machine: process.machine, client: client), after: wait) }
    }

    /// The reader of a line takes a message.
    func read(_ machine: Int, _ client: String) {
        guard let (message, wait) = network.take(Self.line(machine, client)) else { return }
        dispatch(message, from: machine, to: client, after: 0)
        if let wait { add(.read(machine: machine, client: client), after: wait) }
    }

    private func dispatch(
        _ message: SimulatedTransport.Message, from machine: Int, to client: String, after pause: Milliseconds
    ) {
        for delay in network.delays(Self.line(machine, client), .down) {
            add(.delivery(machine: machine, client: client, message), after: 1 + pause + delay)
        }
    }

    func deliver(_ message: SimulatedTransport.Message, from machine: Int, to name: String) {
        guard !network.isCut(Self.line(machine, name)) else { return }
        let topic = String(decoding: message.topic, as: UTF8.self)
        // The rule of the client library: what an owner says that was overtaken counts no more.
        if let decoded = EgressMessage(topic, message.body), newest[name]?.record(decoded) == .older {
            return marks["an old epoch is dropped", default: 0] += 1
        }
        act(name) { $0.receive(topic, message.body, at: now, &$1) }
        if let producer = senders.first(where: { $0.name == name }) {
            acknowledgements.noteOutcomes(of: producer, at: now)
        }
        if let failure = watchers.lazy.compactMap(\.failure).first { fail(failure) }
    }
}
