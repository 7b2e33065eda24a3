internal import EtcdLog
internal import PopupJournal
internal import Synchronization

/// The place where nodes say what they are.
protocol NodeBoard: Sendable {
    /// Says what a node is, under the lease of the last time, if there is one. Returns the lease for the next time.
    func announce(_ record: NodeRecord, under lease: Int64?) async throws(SharedLogError) -> Int64

    /// Takes back what was said under a lease.
    func withdraw(under lease: Int64) async throws(SharedLogError)
}

extension EtcdLog: NodeBoard {}

/// The statement of a node about itself in etcd, while it runs.
final class NodePresence: Sendable {
    /// The time between signs of life, in ms: a third of the time for which they count.
    private static let interval = 3000
    /// The time after which a change is told, in ms.
    private static let pause = 200

    private let board: any NodeBoard
    private let record: Mutex<NodeRecord>
    /// Whether nothing more is to be said.
    let isEnding = Switch()
    private let saying = Mutex<Task<Int64?, Never>?>(nil)

    /// Creates the presence of a node, of which nothing is said yet.
    init(_ record: NodeRecord, _ board: any NodeBoard) {
        self.record = Mutex(record)
        self.board = board
    }

    /// The statement as it is now.
    var present: NodeRecord { record.withLock { $0 } }

    /// Changes what is said.
    func change(_ body: (inout NodeRecord) -> Void) { record.withLock { body(&$0) } }

    /// Begins to say it again and again, until `end`.
    ///
    /// - Parameter index: Returns the index of the last entry that the node has applied. It is told with each sign of life.
    func begin(index: @escaping @Sendable () async -> UInt64) {
        saying.withLock { $0 = Task { await self.say(index: index) } }
    }

    /// Takes back what was said, if etcd answers.
    func end() async {
        isEnding.set()
        // What is on its way may be said under a new lease.
        guard let lease = await saying.withLock({ $0.take() })?.value else { return }
        try? await board.withdraw(under: lease)
    }

    /// Says it until the end, and returns the last lease.
    private func say(index: @Sendable () async -> UInt64) async -> Int64? {
        var lease: Int64?
        var said: NodeRecord?
        var next = ContinuousClock.now
        while !isEnding.isSet {
            if ContinuousClock.now >= next {
                let index = await index()
                change { $0.index = index }
            }
            let record = present
            if record != said || ContinuousClock.now >= next {
                // Nothing that is safe depends on it: without an answer it is said again with the next sign of life.
                if let found = try? await board.announce(record, under: lease) { lease = found }
                said = record
                next = .now + .milliseconds(Self.interval)
            }
            try? await Task.sleep(for: .milliseconds(Self.pause))
        }
        return lease
    }
}

extension NodeRecord {
    /// The `configuration` of an owner whose policies were refused, so that those of the log are in force: no checksum.
    static let refusedPolicies: UInt32 = 0
}
