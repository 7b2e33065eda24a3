import PopupJournal
import Synchronization
import Testing

@testable import PopupFleet

/// A log of which only the snapshots can be read.
private final class SnapshotLog: SharedLog {
    /// The condition of a snapshot.
    enum Condition: Sendable {
        case whole
        /// What it consists of is not what was written.
        case damaged
        /// What it consists of is not there.
        case torn
    }

    let maxEntryBytes = 1000
    let lease: Int64 = 4000
    /// The snapshots, as they are one after another: each time that they are listed, the next ones take their place.
    private let stages: Mutex<[[UInt64: Condition]]>
    /// The digest of the snapshot that another node has kept; `nil`: no snapshot is taken.
    private let kept: SnapshotDigest?
    private let headError: SharedLogError

    init(
        _ conditions: [UInt64: Condition], then later: [[UInt64: Condition]] = [], kept: SnapshotDigest? = nil,
        headError: SharedLogError = .unknown("no head")
    ) {
        stages = Mutex([conditions] + later)
        self.kept = kept
        self.headError = headError
    }

    func snapshots() -> [UInt64] {
        stages.withLock { stages in
            defer { if stages.count > 1 { stages.removeFirst() } }
            return stages[0].keys.sorted()
        }
    }

    func snapshot(at index: UInt64) throws(SharedLogError) -> LogSnapshot? {
        switch stages.withLock({ $0[0][index] }) {
        case .whole: Self.snapshot(index)
        case .damaged: throw .unreadable(.damaged)
        case .torn, nil: nil
        }
    }

    static func snapshot(_ index: UInt64) -> LogSnapshot {
        LogSnapshot(index: index, epoch: 1, time: 1000, chain: 0, state: [UInt8(index)])
    }

    func head() throws(SharedLogError) -> LogHead? { throw headError }
    func entries(in range: ClosedRange<UInt64>) throws(SharedLogError) -> [LogEntry] { throw .unknown("no entries") }
    func write(_ write: HeadWrite) throws(SharedLogError) -> HeadAnswer { throw .unknown("no writes") }
    func claim(as owner: LogOwner) throws(SharedLogError) -> Bool { throw .unknown("no claims") }
    func renewClaim(of owner: LogOwner) throws(SharedLogError) -> Bool { throw .unknown("no claims") }
    func releaseClaim(of owner: LogOwner) throws(SharedLogError) { throw .unknown("no claims") }
    func hints() -> AsyncStream<LogHint> { AsyncStream { $0.finish() } }
    func keep(_ snapshot: LogSnapshot, by owner: LogOwner) throws(SharedLogError) {
        if kept == nil { throw .unknown("no writes") }
    }

    func digest(ofSnapshotAt index: UInt64) -> SnapshotDigest? { kept }
    func drop(_ plan: LogDropPlan) throws(SharedLogError) { throw .unknown("no writes") }
    func orders() throws(SharedLogError) -> LogOrders { throw .unknown("no orders") }
}

/// The snapshot from which a node goes on.
@Suite struct SharedLogCallsTests {
    private let node = LogOwner(high: 1, low: 2)

    @Test func `a node goes on from the newest snapshot`() async {
        let reply = await SnapshotLog([3: .damaged, 6: .whole]).reply(to: .readSnapshot, of: node)

        #expect(reply.answer == .snapshot(SnapshotLog.snapshot(6)))
        #expect(reply.error == nil)
    }

    @Test(arguments: [SnapshotLog.Condition.damaged, .torn])
    fileprivate func `a node goes on from the older snapshot if the newest is damaged, and that is told`(
        newest: SnapshotLog.Condition
    ) async {
        let reply = await SnapshotLog([3: .whole, 6: newest]).reply(to: .readSnapshot, of: node)

        #expect(reply.answer == .snapshot(SnapshotLog.snapshot(3)))
        #expect(reply.error == .unreadable(.damaged))
    }

    @Test func `a log without a snapshot that is whole cannot be read; one without snapshots has none`() async {
        let damaged = SnapshotLog([3: .torn, 6: .damaged])

        #expect(await damaged.answer(to: .readSnapshot, of: node) == .unreadable)
        #expect(await SnapshotLog([3: .torn]).answer(to: .readSnapshot, of: node) == .unreadable)
        #expect(await SnapshotLog([:]).answer(to: .readSnapshot, of: node) == .snapshot(nil))
    }

    @Test func `a node goes on from a later snapshot if those that it was to read are removed meanwhile`() async {
        let log = SnapshotLog([3: .whole, 6: .whole], then: [[9: .whole, 12: .whole]])
        #expect(await log.answer(to: .readSnapshot, of: node) == .snapshot(SnapshotLog.snapshot(12)))

        let busy = SnapshotLog([1: .whole], then: (2...9).map { [$0: .whole] })
        #expect(await busy.answer(to: .readSnapshot, of: node) == .unknown)
    }

    @Test func `a snapshot that another node has kept is compared if the same rules have made it`() async {
        var own = SnapshotLog.snapshot(6)
        own.rules = 1
        func answer(_ change: (inout SnapshotDigest) -> Void) async -> FleetAnswer {
            var kept = own.digest
            change(&kept)
            return await SnapshotLog([6: .whole], kept: kept).answer(to: .keep(own), of: node)
        }

        #expect(await answer { _ in } == .snapshots([6]))
        #expect(await answer { $0.checksum ^= 1 } == .snapshotDiffers)
        #expect(await answer { $0.byteCount += 1 } == .snapshotDiffers)
        #expect(await answer { ($0.rules, $0.checksum) = (2, 0) } == .snapshots([6]))
        #expect(await answer { ($0.rules, $0.checksum) = (0, 0) } == .snapshots([6]))
    }

    @Test func `a record of a newer version is told from a damaged one`() async {
        for (error, answer) in [(LogRecordError.newer, FleetAnswer.newer), (.damaged, .unreadable)] {
            let log = SnapshotLog([:], headError: .unreadable(error))

            #expect(await log.answer(to: .readHead, of: node) == answer)
        }
    }
}
