@testable import PopupBroker
import PopupJournal
import Synchronization
import Testing

@Suite("The pace of commits")
struct CommitPaceTests {
    @Test("is slow from a slow commit on until so many in a row were fast")
    func pace() {
        var pace = CommitPace()
        #expect(!pace.isSlow)
        pace.record(CommitPace.slow)
        #expect(!pace.isSlow)
        pace.record(CommitPace.slow + .nanoseconds(1))
        for _ in 1..<CommitPace.fastCommits { pace.record(.zero) }
        #expect(pace.isSlow)
        pace.record(.seconds(1))
        for _ in 1..<CommitPace.fastCommits { pace.record(.zero) }
        #expect(pace.isSlow)
        pace.record(.zero)
        #expect(!pace.isSlow)
    }

    @Test("decides which batches the loop commits itself: none with a slow disk, whoever found it slow")
    func committer() throws {
        let journal = SlowJournal()
        let committer = try CommitterThread(journal) {}
        defer { committer.stop() }
        let most = committer.leastEntries
        #expect(most > 1)
        journal.isSlow.store(true, ordering: .relaxed)
        _ = try committer.commit(CommandLog(), at: 0)
        #expect(committer.leastEntries == 1)
        journal.isSlow.store(false, ordering: .relaxed)
        // As many as it takes on a machine with other work.
        for _ in 0..<100_000 where committer.leastEntries == 1 { _ = try committer.commit(CommandLog(), at: 0) }
        #expect(committer.leastEntries == most)
        journal.isSlow.store(true, ordering: .relaxed)
        committer.begin(CommandLog(), at: 0)
        committer.wait()
        #expect(committer.leastEntries == 1)
    }
}

/// A journal that keeps nothing, in the time that a slow disk takes or in none.
private final class SlowJournal: Journal {
    let isSlow = Atomic(false)

    func open() throws -> JournalOpening { JournalOpening(epoch: 1, lastSequence: 0) }

    func replay(from sequence: UInt64, _ body: (borrowing JournalBatch) throws -> Void) throws {}

    func append(_ commands: RawSpan, at time: Int64) throws -> UInt64 {
        let end = ContinuousClock.now + CommitPace.slow * 2
        while isSlow.load(ordering: .relaxed), ContinuousClock.now < end {}
        return 1
    }

    func close() throws {}
}
