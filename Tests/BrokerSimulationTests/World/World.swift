@testable import PopupBroker
import PopupJournal
import PopupProtocol
import PopupScheduling
import Synchronization

/// The broker's process, its disk, its network and its clients under one clock, in one thread: a script gives the same
/// run on any machine.
///
///     safety:    the script, with all of its faults; every turn is checked
///     liveness:  faults stop; everybody converges, then everything ends
final class World {
    enum Occasion {
        case item(Int)
        case arrival(client: String, frames: [[UInt8]])
        case delivery(client: String, SimulatedTransport.Message)
        case read(client: String)
        case wake(client: String)
        case heal(client: String)
        case kill(epoch: UInt64)
        case start
        case keep(JournalSnapshot, epoch: UInt64)
        case diskHasRoom
        /// The broker's thread gets time again.
        case run
    }

    /// More turns in one instant are none that end.
    private static let maxTurns = 10_000

    let script: Script
    let setting: Setting
    let journal: SimulatedJournal
    let audit: Audit
    let producers: [any SimulatedSender]
    let renderers: [SimulatedRenderer]
    let admin: SimulatedConsole
    var network: SimulatedNetwork
    var agenda = Agenda<Occasion>()
    /// Since the run began.
    var time: Milliseconds = 0
    /// What the wall clock is ahead of `time`.
    var anchor: Milliseconds
    /// By how much the wall clock was set since the process began, which goes on by the time that passes.
    private var wallClockLead: Milliseconds = 0
    var broker: SimulatedBroker?
    private var stalledUntil: Milliseconds = 0
    private var policies: [WireSetPolicy] = []
    private var crash = (down: Milliseconds(0), clock: Milliseconds(0), isMachine: false)
    private var fullUntil: Milliseconds = 0
    private var starts = 0

    /// - Parameter hasPlugins: Plugins may take part.
    init(_ script: Script, hasPlugins: Bool = true) {
        self.script = script
        setting = Setting(seed: script.seed, hasPlugins: hasPlugins)
        audit = Audit(setting)
        journal = SimulatedJournal(setting.durability, seed: script.seed)
        anchor = setting.beginning
        let seed = script.seed
        let setting = setting
        producers = setting.producers.indices.map { number -> any SimulatedSender in
            let (name, handwriting) = (setting.producers[number], [Handwriting.binary, .json][number])
            guard setting.isNumbering[number] else { return SimulatedProducer(name: name, handwriting: handwriting) }
            return NumberingProducer(
                name: name, number: number, handwriting: handwriting, window: setting.window,
                firstPause: setting.firstPause)
        }
        let screens: [(WireEncoding, [String])] = [(.binary, ["*"]), (.json, ["a"]), (.binary, ["g", "a/b"])]
        let staleAfter = setting.isRefreshing ? 5 * Setting.refreshInterval / 2 : 12_000
        renderers = zip(setting.renderers, screens).compactMap {
            try? SimulatedRenderer(name: $0, seed: seed, encoding: $1.0, groups: $1.1, staleAfter: staleAfter)
        }
        admin = SimulatedConsole(name: setting.admin)
        network = SimulatedNetwork(seed: seed, clients: setting.clients, queueLimit: 12)
    }

    /// Plays the script to its end, then lets everything come to rest.
    ///
    /// - Returns: What was wrong first.
    func run() -> Failure? {
        do {
            try safety()
            try converge()
            try drain()
            return nil
        } catch let failure as Failure {
            return failure
        } catch {
            return Failure(check: "the broker goes on", detail: "\(error)")
        }
    }

    private func safety() throws {
        for (index, item) in script.items.enumerated() { agenda.add(.item(index), at: item.at) }
        for renderer in renderers { agenda.add(.wake(client: renderer.name), at: 0) }
        journal.onCommit = { [unowned self] in audit.note($0) }
        journal.onRefusal = { [unowned self] in audit.noteRefusedBatch() }
        try start()
        try go(until: (script.items.map(\.at).max() ?? 0) + 10)
        // What waits for its time still is due soon: the last weather, the last restart.
    }

    /// Lets time go on.
    func go(until end: Milliseconds) throws {
        var rounds = 0
        while true {
            let next = [agenda.next, nextTurn].compactMap { $0 }.min()
            guard let next, next <= end else { break }
            rounds = next > time ? 0 : rounds + 1
            guard rounds < Self.maxTurns else {
                throw Failure(check: "the broker waits when there is nothing to do", detail: "it wakes again and again")
            }
            time = max(time, next)
            while let occasion = agenda.takeFirst(until: time) { try handle(occasion) }
            try turn()
        }
        time = max(time, end)
        try turn()
    }

    private func handle(_ occasion: Occasion) throws {
        switch occasion {
        case .item(let index): try perform(script.items[index].deed)
        case .arrival(let client, let frames):
            if !network.isCut(client) { broker?.transport.arrive(frames) }
        case .delivery(let name, let message):
            guard !network.isCut(name) else { return }
            let topic = String(decoding: message.topic, as: UTF8.self)
            act(name) { $0.receive(topic, message.body, at: time, &$1) }
        case .wake(let name): act(name) { $0.wake(at: time, &$1) }
        case .read(let client):
            guard let (message, wait) = network.take(client) else { return }
            dispatch(message, to: client)
            if let wait { agenda.add(.read(client: client), at: time + wait) }
        case .heal(let client): connect(client)
        case .kill(let epoch):
            // Where it waits, if no port was called meanwhile.
            if let broker, broker.loop.epoch == epoch, broker.fuse.isArmed { end(broker) }
        case .start: if broker == nil { try start() }
        case .keep(let snapshot, let epoch): try keep(snapshot, epoch: epoch)
        case .diskHasRoom: if time >= fullUntil { journal.isFull = false }
        case .run: break
        }
    }

    // MARK: - The process

    /// The broker's clock.
    var clock: Milliseconds { max(0, time + anchor) }

    func start() throws {
        let fuse = Fuse()
        let transport = SimulatedTransport(
            fuse: fuse, send: { [unowned self] in send($1, to: $0) }, onPublish: { [unowned self] in audit.note($0) },
            onSend: { [unowned self] in audit.note($0, to: $1) },
            onChange: { [unowned self] in audit.note($1, of: $0, to: $2) },
            onTake: { [unowned self] in audit.noteTaken($0) })
        journal.crash()
        journal.fuse = fuse
        var configuration = setting.configuration
        configuration.policies = policies
        starts += 1
        let committer = SimulatedCommitter(setting, journal: journal, process: starts) { [unowned self] in time }
        // What a start catches up with is told while nobody can subscribe yet.
        let plugin = SimulatedPlugin(seed: script.seed) { [unowned self] in
            if self.broker != nil { audit.note(told: $0) }
        }
        let broker: SimulatedBroker
        do {
            broker = try SimulatedBroker(
                configuration, transport: transport, journal: journal, fuse: fuse,
                committer: setting.isCommittingBeside ? committer : nil, plugins: setting.hasPlugin ? [plugin] : [],
                workOfTurn: setting.workOfTurn, at: clock)
        } catch let refusal as CommandRefusal where refusal.reason == .overload {
            // The disk is full. Whoever keeps the process running starts it again.
            return agenda.add(.start, at: time + 500)
        } catch is DiskIsFull {
            return agenda.add(.start, at: time + 500)
        }
        try checkDisk()
        audit.begin(broker, recordedTime: journal.recordedTime)
        if setting.isAudited { transport.connect("audit", prefixes: Audit.prefixes) }
        for client in clients where !network.isCut(client.name) {
            transport.connect(client.name, prefixes: client.prefixes)
        }
        self.broker = broker
        for client in clients where !network.isCut(client.name) { act(client.name) { $0.connected(at: time, &$1) } }
        audit.mark("start")
        stalledUntil = time
        try turn()
    }

    private func end(_ broker: SimulatedBroker) {
        broker.fuse.burn()
        audit.mark("crash \(broker.fuse.place)")
        self.broker = nil
        if crash.isMachine { failMachine() }
        anchor += crash.clock + wallClockLead
        wallClockLead = 0
        agenda.add(.start, at: time + crash.down)
    }

    /// When the broker's thread wakes by itself.
    private var nextTurn: Milliseconds? {
        guard let broker else { return nil }
        if broker.transport.isPending, !broker.loop.isBackPressured { return max(time, stalledUntil) }
        let due = broker.loop.nextDeadline.map { time + max(0, $0 - clock) }
        return [broker.committer?.endsAt, due].compactMap(\.self).min().map { max(time, $0, stalledUntil) }
    }

    /// What the broker's thread does when it wakes.
    func turn() throws {
        guard let broker, time >= stalledUntil else { return }
        for _ in 0..<Self.maxTurns {
            let hasMore = try during(broker) { loop in
                loop.recordWallClock(ahead: wallClockLead)
                return try loop.turn(at: clock)
            }
            guard hasMore == true else { return try rest() }
        }
        throw Failure(check: "the broker waits when there is nothing to do", detail: "at \(time)")
    }

    /// The broker has nothing to do at this time, if its process is still there.
    private func rest() throws {
        if let broker { audit.rest(broker) }
        if let failure = audit.failure { throw failure }
    }

    /// Lets the broker do something, checks what came of it, and takes it away when its process has ended.
    ///
    /// - Returns: `nil` when it has.
    @discardableResult
    func during<Result>(_ broker: SimulatedBroker, _ body: (inout BrokerLoop) throws -> Result) throws -> Result? {
        audit.mark("turn")
        var result: Result?
        do { result = try body(&broker.loop) } catch is Crash {}
        if !broker.fuse.isBurnt { audit.settle(broker) } else if self.broker != nil { end(broker) }
        if let failure = audit.failure { throw failure }
        guard !broker.fuse.isBurnt else { return nil }
        if let due = broker.loop.state.scheduler.nextDeadline, let wake = broker.loop.nextDeadline,
            wake - clock > max(0, due - broker.loop.now)
        {
            throw Failure(check: "the broker wakes when something is due", detail: "in \(wake - clock) ms")
        }
        // What is due by then is told while it is in flight: no timer is later by more than a commit.
        if let timeInFlight = broker.loop.timeInFlight,
            let due = broker.loop.state.scheduler.nextDeadline, due <= timeInFlight,
            broker.loop.nextDeadline == nil
        {
            throw Failure(check: "a timer is late by one commit at most", detail: "in \(timeInFlight - due) ms")
        }
        return result
    }

    private func end(
        _ broker: SimulatedBroker, at point: CrashPoint, down: Milliseconds, clock: Milliseconds, isMachine: Bool
    ) {
        crash = (down, clock, isMachine)
        broker.fuse.arm(point)
        agenda.add(.kill(epoch: broker.loop.epoch), at: time + 1000)
    }

    // MARK: - The script

    private func perform(_ deed: Deed) throws {
        switch deed {
        case .send(let client, let commands):
            if let producer = producers.first(where: { $0.name == client }) {
                act(client) { producer.send(commands, at: time, &$1) }
            } else {
                emit(Handwriting.withTopic.frames(commands), from: client)
            }
        case .sendNonsense(let client, let bytes):
            emit([UInt8](repeating: 0, count: bytes.count % 3 + 1).map { _ in bytes }, from: client)
        case .perform(let command): try call(command)
        case .reconfigure(let policies):
            self.policies = policies
            var configuration = setting.configuration
            configuration.policies = policies
            guard let broker, time >= stalledUntil, try during(broker, { try $0.drain() }) != nil else { return }
            try during(broker) { loop in
                do { try loop.reconfigure(configuration, timeZones: SimulatedBroker.timeZones) } catch let refusal
                    as CommandRefusal
                {
                    guard refusal.reason == .overload else { throw refusal }
                }
            }
        case .crash(let point, let down, let clock):
            guard let broker else { return }
            end(broker, at: point, down: down, clock: clock, isMachine: false)
        case .failMachine(let point, let down, let clock):
            guard let broker else { return }
            end(broker, at: point, down: down, clock: clock, isMachine: true)
        case .snapshot(let duration): try makeSnapshot(taking: duration)
        case .damageSnapshot: if journal.damageSnapshot() { audit.mark("snapshot damaged") }
        case .fillDisk(let duration):
            journal.isFull = true
            fullUntil = max(fullUntil, time + duration)
            agenda.add(.diskHasRoom, at: fullUntil)
        case .contradict(let name):
            guard let producer = producers.first(where: { $0.name == name }) as? NumberingProducer else { return }
            act(name) { _, hand in
                guard let sequence = producer.contradict(at: time, &hand) else { return }
                audit.noteContradiction(of: sequence, by: producer.id)
            }
        case .startAgain(let name):
            guard let producer = producers.first(where: { $0.name == name }) as? NumberingProducer else { return }
            act(name) { producer.startAgain(at: time, &$1) }
            if !network.isCut(name) { connect(name) }
        case .failCommits(let count): journal.failures = count
        case .stall(let duration):
            stalledUntil = max(stalledUntil, time + duration)
            agenda.add(.run, at: stalledUntil)
        case .jump(let duration): anchor += duration
        case .setWallClock(let change):
            wallClockLead += change
            audit.mark("wall clock set")
            agenda.add(.run, at: time)
        case .weather(let client, let direction, let weather):
            set(weather, for: client, direction)
        case .cut(let client, let duration):
            network.cut(client)
            broker?.transport.disconnect(client)
            agenda.add(.heal(client: client), at: time + duration)
        }
    }

    /// A call from another thread of the process.
    func call(_ command: WireCommand) throws {
        guard let broker, time >= stalledUntil else { return }
        // At a time of its own.
        guard try during(broker, { try $0.drain() }) != nil else { return }
        audit.noteCall(command)
        try during(broker) {
            let answers = Atomic(0)
            try $0.perform(command, at: clock) { _ in answers.wrappingAdd(1, ordering: .relaxed) }
            guard answers.load(ordering: .relaxed) == 1 || broker.fuse.isBurnt else {
                throw Failure(check: "calls are answered", detail: "\(command)")
            }
        }
    }

    // MARK: - The network

    var clients: [any SimulatedClient] {
        producers.map { $0 as any SimulatedClient } + renderers.map { $0 as any SimulatedClient } + [admin]
    }

    /// A new connection: what was on its way is gone, the subscriptions are told again.
    func connect(_ name: String) {
        network.cut(name)
        network.heal(name)
        broker?.transport.disconnect(name)
        guard let client = clients.first(where: { $0.name == name }) else { return }
        guard let broker else { return }
        broker.transport.connect(name, prefixes: client.prefixes)
        act(name) { $0.connected(at: time, &$1) }
    }

    func set(_ weather: Weather, for client: String, _ direction: Direction) {
        network.set(weather, for: client, direction)
        // What waits for a reader that had stopped is read.
        if weather == .calm { agenda.add(.read(client: client), at: time) }
    }

    func act(_ name: String, _ body: (any SimulatedClient, inout Hand) -> Void) {
        guard let client = clients.first(where: { $0.name == name }) else { return }
        var hand = Hand()
        body(client, &hand)
        for message in hand.messages { emit(message, from: name) }
        for alarm in hand.alarms { agenda.add(.wake(client: name), at: max(time, alarm)) }
        for (topic, isSubscription) in hand.subscriptions where !network.isCut(name) {
            broker?.transport.tell(name, topic, isSubscription: isSubscription)
        }
    }

    func emit(_ frames: [[UInt8]], from client: String) {
        for delay in network.delays(client, .up) {
            agenda.add(.arrival(client: client, frames: frames), at: time + delay)
        }
    }

    private func send(_ message: SimulatedTransport.Message, to client: String) {
        let queued = network.queues(message, for: client)
        if !queued.isQueued { dispatch(message, to: client) }
        if let wait = queued.wait { agenda.add(.read(client: client), at: time + wait) }
    }

    private func dispatch(_ message: SimulatedTransport.Message, to client: String) {
        for delay in network.delays(client, .down) {
            agenda.add(.delivery(client: client, message), at: time + delay)
        }
    }

    func endStall() { stalledUntil = time }
}
