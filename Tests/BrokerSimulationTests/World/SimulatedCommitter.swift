@testable import PopupBroker
import PopupJournal
import PopupScheduling

/// Commits beside the broker's thread, for as long as the disk takes: the broker goes on meanwhile, and its process may end
/// before or after.
final class SimulatedCommitter: Committer {
    let leastEntries: Int
    /// Whether the next commit begins a file of the journal, for which the broker does not wait.
    private(set) var isNextCommitLong = false
    /// When what came of the batch in flight is known; `nil`: none is.
    private(set) var endsAt: Milliseconds?

    private let journal: SimulatedJournal
    private let time: () -> Milliseconds
    private let durations: [Milliseconds]
    private var dice: Dice
    private var diceOfFiles: Dice
    private var diceOfWaits: Dice
    private var job: (log: CommandLog, time: Milliseconds)?

    init(_ setting: Setting, journal: SimulatedJournal, process: Int, time: @escaping () -> Milliseconds) {
        leastEntries = setting.leastEntries
        durations = setting.commitDurations
        self.journal = journal
        self.time = time
        dice = Dice(setting.seed, for: "commits of process \(process)")
        diceOfFiles = Dice(setting.seed, for: "files of process \(process)")
        diceOfWaits = Dice(setting.seed, for: "waits of process \(process)")
    }

    var isDone: Bool { endsAt.map { $0 <= time() } ?? false }

    func begin(_ log: consuming CommandLog, at time: Milliseconds) {
        precondition(job == nil, "one batch at a time")
        job = (log, time)
        endsAt = self.time() + dice.pick(durations)
        fillFile()
    }

    func commit(_ log: borrowing CommandLog, at time: Milliseconds) throws -> Commit {
        precondition(job == nil, "one batch at a time")
        fillFile()
        return try Commit(log, to: journal, at: time)
    }

    func takeOutcome() -> CommitOutcome? {
        guard isDone, let (log, time) = job.take() else { return nil }
        endsAt = nil
        let journal = journal
        return CommitOutcome(log: log, result: Result { try Commit(log, to: journal, at: time) })
    }

    /// Adds a batch to the present file, which may be full then.
    private func fillFile() { isNextCommitLong = diceOfFiles.oneIn(8) }

    func wait() {
        if endsAt != nil { endsAt = time() }
    }

    /// A wait with a limit ends before or after the commit.
    func wait(milliseconds: Int) {
        if diceOfWaits.oneIn(2) { wait() }
    }

    func stop() {}
}
