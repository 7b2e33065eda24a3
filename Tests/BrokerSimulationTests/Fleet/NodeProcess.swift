@testable import FleetBroker
import FleetState
import Logging
@testable import PopupBroker
import PopupFleet
import PopupJournal
import PopupProtocol
import PopupScheduling
import Synchronization

/// The clocks of a machine, as its processes read them.
final class MachineClock: Sendable {
    private let present = Mutex(FleetMoment(boot: 0, wall: 0))

    var moment: FleetMoment {
        get { present.withLock { $0 } }
        set { present.withLock { $0 = newValue } }
    }
}

/// The wish that a broker's thread wakes. Anybody may have it.
final class Bell: Sendable {
    private let isRung = Atomic<Bool>(false)

    func ring() { isRung.store(true, ordering: .relaxed) }

    /// Returns whether it was rung since it was asked last.
    func take() -> Bool { isRung.exchange(false, ordering: .relaxed) }
}

/// The loop of a broker that owns the log, in the real runner.
final class RunningBroker {
    var runner: LoopRunner

    init(_ runner: consuming LoopRunner) { self.runner = runner }

    /// The states that it would publish, one for each group, without what differs between two publications.
    var states: [WireGroupState] { runner.loop.lastingStates }
}

/// One process of a fleet: the real node, and the real broker beside it, at simulated ports. What takes time is the fleet's
/// business.
final class NodeProcess {
    /// What the broker of the process does.
    enum Phase {
        /// It waits until the node owns the log.
        case standby
        /// It owns the log.
        case owner(RunningBroker)
        case ended
    }

    /// The machine on which it runs.
    let machine: Int
    /// Tells it from the processes before it.
    let number: Int
    let clock: MachineClock
    var node: FleetNode<BrokerReplica>
    let proof: TenureProof
    let beginning = TenureBeginning()
    private var hasBegun = false
    var requests = BrokerRequests()
    var watch = BrokerWatch()
    /// Calls whose answer has not come.
    var awaited: [Int: FleetCall] = [:]

    var phase = Phase.standby
    let transport: SimulatedTransport
    let fuse: Fuse
    let mailbox: BrokerMailbox
    var standby: StandbySubscribers
    /// Whether the node has been asked to append the broker's batch.
    var isAppending = false
    /// Whether the broker has handed a batch in whose outcome it has not taken.
    var isSubmitted = false
    /// The outcome of that batch, when it is known.
    var outcome: BatchOutcome?
    /// Whether the ingress is subscribed: clients send to it.
    var isListening = false

    /// Whether it is gone.
    var isDead = false
    /// Why its node has ended.
    var end: FleetEnd?
    /// Whether the broker's thread waits in a call.
    var isBlocked = false
    var frozenUntil: Milliseconds = 0
    /// The same for the broker's thread alone.
    var brokerFrozenUntil: Milliseconds = 0
    /// When the broker's thread wakes.
    var brokerDue: Milliseconds?
    let bell = Bell()
    /// The process freezes before so many more messages leave, and for how long.
    var freeze: (after: Int, pause: Milliseconds)?
    /// By how much what it says now is late, since it was frozen after it had decided to say it.
    var wordsDelay: Milliseconds = 0

    init(machine: Int, number: Int, _ identity: LogOwner, clock: MachineClock, of fleet: SimulatedFleet) {
        self.machine = machine
        self.number = number
        self.clock = clock
        let fuse = Fuse()
        self.fuse = fuse
        let proof = TenureProof { clock.moment }
        self.proof = proof
        proof.notify { [bell] in bell.ring() }
        node = FleetNode(identity, rank: machine, timers: .ofBroker, snapshotEntries: fleet.snapshotEntries)
        let mouth = Mouth()
        transport = SimulatedTransport(
            fuse: fuse,
            send: { [unowned fleet] client, message in
                if let process = mouth.process { fleet.send(message, by: process, to: client) }
            },
            onPublish: { [unowned fleet] message in
                if let process = mouth.process { fleet.note(message, of: process) }
            },
            maySend: { proof.standing == .held })
        mailbox = BrokerMailbox(capacity: fleet.configuration.limits.pendingCalls) { [bell] in bell.ring() }
        standby = StandbySubscribers(fleet.configuration, transport: transport, logger: Self.logger)
        mouth.process = self
    }

    deinit {
        // Whoever waits for them is told, as when a process ends.
        if !hasBegun { beginning.set(nil) }
        proof.end()
    }

    /// The node owns the log.
    func begin(_ start: TenureStart) {
        hasBegun = true
        beginning.set(start)
    }

    /// Whoever says what leaves the transport.
    private final class Mouth {
        weak var process: NodeProcess?
    }

    static var logger: Logger { Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() } }

    /// The moment by the clocks of its machine.
    var moment: FleetMoment { clock.moment }

    /// The loop, if it owns the log.
    var owner: RunningBroker? { if case .owner(let broker) = phase { broker } else { nil } }

    /// Whether it owns the log, has proved it, and its broker runs.
    var isSpeaking: Bool { owner != nil && proof.standing == .held }
}

/// The ports of a broker to the node of its process.
final class SimulatedNode: BrokerNode {
    private let process: NodeProcess
    private unowned let fleet: SimulatedFleet

    init(_ process: NodeProcess, _ fleet: SimulatedFleet) {
        self.process = process
        self.fleet = fleet
    }

    func takeStart() -> TenureStart? { process.beginning.take() }

    func commit(_ commands: [UInt8], of time: Int64) -> BatchOutcome {
        guard !process.fuse.isBurnt else { return .unknown }
        if !process.isSubmitted { submit(commands, of: time) }
        fleet.block(process) { process in process.outcome == nil }
        defer {
            process.outcome = nil
            process.isSubmitted = false
        }
        return process.outcome ?? .unknown
    }

    /// Hands a batch in.
    func submit(_ commands: [UInt8], of time: Int64) {
        process.isSubmitted = true
        process.outcome = nil
        fleet.hop(.append(commands, of: time), to: process)
    }

    /// As in etcd.
    let maxBatchBytes = 1 << 20

    var horizon: Int64 { process.proof.horizon }

    func reserve(from clock: Int64, handled: Int64) {
        fleet.hop(.reserve(from: clock, handled: handled), to: process)
    }

    func handOver(handled time: Int64) {
        guard !process.fuse.isBurnt else { return }
        fleet.hop(.handOver(handled: time), to: process)
        let patience = fleet.now + 5000
        fleet.block(process, until: patience) { process in process.end == nil }
    }
}

/// Commits of a broker that owns the log: they take as long as the node needs.
final class NodeCommitter: Committer {
    private let process: NodeProcess
    private let port: SimulatedNode
    private let journal: FleetJournal
    private unowned let fleet: SimulatedFleet
    private var job: (log: CommandLog, time: Milliseconds)?

    init(_ process: NodeProcess, _ port: SimulatedNode, _ journal: FleetJournal, _ fleet: SimulatedFleet) {
        self.process = process
        self.port = port
        self.journal = journal
        self.fleet = fleet
    }

    /// As with a network: the loop never waits.
    let leastEntries = 1

    var isDone: Bool { job != nil && process.outcome != nil }

    func commit(_ log: borrowing CommandLog, at time: Milliseconds) throws -> Commit {
        try Commit(log, to: journal, at: time)
    }

    func begin(_ log: consuming CommandLog, at time: Milliseconds) {
        precondition(job == nil, "one batch at a time")
        port.submit(log.bytes, of: time)
        job = (log, time)
    }

    func takeOutcome() -> CommitOutcome? {
        guard isDone, let (log, time) = job.take() else { return nil }
        let journal = journal
        return CommitOutcome(log: log, result: Result { try Commit(log, to: journal, at: time) })
    }

    func wait() { fleet.block(process) { [self] _ in job != nil && !isDone } }

    /// The real one waits for a moment: the fleet lets time pass between two turns.
    func wait(milliseconds: Int) {}

    func stop() {}
}
