import Logging
import PopupJournal
import PopupProtocol
import PopupScheduling
import SwiftProtobuf

// A batch completes: it is committed, and then applied in order, published as it goes. A small one is committed at
// once. A large one is handed over and completes when it is committed, while the next is gathered:
//
//     loop       gather 1 ─┬─ gather 2 ─────────┬─ apply 1 ─ gather 3 ──┬─ apply 2 ─
//     committer            └──── commit 1 ──────┴───── commit 2 ────────┴─ commit 3
//
// A batch is applied at the time at which it was handed over. Timers until then are fired before it, as a replay fires
// them: while it is in flight, as soon as the one before it has completed. Questions need no commit: they don't wait
// for it.
extension BrokerCore {
    /// Commits what is gathered on this thread, and applies it, as far as the turn's budget goes. No batch may be in
    /// flight or being applied.
    ///
    /// - Returns: Whether it was committed; it is refused otherwise.
    @discardableResult
    mutating func commit() throws -> Bool {
        var closed = closeBatch(at: now)
        let result = commit(closed)
        let isCommitted = try complete(&closed, result)
        spares.append(consume closed)
        return isCommitted
    }

    /// Commits what a batch has on this thread; `nil` when there is nothing to be committed.
    private func commit(_ closed: borrowing Batch) -> Result<Commit, any Error>? {
        guard !closed.log.bytes.isEmpty else { return nil }
        do {
            // No reference is counted where there is none.
            if committer != nil, let committer {
                return .success(try committer.commit(closed.log, at: closed.time))
            }
            return .success(try Commit(closed.log, to: journal, at: closed.time))
        } catch {
            return .failure(error)
        }
    }

    /// Commits and applies all that was received.
    mutating func drain() throws {
        let turn = budget
        budget = .unlimited
        defer { budget = turn }
        try continueCompletion()
        if inFlight != nil {
            committer?.wait()
            try completeInFlight(submitting: false)
        }
        if !batch.isEmpty { try commit() }
    }

    /// Goes on with the batch that is being applied, or else applies the one in flight, if it is committed. A lease's
    /// end comes in a batch of its own, before anything that is received from now on: what was gathered comes before
    /// it.
    ///
    /// - Returns: Whether a batch has completed, or a part of it.
    mutating func completeWhatIsDone() throws -> Bool {
        guard completed == nil else {
            try continueCompletion()
            return true
        }
        guard inFlight != nil else {
            guard !batch.isEmpty, isLeaseDue else { return false }
            try commit()
            return true
        }
        guard isLeaseDue else { return try completeInFlight(submitting: isWorthSubmitting) }
        committer?.wait()
        return try completeInFlight(submitting: false)
    }

    /// Hands the gathered batch over if it is large enough, and commits it at once otherwise. None may be in flight.
    mutating func commitOrHandOver() throws {
        if isWorthSubmitting { try submit() } else { try commit() }
    }

    /// A batch is in flight, and the one after it is full: there is nothing to do but to wait.
    var isBackPressured: Bool { completed == nil && inFlight != nil && isBatchFull }

    /// A batch is in flight or is being applied: what comes is gathered for a later one, and questions don't wait for
    /// it.
    var isCommitting: Bool { inFlight != nil || completed != nil }

    /// Waits until the batch in flight is committed, or has failed.
    func waitForCommit() { committer?.wait() }

    var isLeaseDue: Bool { leases.nextDue.map { $0 <= clock } ?? false }

    private var isWorthSubmitting: Bool {
        guard let committer, !batch.log.bytes.isEmpty else { return false }
        return batch.entries.count >= committer.leastEntries
    }

    /// Applies the batch in flight, or a part of it, if it is committed.
    ///
    /// - Parameter isNext: the gathered batch is handed over first, so that the disk has something to do meanwhile.
    /// - Returns: Whether it was committed, or has failed.
    @discardableResult
    private mutating func completeInFlight(submitting isNext: Bool) throws -> Bool {
        guard let outcome = committer?.takeOutcome(), var completed = inFlight.take() else { return false }
        completed.log = outcome.log
        if isNext { try submit() }
        _ = try complete(&completed, outcome.result)
        spares.append(completed)
        return true
    }

    private mutating func submit() throws {
        var closed = closeBatch(at: clock)
        try answerQuestions(of: &closed)
        // Timers until then may be told before it is committed.
        if closed.time > now { journal.note(time: closed.time) }
        var log = CommandLog()
        swap(&log, &closed.log)
        committer?.begin(log, at: closed.time)
        inFlight = closed
    }

    /// Ends the gathering of a batch; the next begins.
    private mutating func closeBatch(at time: Milliseconds) -> Batch {
        var closed = spares.popLast() ?? Batch()
        swap(&closed, &batch)
        closed.time = time
        acknowledgements.closeBatch(in: &state.producers)
        readZones.removeAll()
        return closed
    }

    /// Applies a batch that is committed, or refuses it, as far as the turn's budget goes. What is at its end is
    /// emptied.
    ///
    /// - Returns: Whether it was committed.
    private mutating func complete(_ closed: inout Batch, _ result: Result<Commit, any Error>?) throws -> Bool {
        var sequence: UInt64?
        var isCommitted = true
        switch result {
        case .success(let commit)?:
            stats.batches += 1
            sequence = commit.sequence
            settledUntil = max(settledUntil, closed.time)
            if commit.isSnapshotOverdue { snapshotter?.begin(.steady, at: now) }
            now = max(now, closed.time)
        case .failure(let error)?:
            stats.batches += 1
            failures.note(error, at: now)
            refuse(uncommitted: &closed)
            isCommitted = false
        case nil: break
        }
        var progress = CompletionProgress(sequence: sequence, wantsTimers: sequence != nil)
        if try !apply(&closed, &progress) {
            completed = CompletedBatch(batch: closed, progress: progress)
            closed = Batch()
        }
        return isCommitted
    }

    /// Applies more of the batch that is being applied.
    mutating func continueCompletion() throws {
        guard var rest = completed.take() else { return }
        if try apply(&rest.batch, &rest.progress) {
            spares.append(rest.batch)
        } else {
            completed = rest
        }
    }

    /// Applies a batch from where it has got to, and empties it at its end.
    ///
    /// - Returns: Whether it is at its end.
    private mutating func apply(_ batch: inout Batch, _ progress: inout CompletionProgress) throws -> Bool {
        if progress.wantsTimers {
            guard try fireDueTimers() else { return false }
            progress.wantsTimers = false
        }
        guard try applyEntries(of: batch, &progress) else {
            try publisher.publishFeed()
            // Plugins are told of a batch as a whole.
            if plugins.isEmpty { forgetOutput() }
            return false
        }
        if let sequence = progress.sequence { state.endBatch(sequence, at: batch.time) }
        try finish(batch, progress.sequence)
        acknowledgements.endOldestBatch(in: &state.producers)
        batch.removeAll()
        return true
    }

    /// - Returns: Whether all are applied.
    private mutating func applyEntries(of batch: borrowing Batch, _ progress: inout CompletionProgress) throws -> Bool {
        // Held once for all of them.
        let text = batch.log.bytes
        while true {
            let hasWork = state.scheduler.hasWork
            guard hasWork || progress.next < batch.entries.count else { return true }
            guard !budget.isSpent else { return false }
            let mark = workMark
            if hasWork {
                _ = state.advance(to: now, into: &output)
                try publisher.publishChanges(of: output, in: state, at: now)
            } else {
                try apply(batch.entries[progress.next], of: batch, text.span.bytes)
                progress.next += 1
            }
            spend(since: mark)
        }
    }

    /// Nothing that isn't committed is applied.
    private mutating func refuse(uncommitted failed: inout Batch) {
        acknowledgements.refuseOldestBatch(CommandRefusal(.overload, Self.uncommitted), at: now)
        for index in failed.entries.indices { failed.entries[index].number = BatchEntry.unnumbered }
        let others = failed.others
        failed.entries.removeAll { entry in
            guard case .other(let place) = entry.content else { return false }
            switch others[Int(place)] {
            case .state(.timeZone), .state(.settings): return true
            default: return false
            }
        }
        for index in failed.entries.indices where !failed.entries[index].range.isEmpty {
            let other = failed.other(failed.entries[index])
            if case .state(.command(let command)) = other { endChange(by: command) }
            let bytes = Array(failed.log.bytes[failed.entries[index].range])
            let subject = (try? WireCommand(serializedBytes: bytes))?.subject
            let refusal = CommandRefusal(
                .overload, Self.uncommitted, group: subject.flatMap { GroupName($0.group) }, popup: subject?.popup ?? ""
            )
            var query: WireQuery?
            if case .query(let asked) = other { query = asked }
            failed.entries[index].content = failed.keep(.refused(refusal, query))
        }
    }

    static let uncommitted = "the journal could not commit it; send it again later"
}
