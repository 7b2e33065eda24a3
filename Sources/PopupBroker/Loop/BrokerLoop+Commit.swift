import PopupJournal
import PopupProtocol
import PopupScheduling

// What is committed is applied in order, and published as it goes.
//
// A batch is applied at the time at which it was submitted. Timers until then are fired before it, as a replay fires
// them: while it is in flight, as soon as the one before it has completed. Questions need no commit: they don't wait
// for it.
extension BrokerLoop {
    /// Commits what is gathered on this thread, and applies it, as far as the turn's budget goes. No batch may be in
    /// flight or being applied.
    ///
    /// - Returns: Whether it was committed; it is refused otherwise.
    @discardableResult
    mutating func commit() throws -> Bool {
        closeBatch()
        let isCommitted = pipeline.commit(at: now)
        try complete(isCommitted)
        return isCommitted
    }

    /// Commits and applies all that was received.
    mutating func drain() throws {
        let turn = budget
        budget = .unlimited
        defer { budget = turn }
        try applyMore()
        if pipeline.isInFlight {
            pipeline.wait()
            _ = try completeInFlight(submitting: false)
        }
        if !pipeline.gathered.isEmpty { try commit() }
    }

    /// Goes on with the batch that is being applied, or else applies the one in flight, if it is committed. A lease's
    /// end comes in a batch of its own, before anything that is received from now on: what was gathered comes before
    /// it.
    ///
    /// - Returns: Whether a batch has completed, or a part of it.
    mutating func completeWhatIsDone() throws -> Bool {
        guard !pipeline.isApplying else {
            try applyMore()
            return true
        }
        guard pipeline.isInFlight else {
            guard !pipeline.gathered.isEmpty, isLeaseDue else { return false }
            try commit()
            return true
        }
        guard isLeaseDue else { return try completeInFlight(submitting: pipeline.isWorthSubmitting) }
        pipeline.wait()
        return try completeInFlight(submitting: false)
    }

    /// Submits the gathered batch if it is large enough, and commits it at once otherwise. None may be in flight.
    mutating func commitOrSubmit() throws {
        if pipeline.isWorthSubmitting { try submit() } else { try commit() }
    }

    var isLeaseDue: Bool { leases.nextDue.map { $0 <= clock } ?? false }

    /// Applies the batch in flight, or a part of it, if it is committed.
    ///
    /// - Parameter isNext: the gathered batch is submitted first, so that the disk has something to do meanwhile.
    /// - Returns: Whether it was committed, or has failed.
    private mutating func completeInFlight(submitting isNext: Bool) throws -> Bool {
        guard let isCommitted = pipeline.takeCompleted(at: now) else { return false }
        if isNext { try submit() }
        try complete(isCommitted)
        return true
    }

    private mutating func submit() throws {
        for (query, refusal) in pipeline.gathered.takeQuestions() {
            try publisher.publish(refusal.map { Self.refused(query, $0) } ?? answer(query))
        }
        closeBatch()
        pipeline.submit(at: clock, now)
    }

    /// Ends the gathering of a batch; the next begins.
    private mutating func closeBatch() {
        acknowledgements.closeBatch(in: &state.producers)
        admission.beginBatch()
    }

    /// Applies a batch that is committed, or refuses it, as far as the turn's budget goes.
    private mutating func complete(_ isCommitted: Bool) throws {
        if !isCommitted {
            let refusal = CommandRefusal(.overload, CommitPipeline.uncommitted)
            acknowledgements.refuseOldestBatch(refusal, at: now)
            for client in pipeline.applying.leaseClients { leases.endChange(of: client) }
        } else if pipeline.progress.sequence != nil {
            settledUntil = max(settledUntil, pipeline.applying.time)
            now = max(now, pipeline.applying.time)
        }
        try applyMore()
    }

    /// Applies the batch that is being applied from where it has got to.
    private mutating func applyMore() throws {
        guard pipeline.isApplying else { return }
        if pipeline.progress.wantsTimers {
            guard try fireDueTimers() else { return }
            pipeline.progress.wantsTimers = false
        }
        guard try applyEntries() else {
            try publisher.publishFeed()
            // Plugins are told of a batch as a whole.
            if admission.plugins.isEmpty { forgetOutput() }
            return
        }
        if let sequence = pipeline.progress.sequence { state.endBatch(sequence, at: pipeline.applying.time) }
        try finishBatch()
        acknowledgements.endOldestBatch(in: &state.producers)
        pipeline.endApplying()
    }

    /// - Returns: Whether all are applied.
    private mutating func applyEntries() throws -> Bool {
        // Held once for all of them.
        let text = pipeline.applying.log.bytes
        while true {
            if isWallClockSet, !isTimerDue { isWallClockSet = false }
            let hasWork = state.scheduler.hasWork || isWallClockSet
            guard hasWork || pipeline.progress.next < pipeline.applying.entries.count else { return true }
            guard !budget.isSpent else { return false }
            let mark = workMark
            if hasWork {
                _ = state.advance(to: now, into: &output)
                // What a command left to do is still its user's.
                try publisher.publishChanges(of: output, in: state, by: actor, at: now)
            } else {
                try apply(pipeline.applying.entries[pipeline.progress.next], text.span.bytes)
                pipeline.progress.next += 1
            }
            spend(since: mark)
        }
    }

    private var isTimerDue: Bool { state.scheduler.nextDeadline.map { $0 <= now } ?? false }
}
