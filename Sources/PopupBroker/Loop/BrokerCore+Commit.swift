import Logging
import PopupJournal
import PopupProtocol
import PopupScheduling
import SwiftProtobuf

// A batch lands: it is committed, and then applied in order, published as it goes. A small one is committed at once. A large
// one is handed over and lands when it is committed, while the next is gathered:
//
//     loop       gather 1 ─┬─ gather 2 ─────────┬─ apply 1 ─ gather 3 ──┬─ apply 2 ─
//     committer            └──── commit 1 ──────┴───── commit 2 ────────┴─ commit 3
//
// A batch is applied at the time at which it was handed over. Timers until then are fired before it, as a replay fires them:
// while it is in flight, as soon as the one before it has landed. Questions need no commit: they don't wait for it.
extension BrokerCore {
    /// Commits what is gathered on this thread, and applies it. No batch may be in flight.
    ///
    /// - Returns: Whether it was committed; it is refused otherwise.
    @discardableResult
    mutating func commit() throws -> Bool {
        var closed = closeBatch(at: now)
        let result = commit(closed)
        let isCommitted = try land(&closed, result)
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
        if flying != nil {
            committer?.wait()
            try landFlying(handingOver: false)
        }
        if !batch.isEmpty { try commit() }
    }

    /// Applies the batch in flight, if it is committed. A lease's end comes in a batch of its own, before anything that is
    /// received from now on: what was gathered comes before it.
    ///
    /// - Returns: Whether a batch has landed.
    mutating func landWhatIsDone() throws -> Bool {
        guard let number = flying?.number else {
            guard !batch.isEmpty, isLeaseDue else { return false }
            try commit()
            return true
        }
        if isLeaseDue {
            try drain()
        } else {
            try landFlying(handingOver: isWorthHandingOver)
        }
        return flying?.number != number
    }

    /// Hands the gathered batch over if it is large enough, and commits it at once otherwise. None may be in flight.
    mutating func commitOrHandOver() throws {
        if isWorthHandingOver { try handOver() } else { try commit() }
    }

    /// A batch is in flight, and the one after it is full: there is nothing to do but to wait.
    var isHeldUp: Bool { flying != nil && isBatchFull }

    /// Waits until the batch in flight is committed, or has failed.
    func waitForCommit() { committer?.wait() }

    private var isLeaseDue: Bool { leases.nextDue.map { $0 <= clock } ?? false }

    private var isWorthHandingOver: Bool {
        guard let committer, !batch.log.bytes.isEmpty else { return false }
        return batch.entries.count >= committer.leastEntries
    }

    /// - Parameter isNext: the gathered batch is handed over first, so that the disk has something to do meanwhile.
    private mutating func landFlying(handingOver isNext: Bool) throws {
        guard let outcome = committer?.takeOutcome(), var landing = flying.take() else { return }
        landing.log = outcome.log
        if isNext { try handOver() }
        _ = try land(&landing, outcome.result)
        spares.append(landing)
    }

    private mutating func handOver() throws {
        var closed = closeBatch(at: clock)
        try answerQuestions(of: &closed)
        // Timers until then may be told before it is committed.
        if closed.time > now { journal.note(time: closed.time) }
        var log = CommandLog()
        swap(&log, &closed.log)
        committer?.begin(log, at: closed.time)
        flying = closed
    }

    /// Ends the gathering of a batch; the next begins.
    private mutating func closeBatch(at time: Milliseconds) -> Batch {
        var closed = spares.popLast() ?? Batch()
        closed.number = batch.number + 1
        swap(&closed, &batch)
        closed.time = time
        closed.reserved = producers.beginBatch()
        return closed
    }

    /// Applies a batch that is committed, or refuses it, and empties it. Returns whether it was committed.
    private mutating func land(_ landing: inout Batch, _ result: Result<Commit, any Error>?) throws -> Bool {
        var sequence: UInt64?
        var isCommitted = true
        switch result {
        case .success(let commit)?:
            stats.batches += 1
            sequence = commit.sequence
            settledUntil = max(settledUntil, landing.time)
            if commit.isSnapshotOverdue { snapshotter?.begin(.steady, at: now) }
            now = max(now, landing.time)
            try fireDueTimers()
        case .failure(let error)?:
            stats.batches += 1
            failures.note(error, at: now)
            refuse(uncommitted: &landing)
            isCommitted = false
        case nil: break
        }
        do {
            // Held once for all of them.
            let text = landing.log.bytes
            for index in landing.entries.indices { try apply(landing.entries[index], of: landing, text.span.bytes) }
        }
        try finish(landing, sequence)
        producers.endBatch(reserved: landing.reserved)
        landing.removeAll()
        return isCommitted
    }

    /// Nothing that isn't committed is applied.
    private mutating func refuse(uncommitted failed: inout Batch) {
        refuseNumbers(of: &failed)
        let others = failed.others
        failed.entries.removeAll { entry in
            guard case .other(let place) = entry.content else { return false }
            switch others[Int(place)] {
            case .timeZone, .beginning: return true
            default: return false
            }
        }
        for index in failed.entries.indices where !failed.entries[index].range.isEmpty {
            let other = failed.other(failed.entries[index])
            if case .decoded(let command) = other { endChange(by: command) }
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
