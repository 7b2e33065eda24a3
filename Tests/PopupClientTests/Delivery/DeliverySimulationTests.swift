import PopupProtocol
import Testing
import TestSupport

@testable import PopupClient

/// A producer and a broker with a link between them that loses, repeats, delays and so reorders, in virtual time.
@Suite("Delivery over a link that loses, repeats and reorders")
struct DeliverySimulationTests {
    @Test("applies each command once and tells each caller the truth", arguments: 1...12 as ClosedRange<UInt64>)
    func lossy(seed: UInt64) {
        var simulation = Simulation(seed: seed)
        simulation.run()
        #expect(simulation.faults == [])
        #expect(simulation.outcomes.count == simulation.commands)
    }

    @Test("does so over restarts of a broker that remembers", arguments: 1...8 as ClosedRange<UInt64>)
    func restarts(seed: UInt64) {
        var simulation = Simulation(seed: seed)
        simulation.restarts = 3
        simulation.run()
        #expect(simulation.faults == [])
        #expect(simulation.outcomes.count == simulation.commands)
    }

    @Test("loses nothing open when a broker forgets all", arguments: 1...8 as ClosedRange<UInt64>)
    func amnesia(seed: UInt64) {
        var simulation = Simulation(seed: seed)
        simulation.restarts = 2
        simulation.forgets = true
        simulation.run()
        #expect(simulation.faults == [])
        #expect(simulation.outcomes.count == simulation.commands)
    }

    struct Simulation {
        enum Happening {
            case give
            case wake
            case arrive(WireCommand)
            case ack(String, WireAck)
            case repeatAcks
            case restart
        }

        let commands = 300
        /// The link loses, repeats and reorders before it, and is a fine one afterwards.
        let calm = 20_000
        let end = 120_000
        var restarts = 0
        var forgets = false

        private var generator: SplitMix64
        private let start = ContinuousClock.now
        private var now = 0
        private var agenda: [Int: [Happening]] = [:]
        private var nextWake: Int?
        private var window: DeliveryWindow
        private var waiting: [UInt64]
        private var sessions = FakeProducerSessions()
        private var producers: Set<String> = []
        /// By memory of the broker: how often each command has been applied.
        private var applied: [[UInt64: Int]] = [[:]]
        private(set) var outcomes: [UInt64: Bool] = [:]
        private(set) var faults: [String] = []

        init(seed: UInt64) {
            generator = SplitMix64(seed: seed)
            window = DeliveryWindow(producer: ProducerName(using: &generator))
            waiting = Array(1...300)
        }

        /// Every seventh command is one that the broker does not take.
        private static func isRefused(_ id: UInt64) -> Bool { id % 7 == 0 }

        mutating func run() {
            schedule(.give, in: 0)
            schedule(.repeatAcks, in: 1000)
            for _ in 0..<restarts { schedule(.restart, in: Int.random(in: 100..<calm, using: &generator)) }
            while outcomes.count < commands, now < end {
                // What happens now may bring about more at once.
                while let happenings = agenda.removeValue(forKey: now) { happenings.forEach { handle($0) } }
                now += 1
            }
            check()
        }

        private mutating func schedule(_ happening: Happening, in milliseconds: Int) {
            agenda[now + milliseconds, default: []].append(happening)
        }

        private mutating func handle(_ happening: Happening) {
            switch happening {
            case .give: give()
            case .wake: resend()
            case .arrive(let command): arrive(command)
            case .ack(let producer, let ack): take(ack, for: producer)
            case .repeatAcks:
                for producer in producers.sorted() { acknowledge(producer) }
                schedule(.repeatAcks, in: 1000)
            case .restart: restart()
            }
        }

        // MARK: The producer

        private var time: ContinuousClock.Instant { start + .milliseconds(now) }

        private mutating func give() {
            var count = 0
            for id in waiting.prefix(Int.random(in: 1...20, using: &generator)) {
                let oldest = window.commands.first?.sequence ?? window.nextSequence
                guard DeliveryWindow.holds(window.nextSequence, from: oldest) else { break }
                count += 1
                let body = Self.body(id)
                send(window.nextSequence, body)
                window.add(id, body, at: time)
            }
            waiting.removeFirst(count)
            wakeUp()
            if !waiting.isEmpty { schedule(.give, in: Int.random(in: 1...150, using: &generator)) }
        }

        private mutating func resend() {
            nextWake = nil
            let due = window.due(at: time)
            for command in due { send(command.sequence, command.body) }
            window.sentAgain(due.map(\.sequence), at: time)
            wakeUp()
        }

        private mutating func wakeUp() {
            guard let deadline = window.deadline else { return }
            let pause = max(0, Int((time.duration(to: deadline) / .milliseconds(1)).rounded(.up)))
            guard now + pause < nextWake ?? .max else { return }
            nextWake = now + pause
            schedule(.wake, in: pause)
        }

        private mutating func take(_ ack: WireAck, for producer: String) {
            guard producer == window.producer.description else { return }
            var drawn = generator
            let settled = window.receive(ack, at: time) { ProducerName(using: &drawn) }
            generator = drawn
            for settled in settled where outcomes.updateValue(settled.refusal == nil, forKey: settled.id) != nil {
                faults.append("\(settled.id) settled twice")
            }
            wakeUp()
        }

        private static func body(_ id: UInt64) -> [UInt8] {
            var command = WireCommand()
            command.advance.group = "\(id)"
            return try! WireEncoding.binary.encode(command)
        }

        // MARK: The link

        private mutating func send(_ sequence: UInt64, _ body: [UInt8]) {
            var bytes: [UInt8] = []
            CommandHeader.append(window.producer, sequence, to: &bytes)
            let command = try! Ingress.command(binary: bytes + body)
            carry(.arrive(command))
        }

        private mutating func carry(_ happening: Happening) {
            guard now < calm else { return schedule(happening, in: 5) }
            let copies = [0, 1, 1, 1, 2].randomElement(using: &generator)!
            for _ in 0..<copies { schedule(happening, in: Int.random(in: 1...600, using: &generator)) }
        }

        // MARK: The broker

        private mutating func arrive(_ command: WireCommand) {
            let id = UInt64(command.advance.group)!
            let isCrowded = now < calm && Int.random(in: 0..<10, using: &generator) == 0
            let isApplied = sessions.admit(command) { _ in
                if isCrowded { return .putOff(milliseconds: 400) }
                return Self.isRefused(id) ? .refuse(.invalid, "seven") : .accept
            }
            if isApplied { applied[applied.count - 1][id, default: 0] += 1 }
            producers.insert(command.producer)
            acknowledge(command.producer)
        }

        private mutating func acknowledge(_ producer: String) {
            if let ack = sessions.ack(for: producer) { carry(.ack(producer, ack)) }
        }

        private mutating func restart() {
            let epoch = sessions.epoch + 1
            if forgets {
                sessions = FakeProducerSessions()
                producers = []
                applied.append([:])
            }
            sessions.epoch = epoch
            window.reconnected(at: time)
            wakeUp()
        }

        private mutating func check() {
            for id in 1...UInt64(commands) {
                let times = applied.map { $0[id] ?? 0 }
                if times.contains(where: { $0 > 1 }), !forgets { faults.append("\(id) applied \(times)") }
                let isApplied = times.contains { $0 > 0 }
                if outcomes[id] == true, !isApplied { faults.append("\(id) told accepted, never applied") }
                if outcomes[id] == false, isApplied { faults.append("\(id) told refused, applied") }
                if outcomes[id] == false, !Self.isRefused(id) { faults.append("\(id) refused for nothing") }
            }
        }
    }
}
