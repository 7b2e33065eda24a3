@testable import PopupBroker
import PopupJournal

/// A broker whose batches are in flight until the test lets them land.
final class Pipeline {
    let journal = FullableJournal()
    let committer: HeldCommitter
    let broker: Harness

    init(
        _ configuration: BrokerConfiguration = BrokerConfiguration(), leastEntries: Int = 1,
        plugins: [any BrokerPlugin] = [], subscriptions: [String] = [], isShared: Bool = false,
        batchBytes: Int? = nil, maxBatchBytes: Int? = nil
    ) throws {
        if isShared { journal.commitWait = .network }
        if let batchBytes { journal.preferredBatchBytes = batchBytes }
        if let maxBatchBytes { (journal.maxBatchBytes, journal.mostBytes) = (maxBatchBytes, maxBatchBytes) }
        committer = HeldCommitter(journal, leastEntries: leastEntries)
        broker = try Harness(
            configuration, journal: journal, plugins: plugins, subscriptions: subscriptions, committer: committer)
    }

    /// The batch in flight is committed, and no other after it.
    func complete() throws {
        committer.isHolding = false
        _ = try broker.turnOnce()
        committer.isHolding = true
    }

    /// Nothing is held back any more.
    func flow() throws {
        committer.isHolding = false
        repeat { try broker.turn() } while committer.isInFlight
    }
}
