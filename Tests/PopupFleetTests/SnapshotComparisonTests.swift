import PopupJournal
import SimulatedLogs
import Testing

@testable import PopupFleet

/// The rules of a state machine in a test.
private protocol CountingRules {
    static var version: UInt32 { get }
    /// The index of an entry that is not counted.
    static var skipped: UInt64? { get }
}

private enum Rules: CountingRules {
    static let version: UInt32 = 1
    static let skipped: UInt64? = nil
}

/// A mistake: the version is the same, and the result is not.
private enum WrongRules: CountingRules {
    static let version: UInt32 = 1
    static let skipped: UInt64? = 3
}

private enum NewerRules: CountingRules {
    static let version: UInt32 = 2
    static let skipped: UInt64? = 3
}

/// The rules of the next version, which counts otherwise what comes after a snapshot of the first one.
private enum NextRules: CountingRules {
    static let version: UInt32 = 2
    static let skipped: UInt64? = 6
}

/// A mistake in the next version.
private enum WrongNextRules: CountingRules {
    static let version: UInt32 = 2
    static let skipped: UInt64? = 10
}

/// A state machine that counts entries.
private struct Counter<R: CountingRules>: ReplicatedState {
    static var rulesVersion: UInt32 { R.version }

    private var count: UInt8 = 0

    init() {}
    init(snapshot: [UInt8]) { count = snapshot.first ?? 0 }
    var nextDeadline: Int64? { nil }
    mutating func advance(to time: Int64) {}
    mutating func apply(_ entry: LogEntry) { if entry.index != R.skipped { count += 1 } }
    func snapshot() -> [UInt8] { [count] }
}

/// The comparison of the states of nodes, by the snapshots that all of them make after the same entries.
@Suite struct SnapshotComparisonTests {
    private static let entries = 4

    private func node<R: CountingRules>(
        _ number: UInt64, _ rules: R.Type, snapshotEntries: Int = Self.entries, waiting delay: Int64 = 0
    ) -> FleetNode<Counter<R>> {
        var timing = FleetTiming()
        (timing.snapshotDelay, timing.ownerSnapshotDelay) = (delay, 10 * delay)
        return FleetNode(
            LogOwner(high: number, low: number), rank: Int(number), timing: timing, snapshotEntries: snapshotEntries)
    }

    /// Carries out what a node wants, and what it wants then, without any delay. Snapshots after `lastSnapshot` are lost.
    private func perform<R: CountingRules>(
        _ effects: [FleetEffect], of node: inout FleetNode<Counter<R>>, on log: inout SimulatedLog, at boot: Int64,
        lastSnapshot: UInt64 = .max
    ) {
        var effects = effects
        while !effects.isEmpty {
            guard case .call(let call) = effects.removeFirst() else { continue }
            if case .keep(let snapshot) = call, snapshot.index > lastSnapshot { continue }
            let answer = log.perform(call, of: node.identity, at: boot, lease: 4000)
            effects += node.receive(answer, to: call, at: FleetMoment(boot: boot, wall: 0))
        }
    }

    /// Returns a log with four entries, or more, and its owner, which has kept a snapshot after each fourth one through
    /// `lastSnapshot`.
    private func ownedLog(
        through last: Int = Self.entries, lastSnapshot: UInt64 = .max, waiting delay: Int64 = 0
    ) -> (log: SimulatedLog, owner: FleetNode<Counter<Rules>>) {
        var (log, owner) = (SimulatedLog(), node(0, Rules.self, waiting: delay))
        perform(owner.turn(at: FleetMoment(boot: 0, wall: 0)), of: &owner, on: &log, at: 0)
        for boot in 1..<Int64(last) {
            let effects = owner.append([1], at: FleetMoment(boot: boot, wall: 0))
            perform(effects, of: &owner, on: &log, at: boot, lastSnapshot: lastSnapshot)
        }
        return (log, owner)
    }

    /// Returns a standby that has gone on from a snapshot, followed a log to its end at entry 12, and made a snapshot there.
    private func follower<R: CountingRules>(
        _ number: UInt64, _ rules: R.Type, from snapshot: LogSnapshot, of log: inout SimulatedLog
    ) throws -> FleetNode<Counter<R>> {
        var standby = node(number, rules, snapshotEntries: 12)
        try standby.replica.restore(snapshot)
        perform(standby.turn(at: FleetMoment(boot: 20, wall: 0)), of: &standby, on: &log, at: 20)
        #expect(standby.replica.index == 12)
        return standby
    }

    /// Returns a standby that has followed such a log.
    private func follower<R: CountingRules>(_ rules: R.Type) -> FleetNode<Counter<R>> {
        let owned = ownedLog()
        var log = owned.log
        #expect(owned.owner.role == .owner && log.snapshots.keys.sorted() == [4])
        var standby = node(1, rules)
        perform(standby.turn(at: FleetMoment(boot: 10, wall: 0)), of: &standby, on: &log, at: 10)
        #expect(standby.replica.index == 4)
        return standby
    }

    @Test func `a node whose state is that of the snapshot in the log goes on`() {
        let standby = follower(Rules.self)

        #expect(standby.role == .standby && standby.failure == nil)
        #expect(standby.dueSnapshotIndex == nil)
    }

    @Test func `a node whose state is not that of the snapshot in the log ends with 65, and says after which entry`() {
        let standby = follower(WrongRules.self)

        #expect(standby.role == .ended(.replicaDiffers))
        #expect(standby.failure?.contains("after entry 4 is not that of the snapshot") == true)
    }

    @Test func `the states of nodes with other rules are not compared`() {
        #expect(follower(NewerRules.self).role == .standby)
    }

    @Test func `nodes of one version that went on from different snapshots of another one are not compared`() throws {
        var log = ownedLog(through: 12, lastSnapshot: 8).log
        let older = log.snapshots
        #expect(older.keys.sorted() == [4, 8])

        let first = try follower(1, NextRules.self, from: #require(older[4]), of: &log)
        let second = try follower(2, NextRules.self, from: #require(older[8]), of: &log)

        // The first one has counted the entries 5 to 8 by the next version, the second one has not.
        #expect(log.snapshots[12]?.state == first.replica.state.snapshot())
        #expect(second.replica.state.snapshot() != first.replica.state.snapshot())
        #expect(first.role == .standby && second.role == .standby)
        #expect(second.dueSnapshotIndex == nil)
    }

    @Test func `nodes of one version that went on from the same snapshot of another one are compared`() throws {
        var log = ownedLog(through: 12, lastSnapshot: 8).log
        let older = try #require(log.snapshots[8])

        let first = try follower(1, NextRules.self, from: older, of: &log)
        let second = try follower(2, NextRules.self, from: older, of: &log)
        let wrong = try follower(3, WrongNextRules.self, from: older, of: &log)

        #expect(first.role == .standby && second.role == .standby)
        #expect(wrong.role == .ended(.replicaDiffers))
    }

    @Test func `a node that goes on from a snapshot of its own version has the rules of it`() throws {
        let log = ownedLog(through: 12, lastSnapshot: 8).log
        let older = try #require(log.snapshots[8])
        var next = Replica<Counter<NextRules>>()
        try next.restore(older)
        try next.apply(log.history[8])

        var later = Replica<Counter<NextRules>>()
        try later.restore(next.snapshot())
        #expect(later.rules == next.rules && later.rules != Replica<Counter<NextRules>>().rules)
        var first = Replica<Counter<Rules>>()
        try first.restore(older)
        #expect(first.rules == Rules.version)
        // With the first version again, it is no longer what the first version alone leads to.
        try first.restore(next.snapshot())
        #expect(first.rules != Rules.version && first.rules != next.rules && first.rules != 0)
    }

    @Test func `a snapshot that the log leaves out stays due, and is offered again after a pause`() throws {
        var (log, standby) = (ownedLog(lastSnapshot: 0).log, node(1, Rules.self))
        perform(standby.turn(at: FleetMoment(boot: 10, wall: 0)), of: &standby, on: &log, at: 10, lastSnapshot: 0)
        #expect(standby.replica.index == 4 && standby.dueSnapshotIndex == 4)
        func offer(_ effects: [FleetEffect]) -> FleetCall? {
            effects.compactMap { if case .call(let call) = $0, case .keep = call { call } else { nil } }.first
        }
        func moment(_ boot: Int64) -> FleetMoment { FleetMoment(boot: boot, wall: 0) }
        let keep = FleetCall.keep(try #require(standby.dueSnapshot.snapshot))

        #expect(offer(standby.receive(.snapshots([3]), to: keep, at: moment(100))) == nil)
        #expect(offer(standby.turn(at: moment(10_099))) == nil)
        #expect(standby.dueSnapshotIndex == 4)
        #expect(offer(standby.turn(at: moment(10_100))) == keep)

        // A node of an older version has made a later one.
        #expect(offer(standby.receive(.snapshots([3, 5]), to: keep, at: moment(10_200))) == nil)
        #expect(standby.dueSnapshotIndex == nil)
    }

    @Test func `standbys make a snapshot in the order of their ranks, and an owner only if none has`() throws {
        func offers(_ node: FleetNode<Counter<Rules>>, at boot: Int64) -> Bool {
            var node = node
            return node.turn(at: FleetMoment(boot: boot, wall: 0)).contains {
                if case .call(.keep) = $0 { true } else { false }
            }
        }
        var (log, owner) = ownedLog(waiting: 500)
        #expect(owner.dueSnapshotIndex == 4 && log.snapshots.isEmpty)
        #expect(!offers(owner, at: 5002) && offers(owner, at: 5003))

        for rank in 1...2 as ClosedRange<UInt64> {
            var standby = node(rank, Rules.self, waiting: 500)
            perform(standby.turn(at: FleetMoment(boot: 10, wall: 0)), of: &standby, on: &log, at: 10)
            #expect(standby.dueSnapshotIndex == 4)
            let due = 10 + Int64(rank) * 500
            #expect(!offers(standby, at: due - 1) && offers(standby, at: due))
        }
    }

    @Test func `an owner whose state is not that of the snapshot in the log ends, too: the log decides`() throws {
        var (log, owner) = ownedLog()
        let commands: [UInt8] = [1]
        for boot in 4..<Int64(7) {
            perform(owner.append(commands, at: FleetMoment(boot: boot, wall: 0)), of: &owner, on: &log, at: boot)
        }
        #expect(owner.isConfirmed(at: FleetMoment(boot: 7, wall: 0)))
        let kept = LogSnapshot(index: 8, epoch: 1, time: 1, chain: 1, state: [200], rules: Rules.version)
        _ = log.perform(.keep(kept), of: LogOwner(high: 9, low: 9), at: 7, lease: 4000)

        perform(owner.append(commands, at: FleetMoment(boot: 7, wall: 0)), of: &owner, on: &log, at: 7)

        #expect(log.head.index == 8)
        #expect(owner.role == .ended(.replicaDiffers))
        #expect(owner.voice(at: FleetMoment(boot: 8, wall: 0)) == nil)
    }

    @Test func `nodes that begin after different entries make snapshots after the same ones`() {
        func due(after first: UInt64) -> [UInt64] {
            var schedule = SnapshotSchedule(bytes: 1000, entries: Self.entries)
            var due: [UInt64] = []
            for index in first + 1...20 {
                schedule.count(LogEntry(.batch, epoch: 1, index: index, time: 0, horizon: 0, chain: 0))
                guard schedule.isDue else { continue }
                due.append(index)
                schedule.begin(afterSnapshotOf: 0)
            }
            return due
        }

        #expect(due(after: 0) == [4, 8, 12, 16, 20])
        #expect(due(after: 6) == [8, 12, 16, 20])
        #expect(due(after: 8) == [12, 16, 20])
    }

    @Test func `a snapshot that could not be begun at its entry stays due after as many entries`() {
        var schedule = SnapshotSchedule(bytes: 1000, entries: Self.entries)
        var isDue: [Bool] = []
        for index in 1...6 as ClosedRange<UInt64> {
            schedule.count(LogEntry(.batch, epoch: 1, index: index, time: 0, horizon: 0, chain: 0))
            isDue.append(schedule.isDue)
        }

        #expect(isDue == [false, false, false, true, true, true])
    }
}
