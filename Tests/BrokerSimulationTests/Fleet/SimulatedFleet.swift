import FleetBroker
import FleetState
@testable import PopupBroker
@testable import PopupClient
import PopupFleet
import PopupJournal
import PopupProtocol
import PopupScheduling
import SimulatedLogs
import SwiftProtobuf

/// The processes of a fleet, their log, their clients, and all that can go wrong between them, under one clock and in one
/// thread. True time, in ms, is that of the fleet.
///
///     clients ◀──network──▶ broker ──batch──▶ node ◀──traffic──▶ log
///                           └───── one process ─────┘
final class SimulatedFleet {
    /// A machine: it keeps its clocks when its process is replaced.
    struct Machine {
        var process: NodeProcess
        let clock: MachineClock
        let bootOffset: Int64
        /// The wall clock's distance from true time, which is set now and then.
        var wallOffset: Int64
        /// How fast its clocks go, in thousandths.
        let rate: Int64
        /// Until when it does not reach the log.
        var cutUntil: Milliseconds = 0
    }

    /// A request of a broker on its way to the node beside it.
    enum Request {
        case append([UInt8], of: Int64)
        case reserve(from: Int64, handled: Int64)
        case handOver(handled: Int64)
        /// The broker is to stop, as an operator or the service manager asks.
        case stop
    }

    enum Occasion {
        case turn(NodeProcess)
        case broker(NodeProcess)
        case request(NodeProcess, Request)
        case perform(NodeProcess, FleetCall, number: Int, answers: Bool)
        case answer(NodeProcess, FleetAnswer, number: Int)
        case hint(NodeProcess, LogHint)
        case exit(NodeProcess)
        case start(machine: Int)

        case connect(machine: Int, client: String)
        case arrival(NodeProcess, client: String, frames: [[UInt8]])
        case delivery(machine: Int, client: String, SimulatedTransport.Message)
        case read(machine: Int, client: String)
        case wake(client: String)
        case send(client: String, [WireCommand])
        case calm(machine: Int, client: String)
        case fault
        /// Nothing goes wrong any more.
        case healAll
    }

    /// A message that left a process.
    struct Heard {
        var process: Int
        var message: SimulatedTransport.Message
        /// When it left, by true time.
        var at: Milliseconds
        /// Whether the process went on without a pause between its decision and its words.
        var isPrompt: Bool
        /// The number of entries that were in the log when it was decided, and the greatest horizon.
        var entries: UInt64
        var horizon: Int64
    }

    static let faultsEnd: Milliseconds = 28_000
    static let runEnds: Milliseconds = 58_000
    static let producers = ["p1", "p2"]
    static let renderers = ["r1", "r2", "r3"]
    static let screens = ["s1", "s2"]
    static let admin = "c1"

    let configuration: BrokerConfiguration
    private let beginning: Milliseconds
    /// How far the rates of clocks are from 1, in thousandths.
    let rateSpread: Int64
    let snapshotEntries: Int

    var dice: FleetDice
    private(set) var log = SimulatedLog()
    private(set) var maxHorizon: Int64 = 0
    var machines: [Machine] = []
    var network: SimulatedNetwork
    private var agenda = Agenda<Occasion>()
    private(set) var now: Milliseconds = 0
    private var count = 0
    /// When time stands still.
    private var limit: Milliseconds = 0

    let senders: [NumberingProducer]
    let followers: [SimulatedRenderer]
    let watchers: [SimulatedScreen]
    let clients: [any SimulatedClient]
    var newest: [String: NewestEpoch] = [:]

    private(set) var heard: [Heard] = []
    private(set) var keptSnapshots: [LogSnapshot] = []
    var acknowledgements = FleetAcknowledgements()
    /// What happened, and how often: a run in which nothing happens finds nothing.
    var marks: [String: Int] = [:]
    /// What happened, in words.
    private(set) var story: [String] = []
    /// The first thing that was wrong.
    private(set) var failure: Failure?

    init(seed: UInt64, nodes: Int) throws {
        dice = FleetDice(seed: seed)
        rateSpread = dice.happens(300) ? 100 : 5
        snapshotEntries = Int(dice.roll(12...60))
        let setting = Setting(seed: seed, hasPlugins: false)
        beginning = setting.beginning
        var configuration = BrokerConfiguration()
        configuration.seed = seed
        configuration.hashSeed = ~seed
        configuration.refreshInterval = Setting.refreshInterval
        configuration.limits.refusalLogLines = 0
        configuration.limits.batchMessages = setting.configuration.limits.batchMessages
        if dice.happens(500) {
            configuration.policies = [
                .with {
                    $0.group = "g"
                    $0.preset = .fifo
                    $0.defaultDurationMs = 2000
                }
            ]
        }
        self.configuration = configuration

        senders = Self.producers.enumerated().map { number, name in
            NumberingProducer(
                name: name, number: number, handwriting: .binary, window: setting.window, firstPause: 250,
                isOfFleet: true)
        }
        let patterns: [(WireEncoding, [String])] = [(.binary, ["*"]), (.json, ["a"]), (.binary, ["g", "a/b"])]
        followers = try zip(Self.renderers, patterns).map {
            try SimulatedRenderer(name: $0, seed: seed, encoding: $1.0, groups: $1.1, staleAfter: 12_000)
        }
        watchers = Self.screens.map { SimulatedScreen(name: $0) }
        let console = SimulatedConsole(name: Self.admin)
        clients =
            (senders as [any SimulatedClient]) + (followers as [any SimulatedClient])
            + (watchers as [any SimulatedClient]) + [console]
        let names = Self.producers + Self.renderers + Self.screens + [Self.admin]
        network = SimulatedNetwork(
            seed: seed, clients: (0..<nodes).flatMap { machine in names.map { "\(machine)/\($0)" } }, queueLimit: 12)
        for name in names { newest[name] = NewestEpoch(isOfFleet: true) }

        let script = Workload.script(of: seed, items: 120)
        for item in script.items {
            let at = item.at + 500
            guard at < Self.faultsEnd else { continue }
            switch item.deed {
            case .send(let client, let commands): agenda.add(.send(client: client, commands), at: at)
            case .perform(let command): agenda.add(.send(client: Self.admin, [command]), at: at)
            default: break
            }
        }

        let hour: Int64 = 3_600_000
        for machine in 0..<nodes {
            let clock = MachineClock()
            machines.append(
                Machine(
                    process: makeProcess(on: machine, clock), clock: clock, bootOffset: dice.roll(0...hour * 100),
                    wallOffset: dice.roll(-hour...hour), rate: dice.roll(1000 - rateSpread...1000 + rateSpread)))
            begin(machines[machine].process)
        }
        for renderer in followers { agenda.add(.wake(client: renderer.name), at: 0) }
        agenda.add(.fault, at: 2000)
        agenda.add(.healAll, at: Self.faultsEnd)
        setClocks()
    }

    // MARK: - The run

    /// Runs to the end.
    func run() {
        goOn(until: Self.runEnds)
        comeToRest()
        if failure == nil { checkHistory() }
    }

    /// Lets time go on. A broker that still waits in a call then gets no answer.
    func goOn(until time: Milliseconds) {
        limit = time
        pass(until: time)
    }

    /// Lets time go on while a condition holds.
    private func pass(until end: Milliseconds, while isGoing: () -> Bool = { true }) {
        while failure == nil, isGoing() {
            guard let next = agenda.next, next <= end else {
                advance(to: end)
                return
            }
            advance(to: next)
            if log.endClaim(at: now) { tell(.claimEnded) }
            if let occasion = agenda.takeFirst(until: now) { handle(occasion) }
            for machine in machines where machine.process.bell.take() { wake(machine.process) }
        }
    }

    private func advance(to time: Milliseconds) {
        guard time > now else { return }
        now = time
        setClocks()
    }

    private func setClocks() {
        for machine in machines {
            let own = now * machine.rate / 1000
            machine.clock.moment = FleetMoment(
                boot: own + machine.bootOffset, wall: own + machine.wallOffset + beginning)
        }
    }

    func add(_ occasion: Occasion, after delay: Milliseconds) { agenda.add(occasion, at: now + max(0, delay)) }

    private func handle(_ occasion: Occasion) {
        switch occasion {
        case .turn(let process):
            guard !process.isDead else { return }
            defer { add(occasion, after: dice.roll(20...60)) }
            guard !isFrozen(process) else { return }
            let waits = process.isSubmitted && process.outcome == nil
            process.watch.look(at: process.proof, of: &process.node, waits: waits, boot: process.moment.boot)
            perform(process.node.turn(at: process.moment), by: process)
        case .broker(let process):
            guard let due = process.brokerDue, due <= now else { return }
            process.brokerDue = nil
            stepBroker(process)
        case .request(let process, let request):
            guard !process.isDead, !wait(for: process, with: occasion) else { return }
            take(request, from: process)
        case .perform(let process, let call, let number, let answers):
            perform(call, number: number, of: process, answers: answers)
        case .answer(let process, let answer, let number):
            guard !process.isDead, !wait(for: process, with: occasion),
                let call = process.awaited.removeValue(forKey: number)
            else { return }
            perform(process.node.receive(answer, to: call, at: process.moment), by: process)
        case .hint(let process, let hint):
            guard !process.isDead, !isFrozen(process) else { return }
            perform(process.node.receive(hint, at: process.moment), by: process)
        case .exit(let process): end(process, down: dice.roll(100...1500))
        case .start(let machine): start(machine)
        case .connect(let machine, let client): connect(machine, client)
        case .arrival(let process, let client, let frames):
            guard !process.isDead, process.isListening, !network.isCut(Self.line(process.machine, client)) else {
                return
            }
            process.transport.arrive(frames)
            wake(process)
        case .delivery(let machine, let client, let message): deliver(message, from: machine, to: client)
        case .read(let machine, let client): read(machine, client)
        case .wake(let client): act(client) { $0.wake(at: now, &$1) }
        case .send(let client, let commands): send(commands, by: client)
        case .calm(let machine, let client): calm(machine, client)
        case .fault:
            guard now < Self.faultsEnd else { return }
            add(.fault, after: dice.roll(300...4000))
            bringFault()
        case .healAll: healAll()
        }
    }

    /// Whether a process is frozen. Then the occasion comes again when it is not.
    private func wait(for process: NodeProcess, with occasion: Occasion) -> Bool {
        guard isFrozen(process) else { return false }
        agenda.add(occasion, at: process.frozenUntil + 1)
        return true
    }

    func isFrozen(_ process: NodeProcess) -> Bool { now < process.frozenUntil }

    var isFaulty: Bool { now < Self.faultsEnd }

    func mark(_ what: String, _ detail: String = "") {
        marks[what, default: 0] += 1
        story.append("\(now): \(what) \(detail)")
    }

    func fail(_ check: String, _ detail: String) {
        failure = failure ?? Failure(check: check, detail: "at \(now): \(detail)")
    }

    func fail(_ failure: Failure) { fail(failure.check, failure.detail) }

    // MARK: - Processes

    private func makeProcess(on machine: Int, _ clock: MachineClock) -> NodeProcess {
        count += 1
        return NodeProcess(
            machine: machine, number: count, LogOwner(high: dice.next(), low: dice.next()), clock: clock, of: self)
    }

    /// Begins the turns of a process, whose clients connect.
    private func begin(_ process: NodeProcess) {
        add(.turn(process), after: dice.roll(1...50))
        wake(process)
        // Somebody follows everything, so that all is published.
        process.transport.connect("audit", prefixes: Audit.prefixes)
        for client in clients {
            add(.connect(machine: process.machine, client: client.name), after: dice.roll(1...150))
        }
    }

    private func start(_ machine: Int) {
        guard machines[machine].process.isDead else { return }
        machines[machine].process = makeProcess(on: machine, machines[machine].clock)
        begin(machines[machine].process)
    }

    /// Ends a process at once, whatever it does.
    func end(_ process: NodeProcess, down: Milliseconds) {
        guard !process.isDead else { return }
        process.isDead = true
        process.isListening = false
        process.fuse.burn()
        if process.isSubmitted { process.outcome = process.outcome ?? .unknown }
        add(.start(machine: process.machine), after: down)
    }

    /// Brings a request of a broker to the node beside it, which is another thread.
    func hop(_ request: Request, to process: NodeProcess) { add(.request(process, request), after: 0) }

    private func take(_ request: Request, from process: NodeProcess) {
        switch request {
        case .append(let commands, let time):
            guard process.end == nil else {
                process.outcome = .unknown
                return wake(process)
            }
            process.requests.append(commands, of: time)
            beginRequests(of: process)
        case .reserve(let clock, let handled):
            process.requests.reserve(from: clock, handled: handled, after: process.node.horizon)
            beginRequests(of: process)
        case .handOver(let handled): perform(process.node.handOver(handled: handled, at: process.moment), by: process)
        case .stop: process.mailbox.stop()
        }
    }

    /// Lets the broker's thread wait in a call while a condition holds, until a time at the latest. The others go on.
    func block(_ process: NodeProcess, until end: Milliseconds? = nil, while waits: (NodeProcess) -> Bool) {
        guard !process.isDead, waits(process) else { return }
        process.isBlocked = true
        pass(until: min(end ?? limit, limit)) { !process.isDead && waits(process) }
        process.isBlocked = false
        wake(process)
    }

    /// Wakes a broker's thread after a time.
    func wake(_ process: NodeProcess, after delay: Milliseconds = 0) {
        let due = now + delay
        guard process.brokerDue.map({ $0 > due }) ?? true else { return }
        process.brokerDue = due
        agenda.add(.broker(process), at: due)
    }

    /// What the broker's thread does when it wakes: what the real program does.
    private func stepBroker(_ process: NodeProcess) {
        guard !process.isDead, !process.isBlocked else { return }
        let frozenUntil = max(process.frozenUntil, process.brokerFrozenUntil)
        guard now >= frozenUntil else { return wake(process, after: frozenUntil - now) }
        do {
            switch process.phase {
            case .standby: try standBy(process)
            case .owner(let broker): try own(process, broker)
            case .ended: break
            }
        } catch is Crash {
            mark("killed at a call")
            end(process, down: dice.roll(0...3000))
        } catch is JournalLost {
            endBroker(process)
        } catch {
            fail("the broker goes on", "\(error)")
        }
        process.wordsDelay = 0
    }

    private func standBy(_ process: NodeProcess) throws {
        if process.mailbox.isStopping || process.proof.standing == .lost { return endBroker(process) }
        guard process.proof.standing == .awaited else { return try beginTenure(process) }
        wake(process, after: try process.standby.receive() ? 1 : 20)
    }

    private func beginTenure(_ process: NodeProcess) throws {
        let port = SimulatedNode(process, self)
        let journal = FleetJournal(port)
        let clock = TenureTime(process.beginning) { [clock = process.clock] in clock.moment }
        let loop = try BrokerLoop.start(
            configuration: configuration, timeZones: SimulatedBroker.timeZones, transport: process.transport,
            journal: journal, plugins: [], logger: NodeProcess.logger,
            committer: NodeCommitter(process, port, journal, self), at: clock.now(),
            wallClockLead: clock.wallClockLead(), standby: process.standby)
        process.isListening = !process.isDead
        process.phase = .owner(
            RunningBroker(
                LoopRunner(
                    loop: loop, transport: process.transport, mailbox: process.mailbox, clock: clock,
                    tenure: process.proof)))
        wake(process)
    }

    private func own(_ process: NodeProcess, _ broker: RunningBroker) throws {
        switch try broker.runner.pass() {
        case .wait(let time):
            try process.transport.wait(milliseconds: time)
            // By the machine's clock, and at least a moment.
            if let time { wake(process, after: max(1, trueTime(Milliseconds(time), of: process))) }
        case .pause: wake(process, after: 10)
        case .continue: wake(process, after: 1)
        case .stop:
            try broker.runner.finish()
            endBroker(process)
        }
    }

    /// Returns how long a time by the clock of a process lasts.
    private func trueTime(_ time: Milliseconds, of process: NodeProcess) -> Milliseconds {
        let rate = machines[process.machine].rate
        return (time * 1000 + rate - 1) / rate
    }

    /// The broker has ended: it has handed over, or lost the log. The program gives the log back if nobody has, and ends.
    private func endBroker(_ process: NodeProcess) {
        process.phase = .ended
        process.isListening = false
        if process.end == nil { hop(.handOver(handled: process.beginning.begins ?? 0), to: process) }
        add(.exit(process), after: process.end == nil ? 10_000 : dice.roll(0...50))
    }

    // MARK: - What nodes want

    /// Does what a node wants, as the real program does.
    private func perform(_ effects: [FleetEffect], by process: NodeProcess) {
        process.proof.record(process.node)
        for effect in effects {
            switch effect {
            case .call(let call): send(call, from: process)
            case .listen, .configure: break
            case .stopBroker: add(.request(process, .stop), after: dice.roll(0...50))
            case .committed(let index):
                process.isAppending = false
                process.outcome = .committed(index: index)
                wake(process)
            case .end(let reason): note(reason, of: process)
            }
        }
        if let start = process.node.takeStart(at: process.moment) {
            mark("take-over", "by \(process.machine).\(process.number), epoch \(start.epoch)")
            process.begin(start)
            wake(process)
        }
        beginRequests(of: process)
    }

    private func note(_ end: FleetEnd, of process: NodeProcess) {
        mark("end \(end)", "of \(process.machine).\(process.number)")
        if end != .overtaken, end != .handedOver { fail("a node ends as it should", "\(process.machine): \(end)") }
        process.end = end
        process.requests.removeAll()
        if process.isSubmitted, process.outcome == nil { process.outcome = .unknown }
        // A broker that hangs does not keep the process.
        add(.exit(process), after: 10_000)
        if case .ended = process.phase { add(.exit(process), after: dice.roll(0...50)) }
        wake(process)
    }

    private func beginRequests(of process: NodeProcess) {
        guard !process.isAppending, process.end == nil else { return }
        switch process.requests.begin(on: &process.node, at: process.moment) {
        case .append(let effects):
            process.isAppending = true
            perform(effects, by: process)
            perform(process.node.applyTold(), by: process)
        case .tooEarly: fail("no batch is earlier than the log has promised", "on \(process.machine)")
        case .reserve(let effects):
            marks["a later horizon", default: 0] += 1
            perform(effects, by: process)
        case nil: break
        }
    }

    // MARK: - The log

    private func send(_ call: FleetCall, from process: NodeProcess) {
        count += 1
        process.awaited[count] = call
        if case .keep(let snapshot) = call { keptSnapshots.append(snapshot) }
        let isCut = now < machines[process.machine].cutUntil
        for delivery in LogTraffic(isFaulty: isFaulty).deliveries(isCut: isCut, &dice) {
            switch delivery {
            case .call(let delay, let answers):
                add(.perform(process, call, number: count, answers: answers), after: delay)
            case .unknown(let deadline): add(.answer(process, .unknown, number: count), after: deadline)
            }
        }
    }

    private func perform(_ call: FleetCall, number: Int, of process: NodeProcess, answers: Bool) {
        let (before, entries, isClaimed) = (log.head, log.history.count, log.claim != nil)
        let traffic = LogTraffic(isFaulty: isFaulty)
        var answer = log.perform(call, of: process.node.identity, at: now, lease: traffic.lease(&dice))
        if log.head != before {
            maxHorizon = max(maxHorizon, log.head.horizon)
            tell(.head(log.head))
            if log.history.count > entries, let entry = log.history.last {
                tell(.entry(entry))
                if let failure = acknowledgements.note(entry) { fail(failure) }
            }
            if traffic.hidesSuccess(&dice) { answer = .unknown }
        }
        if isClaimed, log.claim == nil { tell(.claimEnded) }
        guard answers, now >= machines[process.machine].cutUntil else { return }
        add(.answer(process, answer, number: number), after: dice.roll(1...12))
    }

    func tell(_ hint: LogHint) {
        for machine in machines where now >= machine.cutUntil {
            for delay in LogTraffic(isFaulty: isFaulty).hintDelays(&dice) {
                add(.hint(machine.process, hint), after: delay)
            }
        }
    }

    /// Changes what operators ask for, or when the claim ends.
    func change(_ body: (inout SimulatedLog) -> Void) { body(&log) }

    // MARK: - What is said

    /// A message leaves a process.
    func note(_ message: SimulatedTransport.Message, of process: NodeProcess) {
        if let freeze = process.freeze {
            process.freeze = freeze.after > 0 ? (freeze.after - 1, freeze.pause) : nil
            if freeze.after == 0, isFaulty {
                // It has decided, and asked whether it may speak.
                mark("frozen between decision and words", "\(process.machine) for \(freeze.pause)")
                process.wordsDelay = freeze.pause
                self.freeze(process, for: freeze.pause)
            }
        }
        heard.append(
            Heard(
                process: process.number, message: message, at: now + process.wordsDelay,
                isPrompt: process.wordsDelay == 0, entries: UInt64(log.history.count), horizon: maxHorizon))
        if let failure = acknowledgements.note(message) { fail(failure) }
    }

    /// Freezes a process, and never shortens a pause.
    func freeze(_ process: NodeProcess, for pause: Milliseconds) {
        process.frozenUntil = max(process.frozenUntil, now + pause)
    }
}
