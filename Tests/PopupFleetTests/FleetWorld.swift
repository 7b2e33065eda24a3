import PopupJournal
import SimulatedLogs

@testable import PopupFleet

/// Nodes of a fleet, their log, and all that can go wrong between them. True time, in ms, is that of the world.
final class FleetWorld {
    /// A process on one of the machines.
    struct Process {
        var node: FleetNode<TimerMachine>
        /// Calls whose answer has not come.
        var awaited: [Int: FleetCall] = [:]
        var frozenUntil: Int64 = 0
        /// The ids of the batch that is under way.
        var offered: [UInt32] = []
        var isListening = false
        /// The configuration that the node has said is that of all nodes.
        var configuration: [UInt8]?
        /// The broker of a node that owns the log and does not handle timers itself.
        var broker: SimulatedTenure?
        /// Whether its broker has ended.
        var isStopped = false
        /// By how much the log's time was ahead of true time, by what the node has heard as a standby; the greatest.
        var heardAhead: Int64?
    }

    /// A machine: it keeps its clocks when its process is replaced.
    struct Machine {
        var process: Process
        var bootOffset: Int64
        var wallOffset: Int64
        /// How fast its clocks go, in thousandths.
        var rate: Int64
        var cutUntil: Int64 = 0
    }

    /// What somebody heard.
    struct Heard {
        var voice: FleetNode<TimerMachine>.Voice
        var trace: UInt64
        /// When it left its process, by true time.
        var at: Int64
        /// Whether the process went on without a pause between its decision and its words.
        var isPrompt: Bool
    }

    private enum Happening {
        case turn(Int)
        case perform(Int, call: FleetCall, number: Int, of: LogOwner, answers: Bool)
        case answer(Int, FleetAnswer, number: Int, of: LogOwner)
        case hint(Int, LogHint)
        case words(Heard)
        case restart(Int, LogOwner)
        case stop(Int, LogOwner)
        case batch
        case fault
    }

    /// Who handles timers during a tenure.
    let timers: TenureTimers
    /// The greatest level that the nodes know.
    static let newestLevel: UInt32 = 3
    static let faultsEnd: Int64 = 40_000
    static let runEnds: Int64 = 60_000

    private(set) var dice: FleetDice
    private(set) var log = SimulatedLog()
    private(set) var machines: [Machine] = []
    private(set) var heard: [Heard] = []
    private(set) var acknowledged: [(id: UInt32, at: Int64)] = []
    private(set) var offeredIDs: [UInt32: Int64] = [:]
    private(set) var keptSnapshots: [LogSnapshot] = []
    /// When each request that writes the head was first made, and by how much the log's time is ahead of true time by what
    /// its node has heard; `nil` if it has not followed the log's time.
    private(set) var made: [HeadWrite: (at: Int64, heardAhead: Int64?)] = [:]
    /// The requests that were carried out with their entries.
    private(set) var appends: [HeadWrite] = []
    private(set) var ends: [FleetEnd: Int] = [:]
    /// How far the rates of clocks are from 1, in thousandths.
    let rateSpread: Int64
    private(set) var problem: String?
    private(set) var now: Int64 = 0
    private var agenda: [(at: Int64, order: Int, what: Happening)] = []
    private var count = 0

    init(seed: UInt64, nodes: Int, timers: TenureTimers) {
        self.timers = timers
        dice = FleetDice(seed: seed)
        rateSpread = dice.happens(300) ? 150 : 5
        for number in 0..<nodes {
            let hours = 3_600_000 as Int64
            machines.append(
                Machine(
                    process: Process(node: node(number)),
                    bootOffset: dice.roll(0...hours * 100), wallOffset: dice.roll(0...hours * 6),
                    rate: dice.roll(1000 - rateSpread...1000 + rateSpread)))
            add(.turn(number), after: dice.roll(1...50))
        }
        add(.batch, after: 500)
        add(.fault, after: 2000)
    }

    // MARK: - The run

    /// Runs to the end.
    func run() {
        while problem == nil, !agenda.isEmpty {
            let next = agenda.removeFirst()
            now = next.at
            guard now < Self.runEnds else { return }
            if log.endClaim(at: now) { tell(.claimEnded) }
            happen(next.what)
        }
    }

    private func happen(_ what: Happening) {
        switch what {
        case .turn(let number):
            defer { add(.turn(number), after: dice.roll(20...60)) }
            guard !isFrozen(number) else { return }
            perform(machines[number].process.node.turn(at: moment(of: number)), on: number)
        case .perform(let number, let call, let id, let owner, let answers):
            perform(call, number: id, from: number, of: owner, answers: answers)
        case .answer(let number, let answer, let id, let owner):
            guard machines[number].process.node.identity == owner else { return }
            guard !isFrozen(number) else {
                return add(what, after: machines[number].process.frozenUntil - now + dice.roll(0...5))
            }
            guard let call = machines[number].process.awaited.removeValue(forKey: id) else { return }
            inform(number) { $0.receive(answer, to: call, at: $1) }
        case .hint(let number, let hint):
            guard !isFrozen(number) else { return }
            inform(number) { $0.receive(hint, at: $1) }
        case .words(let words):
            heard.append(words)
        case .restart(let number, let owner):
            guard machines[number].process.node.identity == owner else { return }
            restart(number)
        case .stop(let number, let owner):
            guard machines[number].process.node.identity == owner else { return }
            guard !isFrozen(number) else { return add(what, after: machines[number].process.frozenUntil - now) }
            handOver(number)
        case .batch:
            // Nobody pauses when it is judged whether what is offered is acknowledged.
            let pauses = dice.happens(30) && now < Self.runEnds - 16_000
            defer { add(.batch, after: pauses ? dice.roll(1000...6000) : dice.roll(20...300)) }
            offerBatch()
        case .fault:
            defer { add(.fault, after: dice.roll(300...5000)) }
            if now < Self.faultsEnd { bringFault() }
        }
    }

    private func add(_ what: Happening, after delay: Int64) {
        count += 1
        let at = now + max(0, delay)
        var place = agenda.count
        while place > 0, agenda[place - 1].at > at { place -= 1 }
        agenda.insert((at, count, what), at: place)
    }

    // MARK: - Processes

    func moment(of number: Int) -> FleetMoment {
        let machine = machines[number]
        let own = now * machine.rate / 1000
        return FleetMoment(boot: own + machine.bootOffset, wall: own + machine.wallOffset + 2_000_000)
    }

    private func isFrozen(_ number: Int) -> Bool { now < machines[number].process.frozenUntil }

    /// Freezes a process, and never shortens a pause: what it was about to say comes when it ends.
    private func freeze(_ number: Int, for pause: Int64) {
        machines[number].process.frozenUntil = max(machines[number].process.frozenUntil, now + pause)
    }

    private func identity() -> LogOwner { LogOwner(high: dice.next(), low: dice.next()) }

    private func restart(_ number: Int) {
        machines[number].process = Process(node: node(number))
    }

    private func node(_ number: Int) -> FleetNode<TimerMachine> {
        FleetNode(identity(), rank: number, timers: timers, snapshotEntries: 12, newestLevel: Self.newestLevel)
    }

    /// Tells a node what has happened to the log, and carries out what it wants then.
    private func inform(_ number: Int, _ body: (inout FleetNode<TimerMachine>, FleetMoment) -> [FleetEffect]) {
        let before = machines[number].process.node.estimate.latest
        let effects = body(&machines[number].process.node, moment(of: number))
        if let before, let latest = machines[number].process.node.estimate.latest, latest > before {
            machines[number].process.heardAhead = max(machines[number].process.heardAhead ?? .min, latest - now)
        }
        perform(effects, on: number)
    }

    private func perform(_ effects: [FleetEffect], on number: Int) {
        for effect in effects {
            switch effect {
            case .call(let call): send(call, from: number)
            case .listen(let listens): machines[number].process.isListening = listens
            case .configure(let configuration): machines[number].process.configuration = configuration
            case .stopBroker: add(.stop(number, machines[number].process.node.identity), after: dice.roll(0...500))
            case .committed(let index):
                machines[number].process.broker?.apply(index)
                acknowledged += machines[number].process.offered.map { ($0, now) }
                machines[number].process.offered = []
            case .end(let reason):
                ends[reason, default: 0] += 1
                if reason != .overtaken, reason != .handedOver {
                    problem = "at \(now): node \(number) ends: \(reason)"
                }
                add(.restart(number, machines[number].process.node.identity), after: 200)
            }
        }
        if timers == .ofBroker { runBroker(number) }
        speak(number)
    }

    /// Lets the broker of a node begin, or handle its timers and ask for a later horizon.
    private func runBroker(_ number: Int) {
        let now = moment(of: number)
        var node: FleetNode<TimerMachine> {
            get { machines[number].process.node }
            set { machines[number].process.node = newValue }
        }
        if let start = node.takeStart(at: now), !machines[number].process.isStopped {
            machines[number].process.broker = SimulatedTenure(
                start.state, index: start.index, at: start.begins, ahead: start.time - start.boot)
        }
        guard node.isConfirmed(at: now), let horizon = node.horizon,
            let wanted = machines[number].process.broker?.handleTimers(at: now.boot, until: horizon),
            node.canAppend(at: now)
        else { return }
        perform(node.reserve(from: wanted.clock, handled: wanted.handled, at: now), on: number)
    }

    /// Asks a node to hand over. Its broker says until when it has handled timers.
    private func handOver(_ number: Int) {
        let handled = machines[number].process.broker?.handled ?? 0
        // It has ended when the node hands over, and none begins any more.
        machines[number].process.broker = nil
        machines[number].process.isStopped = true
        perform(machines[number].process.node.handOver(handled: handled, at: moment(of: number)), on: number)
    }

    private func speak(_ number: Int) {
        let node = machines[number].process.node
        var words: Heard
        if timers == .ofBroker {
            // A broker goes on while a batch is under way.
            guard node.isConfirmed(at: moment(of: number)), let broker = machines[number].process.broker else { return }
            words = Heard(
                voice: .init(epoch: node.replica.epoch, index: broker.index, time: broker.handled),
                trace: broker.state.trace, at: now, isPrompt: true)
        } else {
            guard let voice = node.voice(at: moment(of: number)) else { return }
            words = Heard(voice: voice, trace: node.replica.state.trace, at: now, isPrompt: true)
        }
        if isFaulty, !isFrozen(number), dice.happens(3) {
            // Frozen between its decision and its words.
            let pause = dice.roll(100...8000)
            freeze(number, for: pause)
            words.at = now + pause
            words.isPrompt = false
            add(.words(words), after: pause)
        } else {
            heard.append(words)
        }
    }

    private func offerBatch() {
        for number in machines.indices where !isFrozen(number) && machines[number].process.isListening {
            guard machines[number].process.node.canAppend(at: moment(of: number)) else { continue }
            let timers = (0..<dice.roll(1...3)).map { _ in
                let id = UInt32(offeredIDs.count + 1)
                offeredIDs[id] = now
                return TimerMachine.Timer(id: id, due: dice.roll(0...9000))
            }
            machines[number].process.offered = timers.map(\.id)
            append(TimerMachine.bytes(of: timers), on: number)
        }
    }

    private func append(_ commands: [UInt8], on number: Int) {
        let now = moment(of: number)
        guard timers == .ofBroker else {
            return perform(machines[number].process.node.append(commands, at: now), on: number)
        }
        guard let time = machines[number].process.broker?.begin(commands, at: now.boot) else { return }
        guard let effects = machines[number].process.node.append(commands, of: time, at: now) else {
            problem = "at \(self.now): a batch of the broker of node \(number) is too early: \(time)"
            return
        }
        perform(effects, on: number)
    }

    // MARK: - The network between

    private var isFaulty: Bool { now < Self.faultsEnd }

    private func send(_ call: FleetCall, from number: Int) {
        count += 1
        let id = count
        let owner = machines[number].process.node.identity
        machines[number].process.awaited[id] = call
        if case .write(let write) = call, made[write] == nil {
            made[write] = (now, machines[number].process.heardAhead)
        }
        if case .keep(let snapshot) = call { keptSnapshots.append(snapshot) }
        let traffic = LogTraffic(isFaulty: isFaulty)
        for delivery in traffic.deliveries(isCut: now < machines[number].cutUntil, &dice) {
            switch delivery {
            case .call(let delay, let answers):
                add(.perform(number, call: call, number: id, of: owner, answers: answers), after: delay)
            case .unknown(let deadline): add(.answer(number, .unknown, number: id, of: owner), after: deadline)
            }
        }
    }

    private func perform(_ call: FleetCall, number id: Int, from number: Int, of owner: LogOwner, answers: Bool) {
        let (before, isClaimed) = (log.head, log.claim != nil)
        let traffic = LogTraffic(isFaulty: isFaulty)
        var answer = log.perform(call, of: owner, at: now, lease: traffic.lease(&dice))
        if log.head != before {
            tell(.head(log.head))
            if let entry = log.history.last, entry.index > before.index {
                tell(.entry(entry))
                if case .write(let write) = call { appends.append(write) }
            }
            if traffic.hidesSuccess(&dice) { answer = .unknown }
        }
        if isClaimed, log.claim == nil { tell(.claimEnded) }
        guard answers, now >= machines[number].cutUntil else { return }
        add(.answer(number, answer, number: id, of: owner), after: dice.roll(1...12))
    }

    private func tell(_ hint: LogHint) {
        for number in machines.indices where now >= machines[number].cutUntil {
            for delay in LogTraffic(isFaulty: isFaulty).hintDelays(&dice) { add(.hint(number, hint), after: delay) }
        }
    }

    private func bringFault() {
        let number = Int(dice.roll(0...Int64(machines.count - 1)))
        switch dice.roll(0...8) {
        case 0, 1: freeze(number, for: dice.roll(100...10_000))
        case 2: restart(number)
        case 3: machines[number].cutUntil = now + dice.roll(100...10_000)
        case 4: log.claimEnds = now + dice.roll(0...8000)
        case 5:
            log.orders.handOver = log.head.epoch
            tell(.ordersChanged)
        case 6:
            // Also a level that no node knows, which is never taken.
            log.orders.level = UInt32(dice.roll(1...Int64(Self.newestLevel) + 1))
            tell(.ordersChanged)
        case 7:
            log.orders.configuration = dice.happens(200) ? nil : [UInt8(dice.roll(0...255))]
            tell(.ordersChanged)
        default:
            guard !isFrozen(number) else { return }
            handOver(number)
        }
    }
}
