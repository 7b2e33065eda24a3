import PopupJournal
import Testing

@testable import PopupFleet

private func moment(_ boot: Int64, wall: Int64 = 0) -> FleetMoment { FleetMoment(boot: boot, wall: wall) }

private let identity = LogOwner(high: 1, low: 2)
private let other = LogOwner(high: 3, low: 4)
private let emptyHead = LogHead(level: 1, epoch: 5, index: 0, owner: other, time: 1000, horizon: 4000, chain: 0)

/// Returns a node that has taken over at 100 ms by its own clock, 50,000 by the log's.
private func ownerNode(timers: TenureTimers = .ofNode) -> FleetNode<TimerMachine> {
    var node = FleetNode<TimerMachine>(identity, rank: 0, timers: timers)
    node.becomeOwner()
    return node
}

extension FleetNode {
    fileprivate mutating func becomeOwner() {
        let now = moment(100, wall: 50_000)
        _ = turn(at: now)
        _ = receive(.orders(LogOrders()), to: .readOrders, at: now)
        _ = receive(.head(emptyHead), to: .readHead, at: now)
        let effects = receive(.claim(isOwn: true), to: .claim, at: now)
        guard case .call(.write(let write))? = effects.first(where: \.isWrite) else { return }
        _ = receive(.write(.succeeded), to: .call(write), at: now)
    }
}

extension FleetEffect {
    fileprivate var isWrite: Bool {
        if case .call(.write) = self { true } else { false }
    }
}

extension [FleetEffect] {
    fileprivate var hasWrite: Bool { contains { $0.isWrite } }
}

extension FleetCall {
    fileprivate static func call(_ write: HeadWrite) -> FleetCall { .write(write) }
}

private struct NoWrite: Error {}

@Suite struct FleetNodeTests {
    @Test func `a log that is not there ends a node with 66: it is never an empty beginning`() {
        var node = FleetNode<TimerMachine>(identity, rank: 0)
        _ = node.turn(at: moment(0))

        let effects = node.receive(.head(nil), to: .readHead, at: moment(1))

        #expect(effects == [.end(.logIsMissing)])
        #expect(FleetEnd.logIsMissing.exitCode == 66)
    }

    @Test func `a log that cannot be read ends a node with 65, standby or owner`() {
        var standby = FleetNode<TimerMachine>(identity, rank: 0)
        _ = standby.turn(at: moment(0))
        var owner = ownerNode()
        #expect(owner.role == .owner)

        #expect(standby.receive(.unreadable, to: .readHead, at: moment(1)) == [.end(.replicaDiffers)])
        _ = owner.receive(.unreadable, to: .readHead, at: moment(101))

        #expect(owner.role == .ended(.replicaDiffers))
        #expect(owner.failure == "the shared log cannot be read: a record of it is damaged")
        #expect(FleetEnd.replicaDiffers.exitCode == 65)
    }

    @Test func `a broker's batches have the times that it says, but none that the log has promised not to have`() throws
    {
        var node = ownerNode(timers: .ofBroker)
        #expect(node.beginning?.index == 0)
        #expect(node.horizon == 53_000)
        #expect(ownerNode().beginning == nil)
        let batch = TimerMachine.bytes(of: [.init(id: 1, due: 500)])

        #expect(node.append(batch, of: 49_999, at: moment(200)) == nil)
        let effects = node.append(batch, of: 50_100, at: moment(200))
        guard case .call(.write(let write))? = effects?.first(where: \.isWrite) else { throw NoWrite() }
        #expect(write.entry?.time == 50_100)
        #expect(node.append(batch, of: 50_200, at: moment(210)) == [])
        _ = node.receive(.write(.succeeded), to: .call(write), at: moment(220))
        #expect(node.horizon == 53_100)

        // The broker handles timers: the node neither does, nor asks for a later horizon.
        let turns = (0..<40).flatMap { node.turn(at: moment(300 + $0 * 100)) }
        let hasWritten = turns.contains { $0.isWrite }
        #expect(!hasWritten)
        #expect(node.replica.time == 50_100)
    }

    @Test func `a broker moves the horizon on, and hands over at the time until which it has handled timers`() throws {
        var node = ownerNode(timers: .ofBroker)
        guard
            case .call(.write(let advance))? = node.reserve(from: 52_500, handled: 52_500, at: moment(200))
                .first(where: \.isWrite)
        else { throw NoWrite() }
        #expect((advance.purpose, advance.new.time, advance.new.horizon) == (.advance, 52_500, 55_500))
        #expect(node.horizon == 53_000)
        _ = node.receive(.write(.succeeded), to: .call(advance), at: moment(220))
        #expect(node.horizon == 55_500)
        #expect(node.append([], of: 52_499, at: moment(230)) == nil)

        let effects = node.handOver(handled: 55_000, at: moment(300))

        guard case .call(.write(let handOver))? = effects.first(where: \.isWrite) else { throw NoWrite() }
        #expect((handOver.purpose, handOver.new.time, handOver.new.horizon) == (.handOver, 55_000, 55_000))
    }

    @Test func `an owner that was paused leaves the timers of which it has not told to who follows the head`() throws {
        var node = ownerNode()
        let batch = TimerMachine.bytes(of: [.init(id: 1, due: 5000)])
        guard case .call(.write(let append))? = node.append(batch, at: moment(200)).first(where: \.isWrite) else {
            throw NoWrite()
        }
        _ = node.receive(.write(.succeeded), to: .call(append), at: moment(210))
        let due = append.new.time + 5000
        #expect(node.replica.state.nextDeadline == due)

        // After a pause.
        let effects = node.turn(at: moment(9000))

        guard case .call(.write(let advance))? = effects.first(where: \.isWrite) else { throw NoWrite() }
        #expect((advance.purpose, advance.new.time) == (.advance, due - 1))
        // Counted from the present.
        #expect(advance.new.horizon > due + 3000)
        // A broker says itself until when none is left.
        var beside = ownerNode(timers: .ofBroker)
        let asked = beside.reserve(from: 60_000, handled: 52_000, at: moment(200))
        guard case .call(.write(let reserved))? = asked.first(where: \.isWrite) else { throw NoWrite() }
        #expect((reserved.new.time, reserved.new.horizon) == (52_000, 63_000))
    }

    @Test func `a broker is told of its batch before the node applies it, and that is before the next one is in`()
        throws
    {
        var node = ownerNode(timers: .ofBroker)
        func append(at boot: Int64) throws -> FleetCall {
            let effects = node.append([], of: 50_000 + boot, at: moment(boot))
            guard case .call(let call)? = effects?.first(where: \.isWrite) else { throw NoWrite() }
            return call
        }
        let first = try append(at: 200)
        #expect(node.receive(.write(.succeeded), to: first, at: moment(210)) == [.committed(index: 2)])
        #expect(node.replica.index == 1)
        // What somebody sees meanwhile changes nothing.
        _ = node.receive(.head(try #require(node.head)), at: moment(211))
        #expect(node.replica.index == 1 && node.voice(at: moment(211)) == nil)

        let second = try append(at: 220)
        #expect(node.applyTold().isEmpty)
        #expect(node.replica.index == 2)
        _ = node.receive(.write(.succeeded), to: second, at: moment(230))
        let third = try append(at: 240)
        _ = node.receive(.write(.succeeded), to: third, at: moment(250))
        #expect(node.replica.index == 3)
        _ = node.turn(at: moment(260))

        #expect(node.replica.index == 4 && node.replica.time == 50_240)
        #expect(node.voice(at: moment(260))?.index == 4)
    }

    @Test func `a node that is asked to end while it takes over ends if another node was faster`() throws {
        var node = FleetNode<TimerMachine>(identity, rank: 0)
        let now = moment(100, wall: 50_000)
        _ = node.turn(at: now)
        _ = node.receive(.orders(LogOrders()), to: .readOrders, at: now)
        _ = node.receive(.head(emptyHead), to: .readHead, at: now)
        let claimed = node.receive(.claim(isOwn: true), to: .claim, at: now)
        guard case .call(let takeOver)? = claimed.first(where: \.isWrite) else { throw NoWrite() }
        // Its outcome is not known: the node may own the log.
        #expect(!node.handOver(at: moment(200)).contains(.end(.handedOver)))

        let head = LogHead(level: 1, epoch: 60_000, index: 1, owner: other, time: 5000, horizon: 8000, chain: 7)
        // Whether it has the claim still, only the log can tell.
        #expect(node.receive(.write(.refused(head)), to: takeOver, at: moment(300)).contains(.call(.releaseClaim)))
        #expect(node.receive(.claim(isOwn: false), to: .releaseClaim, at: moment(310)) == [.end(.handedOver)])
    }

    @Test func `a hand-over that is asked for twice forgets no timer, whoever asks last`() throws {
        var node = ownerNode(timers: .ofBroker)
        guard case .call(let append)? = node.append([], of: 50_000, at: moment(200))?.first(where: \.isWrite) else {
            throw NoWrite()
        }
        // While its last batch is on its way.
        #expect(!node.handOver(handled: 52_000, at: moment(300)).hasWrite)
        #expect(!node.handOver(handled: 50_000, at: moment(310)).hasWrite)

        let effects = node.receive(.write(.succeeded), to: append, at: moment(320))

        guard case .call(.write(let handOver))? = effects.first(where: \.isWrite) else { throw NoWrite() }
        #expect((handOver.purpose, handOver.new.time) == (.handOver, 52_000))
    }

    @Test func `a node that takes over goes on in a new epoch, by its wall clock if nobody was followed`() {
        let node = ownerNode()

        #expect(node.role == .owner)
        #expect(node.voice(at: moment(100)) == .init(epoch: 50_000, index: 1, time: 50_000))
    }

    @Test func `an owner without a proof is mute after 3 s, and goes on in its epoch with one`() {
        var node = ownerNode()
        #expect(node.voice(at: moment(3100)) != nil)

        #expect(node.voice(at: moment(3101)) == nil)
        let effects = node.turn(at: moment(3101))
        #expect(effects.contains(.listen(false)))
        #expect(effects.contains(.call(.readHead)) && effects.contains(.call(.renewClaim)))

        _ = node.receive(.claim(isOwn: true), to: .renewClaim, at: moment(3200))
        let again = node.receive(.head(node.head), to: .readHead, at: moment(3201))
        #expect(again.contains(.listen(true)))
        #expect(node.voice(at: moment(3201))?.epoch == 50_000)
    }

    @Test func `an owner that reads another's head ends with 76`() {
        var node = ownerNode()
        var head = emptyHead
        head.epoch = 60_000

        let effects = node.receive(.head(head), to: .readHead, at: moment(1200))

        #expect(effects.contains(.end(.overtaken)))
        #expect(FleetEnd.overtaken.exitCode == 76)
    }

    @Test func `an owner hands over when an operator asks its tenure for it, and no other one`() throws {
        var node = ownerNode()
        _ = node.receive(.orders(LogOrders(handOver: 49_999)), to: .readOrders, at: moment(200))
        #expect(node.isListening)

        let effects = node.receive(.orders(LogOrders(handOver: 50_000)), to: .readOrders, at: moment(300))

        guard case .call(.write(let write))? = effects.first(where: \.isWrite) else { throw NoWrite() }
        #expect(write.purpose == .handOver)
    }

    @Test func `a broker is stopped once for a hand-over, and hands over itself`() throws {
        var node = ownerNode(timers: .ofBroker)
        let order = LogOrders(handOver: 50_000)

        #expect(node.receive(.orders(order), to: .readOrders, at: moment(300)).contains(.stopBroker))
        #expect(!node.receive(.orders(order), to: .readOrders, at: moment(400)).contains(.stopBroker))

        #expect(node.canAppend(at: moment(400)))
        let effects = node.handOver(handled: 50_300, at: moment(500))
        #expect(effects.hasWrite)
    }

    @Test func `orders are read when somebody sees that they change, and now and then; a configuration is told once`() {
        var node = ownerNode()
        #expect(!node.turn(at: moment(1000)).contains(.call(.readOrders)))

        #expect(node.receive(.ordersChanged, at: moment(1100)).contains(.call(.readOrders)))
        // It changes while it is read.
        #expect(!node.receive(.ordersChanged, at: moment(1110)).contains(.call(.readOrders)))
        let first = node.receive(.orders(LogOrders(configuration: [1])), to: .readOrders, at: moment(1200))
        #expect(first.contains(.configure([1])) && first.contains(.call(.readOrders)))
        let second = node.receive(.orders(LogOrders(configuration: [1])), to: .readOrders, at: moment(1300))
        #expect(second.isEmpty)
        #expect(node.turn(at: moment(6200)).contains(.call(.readOrders)))
        #expect(node.receive(.unknown, to: .readOrders, at: moment(6300)).contains(.call(.readOrders)))
        let none = node.receive(.orders(LogOrders()), to: .readOrders, at: moment(6400))
        #expect(none.contains(.configure(nil)))
    }

    @Test func `the first orders tell of a configuration, also if there is none any more`() {
        for configuration in [nil, [1]] as [[UInt8]?] {
            var node = FleetNode<TimerMachine>(identity, rank: 0)
            _ = node.turn(at: moment(0))
            let orders = LogOrders(configuration: configuration)

            #expect(
                node.receive(.orders(orders), to: .readOrders, at: moment(1)).contains(.configure(configuration)))
        }
    }

    @Test func `a request that may be forgotten is not followed: the command has ended`() throws {
        var node = FleetNode<TimerMachine>(identity, rank: 0, newestLevel: 2)
        node.becomeOwner()
        let begun = node.append([], at: moment(110)).first(where: \.isWrite)
        guard case .call(let append)? = begun else { throw NoWrite() }
        _ = node.receive(.ordersChanged, at: moment(200))
        let orders = LogOrders(level: 2)
        _ = node.receive(.orders(orders), to: .readOrders, at: moment(210))

        // The batch was on its way for too long.
        #expect(!node.receive(.write(.succeeded), to: append, at: moment(6300)).hasWrite)
        // The claim and the head are proved again.
        _ = node.receive(.claim(isOwn: true), to: .renewClaim, at: moment(6300))
        #expect(!node.receive(.head(node.head), to: .readHead, at: moment(6310)).hasWrite)

        // An answer that was on its way for too long: the process stood still.
        _ = node.receive(.orders(LogOrders(handOver: 50_000, level: 2)), to: .readOrders, at: moment(20_000))
        #expect(node.role == .owner && !node.handsOver)
        // What is asked for now.
        let effects = node.receive(.orders(LogOrders(handOver: 50_000)), to: .readOrders, at: moment(20_100))
        #expect(effects.hasWrite)
    }

    @Test func `an owner raises the level by an entry, as far as it knows levels`() throws {
        var node = FleetNode<TimerMachine>(identity, rank: 0, timers: .ofBroker, newestLevel: 2)
        node.becomeOwner()
        let unknown = node.receive(.orders(LogOrders(level: 3)), to: .readOrders, at: moment(200))
        #expect(!unknown.hasWrite)

        let effects = node.receive(.orders(LogOrders(level: 2)), to: .readOrders, at: moment(300))

        guard case .call(.write(let write))? = effects.first(where: \.isWrite) else { throw NoWrite() }
        #expect((write.entry?.kind, write.new.level, write.new.index) == (.level, 2, 2))
        // A batch of its broker that is made meanwhile is not too early.
        #expect(write.new.time == write.old.time)
        _ = node.receive(.write(.succeeded), to: .write(write), at: moment(310))
        #expect(node.append([], of: 50_000, at: moment(320))?.hasWrite == true)
    }

    @Test func `a node ends before it applies what follows an entry with a level that it does not know`() throws {
        let owner = FleetNode<TimerMachine>(identity, rank: 0, newestLevel: 9)
        var head = emptyHead
        head.owner = owner.identity
        let raise = try #require(HeadWrite.raise(to: 2, after: head, at: 4000).entry)
        #expect(try LogEntry(raise.bytes).level == 2)
        var follower = FleetNode<TimerMachine>(other, rank: 0)
        var newer = FleetNode<TimerMachine>(other, rank: 0, newestLevel: 2)
        for time in 0...1 as ClosedRange<Int64> {
            _ = follower.turn(at: moment(time))
            _ = newer.turn(at: moment(time))
        }

        // It has seen no head yet.
        #expect(follower.receive(.entry(raise), at: moment(2)) == [.end(.levelIsNewer)])
        _ = newer.receive(.entry(raise), at: moment(2))

        #expect(follower.replica.index == 0)
        #expect(newer.replica.index == 1)
        #expect(LogEntry(.level, epoch: 1, index: 1, time: 0, horizon: 0, chain: 0).level == 0)
    }

    @Test func `a node ends with 65 if the log has a level that it does not know`() {
        var head = emptyHead
        head.level = 2
        var standby = FleetNode<TimerMachine>(identity, rank: 0)
        _ = standby.turn(at: moment(0))
        var follower = standby

        #expect(standby.receive(.head(head), to: .readHead, at: moment(1)) == [.end(.levelIsNewer)])
        #expect(follower.receive(.head(head), at: moment(1)) == [.end(.levelIsNewer)])
        #expect(follower.failure?.contains("a level above 1") == true)

        #expect(FleetEnd.levelIsNewer.exitCode == 65)
    }

    @Test func `the same bytes are asked for again until the outcome is known, and nothing is published meanwhile`() {
        var node = ownerNode()
        let begun = node.append([], at: moment(200)).filter(\.isWrite)
        guard case .call(let call)? = begun.first else {
            Issue.record("nothing was asked for")
            return
        }
        #expect(node.voice(at: moment(200)) == nil)
        #expect(!node.canAppend(at: moment(200)))

        #expect(node.receive(.unknown, to: call, at: moment(300)).filter(\.isWrite) == begun)
        #expect(node.voice(at: moment(300)) == nil)
        let effects = node.receive(.write(.succeeded), to: call, at: moment(400))

        #expect(effects.contains(.committed(index: 2)))
        #expect(node.voice(at: moment(400))?.index == 2)
    }
}

// MARK: - A claim that is of no use

extension FleetNodeTests {
    /// Returns a standby that has just claimed the log, whose newest entry it has yet to read.
    private func claimantWithoutTail() -> FleetNode<TimerMachine> {
        var node = FleetNode<TimerMachine>(identity, rank: 0)
        _ = node.turn(at: moment(0))
        _ = node.receive(.orders(LogOrders()), to: .readOrders, at: moment(0))
        #expect(node.receive(.head(emptyHead), to: .readHead, at: moment(0)).contains(.call(.claim)))
        _ = node.receive(.head(HeadWrite.append([], after: emptyHead, at: 4000, horizon: 4000).new), at: moment(5))
        _ = node.receive(.claim(isOwn: true), to: .claim, at: moment(10))
        return node
    }

    @Test func `a standby that cannot read the last entries gives its claim up after a lease, and others try first`() {
        var node = claimantWithoutTail()
        for time in stride(from: 1000 as Int64, through: 3000, by: 1000) {
            #expect(node.turn(at: moment(time)).contains(.call(.renewClaim)))
            _ = node.receive(.claim(isOwn: true), to: .renewClaim, at: moment(time))
            _ = node.receive(.unknown, to: .readEntries(1...1), at: moment(time))
        }

        let effects = node.turn(at: moment(4000))
        #expect(effects.contains(.call(.releaseClaim)) && !effects.contains(.call(.renewClaim)))
        _ = node.receive(.unknown, to: .releaseClaim, at: moment(4100))
        #expect(!node.turn(at: moment(4200)).contains(.call(.renewClaim)))
        _ = node.receive(.claim(isOwn: false), to: .releaseClaim, at: moment(4300))

        // It can read them now.
        let entry = LogEntry(.batch, epoch: 5, index: 1, time: 4000, horizon: 4000, chain: 0)
        _ = node.receive(.entry(entry), at: moment(4400))
        #expect(node.replica.index == 1)
        #expect(!node.receive(.claimEnded, at: moment(4400)).contains(.call(.claim)))
        #expect(!node.turn(at: moment(6000)).contains(.call(.claim)))
        #expect(node.turn(at: moment(6400)).contains(.call(.claim)))
    }

    @Test func `a standby that is stopped while it holds the claim gives it back, and then ends`() {
        var node = claimantWithoutTail()

        #expect(node.handOver(at: moment(100)) == [.call(.releaseClaim)])
        #expect(node.turn(at: moment(110)).isEmpty)

        #expect(node.receive(.claim(isOwn: false), to: .releaseClaim, at: moment(120)) == [.end(.handedOver)])
    }

    @Test func `a standby that is stopped while it claims waits for the outcome, and for one answer after that`() {
        var node = FleetNode<TimerMachine>(identity, rank: 0)
        _ = node.turn(at: moment(0))
        _ = node.receive(.orders(LogOrders()), to: .readOrders, at: moment(0))
        #expect(node.receive(.head(emptyHead), to: .readHead, at: moment(0)).contains(.call(.claim)))

        #expect(node.handOver(at: moment(100)).isEmpty)
        #expect(node.receive(.unknown, to: .claim, at: moment(1000)) == [.call(.releaseClaim)])

        // The claim ends by itself.
        #expect(node.receive(.unknown, to: .releaseClaim, at: moment(2000)) == [.end(.handedOver)])
    }

    @Test func `a standby that claims nothing ends at once`() {
        var node = FleetNode<TimerMachine>(identity, rank: 0)
        _ = node.turn(at: moment(0))

        #expect(node.handOver(at: moment(10)) == [.end(.handedOver)])
    }
}

// MARK: - A log without an entry

extension FleetNodeTests {
    /// Returns three entries, and the head after them.
    private func threeEntries() -> (entries: [LogEntry], head: LogHead) {
        var (entries, head) = ([LogEntry](), emptyHead)
        for time in 4000...4002 as ClosedRange<Int64> {
            let write = HeadWrite.append([], after: head, at: time, horizon: time)
            if let entry = write.entry { entries.append(entry) }
            head = write.new
        }
        return (entries, head)
    }

    /// Returns a standby that has applied one entry of three, and has found that the second one is not there; and the head.
    private func standbyAtGap() throws -> (node: FleetNode<TimerMachine>, head: LogHead) {
        var node = FleetNode<TimerMachine>(identity, rank: 0)
        _ = node.turn(at: moment(0))
        let (entries, head) = threeEntries()
        _ = node.receive(.entry(entries[0]), at: moment(1))
        let effects = node.receive(.head(head), to: .readHead, at: moment(2))
        #expect(effects.contains(.call(.readEntries(2...3))))
        #expect(node.receive(.entries([]), to: .readEntries(2...3), at: moment(3)).contains(.call(.readSnapshot)))
        return (node, head)
    }

    @Test func `a standby that lacks an entry for good ends with 65, and says which`() throws {
        var (node, head) = try standbyAtGap()
        let older = LogSnapshot(index: 1, epoch: 5, time: 4000, chain: 0, state: TimerMachine().snapshot())

        // It looks once whether the head is still that of this log.
        #expect(node.receive(.snapshot(older), to: .readSnapshot, at: moment(10)) == [.call(.readHead)])
        #expect(node.turn(at: moment(20)).isEmpty)
        #expect(node.receive(.head(head), to: .readHead, at: moment(30)) == [.end(.replicaDiffers)])

        #expect(node.failure == "the shared log cannot be read: entry 2 is missing, and no snapshot is later")
    }

    @Test func `a head that was asked for before the snapshots were read does not say that an entry is missing`() throws
    {
        var (node, head) = try standbyAtGap()
        #expect(node.turn(at: moment(2100)).contains(.call(.readHead)))

        #expect(node.receive(.snapshot(nil), to: .readSnapshot, at: moment(2200)).isEmpty)
        #expect(node.receive(.head(head), to: .readHead, at: moment(2210)) == [.call(.readHead)])
        // Somebody has seen the entry.
        _ = node.receive(.entry(threeEntries().entries[1]), at: moment(2220))
        _ = node.receive(.head(head), to: .readHead, at: moment(2230))

        #expect(node.role == .standby && node.replica.index == 2)
    }

    @Test func `a standby that lacks an entry goes on from a later snapshot`() throws {
        var (node, head) = try standbyAtGap()
        let later = LogSnapshot(
            index: 3, epoch: 5, time: 4002, chain: head.chain, state: TimerMachine().snapshot(), rules: 1)

        _ = node.receive(.snapshot(later), to: .readSnapshot, at: moment(10))
        _ = node.turn(at: moment(3000))
        _ = node.receive(.head(head), to: .readHead, at: moment(3010))

        #expect(node.role == .standby && node.replica.index == 3)
    }

    @Test func `a log that was restored from a backup is no log without an entry`() throws {
        var (node, _) = try standbyAtGap()
        _ = node.receive(.snapshot(nil), to: .readSnapshot, at: moment(10))

        #expect(node.receive(.head(emptyHead), to: .readHead, at: moment(30)) == [.end(.replicaDiffers)])
        #expect(node.failure?.contains("as after a backup was restored") == true)
    }
}

// MARK: - A log that was restored from a backup

extension FleetNodeTests {
    private static let restored: [@Sendable (inout LogHead) -> Void] = [
        { $0.epoch -= 1 }, { $0.time -= 1 },
        // Somebody has taken the restored log over since.
        {
            $0.epoch += 1_000_000
            $0.time -= 1
        },
    ]

    /// Returns a standby that has asked to take over after `emptyHead`, and what it has asked for.
    private func claimant() throws -> (node: FleetNode<TimerMachine>, takeOver: FleetCall) {
        var node = FleetNode<TimerMachine>(identity, rank: 0)
        let now = moment(100, wall: 50_000)
        _ = node.turn(at: now)
        _ = node.receive(.orders(LogOrders()), to: .readOrders, at: now)
        _ = node.receive(.head(emptyHead), to: .readHead, at: now)
        // Asked before it owns the log, and answered later.
        _ = node.turn(at: moment(2200))
        let claimed = node.receive(.claim(isOwn: true), to: .claim, at: moment(2210, wall: 50_000))
        guard case .call(let takeOver)? = claimed.first(where: \.isWrite) else { throw NoWrite() }
        return (node, takeOver)
    }

    @Test(arguments: restored)
    func `a standby that finds an earlier head than it knows ends with 65, and does not claim for ever`(
        change: @Sendable (inout LogHead) -> Void
    ) throws {
        var head = emptyHead
        change(&head)
        var (refused, takeOver) = try claimant()
        var (reader, _) = try claimant()

        #expect(refused.receive(.write(.refused(head)), to: takeOver, at: moment(2300)) == [.end(.replicaDiffers)])
        #expect(reader.receive(.head(head), to: .readHead, at: moment(2300)) == [.end(.replicaDiffers)])
    }

    @Test func `a standby that only sees a later epoch with fewer entries than it has applied ends with 65`() throws {
        var standby = FleetNode<TimerMachine>(identity, rank: 0)
        _ = standby.turn(at: moment(0))
        var head = emptyHead
        for time in 4000...4001 as ClosedRange<Int64> {
            let write = HeadWrite.append([], after: head, at: time, horizon: time)
            _ = standby.receive(.entry(try #require(write.entry)), at: moment(1))
            head = write.new
        }
        // What comes late is no other log.
        for known in [head, emptyHead] { _ = standby.receive(.head(known), at: moment(2)) }
        #expect(standby.role == .standby && standby.replica.index == 2)
        head.epoch += 1_000_000
        head.index = 1

        #expect(standby.receive(.head(head), at: moment(3)) == [.end(.replicaDiffers)])
    }

    @Test func `an owner that finds an earlier head than its own ends with 65`() throws {
        for isIdle in [true, false] {
            var node = ownerNode()
            var head = try #require(node.head)
            (head.index, head.time) = (0, 1000)
            if isIdle {
                #expect(node.turn(at: moment(1200)).contains(.call(.readHead)))
                _ = node.receive(.head(head), to: .readHead, at: moment(1210))
            } else {
                guard case .call(let append)? = node.append([], at: moment(200)).first(where: \.isWrite) else {
                    throw NoWrite()
                }
                _ = node.receive(.write(.refused(head)), to: append, at: moment(210))
            }
            #expect(node.role == .ended(.replicaDiffers))
        }
    }

    @Test func `an answer that was asked for before the head was replaced may show the earlier one`() throws {
        var (node, takeOver) = try claimant()
        _ = node.receive(.write(.succeeded), to: takeOver, at: moment(2220))
        #expect(node.role == .owner)

        _ = node.receive(.head(emptyHead), to: .readHead, at: moment(2230))

        #expect(node.role == .owner)
    }
}

// MARK: - A broker that hangs

extension FleetNodeTests {
    @Test func `an owner whose broker hangs is mute and does not renew its claim, until the broker goes on`() {
        var node = ownerNode(timers: .ofBroker)
        // It reads its state, which may take long.
        #expect(!node.isBrokerHanging(at: moment(60_000)))
        node.recordBrokerTurn(at: 200)
        #expect(node.turn(at: moment(2200)).contains(.call(.renewClaim)))
        _ = node.receive(.claim(isOwn: true), to: .renewClaim, at: moment(2200))
        _ = node.receive(.head(node.head), to: .readHead, at: moment(2200))
        #expect(node.isConfirmed(at: moment(2200)))
        #expect(node.confirmedUntil == 2200)

        let hung = node.turn(at: moment(3300))

        #expect(hung.contains(.call(.readHead)) && !hung.contains(.call(.renewClaim)))
        #expect(!node.isConfirmed(at: moment(2201)))
        #expect(!node.canAppend(at: moment(3300)))
        node.recordBrokerTurn(at: 3400)
        #expect(node.turn(at: moment(3400)).contains(.call(.renewClaim)))
        #expect(node.isConfirmed(at: moment(3400)))
    }

    @Test func `an owner whose broker hangs does not claim anew, and one that hands over is not in question`() {
        var node = ownerNode(timers: .ofBroker)
        node.recordBrokerTurn(at: 200)
        _ = node.turn(at: moment(1200))

        let hung = node.receive(.claim(isOwn: false), to: .renewClaim, at: moment(2300)) + node.turn(at: moment(9000))

        #expect(!hung.contains(.call(.claim)))
        #expect(node.isBrokerHanging(at: moment(9000)))
        #expect(node.handOver(handled: 50_000, at: moment(9100)).hasWrite)
        #expect(!node.isBrokerHanging(at: moment(60_000)))
    }

    @Test func `a node without a broker needs no turns of one`() {
        var node = ownerNode()
        node.recordBrokerTurn(at: 100)

        #expect(!node.isBrokerHanging(at: moment(60_000)))
        #expect(node.confirmedUntil == 3100)
    }
}

// MARK: - A log of a newer version

/// A state machine that knows no entry.
private struct OldMachine: ReplicatedState {
    static var rulesVersion: UInt32 { 1 }
    init() {}
    init(snapshot: [UInt8]) {}
    var nextDeadline: Int64? { nil }
    mutating func advance(to time: Int64) {}
    mutating func apply(_ entry: LogEntry) throws { throw EntryIsNewer(what: "a field") }
    func snapshot() -> [UInt8] { [] }
}

extension FleetNodeTests {
    @Test func `a node ends with 65 at an entry whose content it does not know`() throws {
        var node = FleetNode<OldMachine>(other, rank: 0)
        _ = node.turn(at: moment(0))
        let entry = try #require(HeadWrite.append([1], after: emptyHead, at: 4000, horizon: 4000).entry)

        #expect(node.receive(.entry(entry), at: moment(1)) == [.end(.entryIsNewer)])

        #expect(FleetEnd.entryIsNewer.exitCode == 65)
        #expect(
            node.failure
                == "entry 1 of the shared log has a field that this version does not know; install a newer version on "
                + "this node")
    }

    @Test func `a node ends with 65 at a record of a newer version, standby or owner, and says which it needs`() {
        var standby = FleetNode<TimerMachine>(identity, rank: 0)
        _ = standby.turn(at: moment(0))
        var owner = ownerNode()
        #expect(standby.failure == nil && owner.role == .owner)

        #expect(standby.receive(.newer, to: .readHead, at: moment(1)) == [.end(.entryIsNewer)])
        _ = owner.receive(.newer, to: .readHead, at: moment(101))

        #expect(owner.role == .ended(.entryIsNewer))
        #expect(standby.failure?.contains("install a newer version") == true)
        #expect(owner.failure == standby.failure)
    }
}

@Suite struct TimeEstimateTests {
    @Test func `a cold start begins by the wall clock, and never before the horizon`() {
        var estimate = TimeEstimate()
        estimate.observe(5000, at: 100)

        #expect(!estimate.isWarm)
        #expect(estimate.beginning(after: 6000, at: moment(200, wall: 9000), wallStep: 1000) == 9000)
        #expect(estimate.beginning(after: 6000, at: moment(200, wall: 10), wallStep: 1000) == 6000)
    }

    @Test func `a hot take-over goes on with the log's time, and steps towards the wall clock by 1 s, forward only`() {
        var estimate = TimeEstimate()
        estimate.observe(5000, at: 100)
        estimate.observe(6000, at: 1100)
        estimate.observe(6500, at: 2100)

        // Within 2 s, 2 ms may have drifted.
        #expect(estimate.beginning(after: 0, at: moment(3100, wall: 0), wallStep: 1000) == 7998)
        #expect(estimate.beginning(after: 0, at: moment(3100, wall: 8300), wallStep: 1000) == 8300)
        #expect(estimate.beginning(after: 0, at: moment(3100, wall: .max), wallStep: 1000) == 8998)
    }

    @Test func `an observation that comes late takes nothing back, however old the best one is, but for drift`() {
        var estimate = TimeEstimate()
        func beginning(at boot: Int64) -> Int64 { estimate.beginning(after: 0, at: moment(boot), wallStep: 1000) }
        estimate.observe(5000, at: 0)
        estimate.observe(6000, at: 1000)
        // It was on its way for 299 s.
        estimate.observe(7000, at: 301_000)

        #expect(beginning(at: 302_000) == 307_000 - 301)

        // One that is as good as the first one is better now: nothing may have drifted since.
        estimate.observe(308_000, at: 303_000)
        #expect(beginning(at: 303_000) == 308_000)
    }
}

@Suite struct ReplicaTests {
    @Test func `entries are applied in their order, whatever order they come in`() throws {
        var replica = Replica<TimerMachine>()
        let first = LogEntry(.takeOver, epoch: 1, index: 1, time: 10, horizon: 20, chain: 0)
        let second = LogEntry(.batch, epoch: 1, index: 2, time: 12, horizon: 22, chain: first.chainAfter)

        #expect(try replica.apply(second) == false)
        #expect(try replica.apply(first))
        #expect(try replica.apply(first) == false)
        #expect(try replica.apply(second))
        #expect(replica.index == 2 && replica.chain == second.chainAfter)
    }

    @Test func `an entry of another history is refused`() throws {
        var replica = Replica<TimerMachine>()
        try replica.apply(LogEntry(.takeOver, epoch: 1, index: 1, time: 10, horizon: 20, chain: 0))

        #expect(throws: ReplicaDiffers(index: 2)) {
            try replica.apply(LogEntry(.batch, epoch: 1, index: 2, time: 12, horizon: 22, chain: 77))
        }
    }
}
