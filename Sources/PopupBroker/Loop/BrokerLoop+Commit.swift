import PopupJournal
import PopupProtocol
import PopupScheduling

// Commits. Committed batches are applied in order, and their results are published.
//
// A batch is applied at the time at which it was submitted. Timers until then fire before it, as in a replay: while it
// is in flight, they fire once the previous batch has completed. Queries are not committed, so they do not wait for it.
extension BrokerLoop {
    /// Commits the gathered batch on this thread, and applies it within the turn's budget. No batch may be in flight or
    /// being applied.
    ///
    /// - Returns: Whether it was committed; otherwise it is refused.
    @discardableResult
    mutating func commit() throws -> Bool {
        closeBatch()
        let isCommitted = try pipeline.commit(at: now)
        try complete(isCommitted)
        return isCommitted
    }

    /// Commits and applies everything that was received.
    mutating func drain() throws {
        let left = steps.liftBudget()
        defer { steps.resume(with: left) }
        try applyMore()
        if pipeline.isInFlight {
            pipeline.wait()
            _ = try completeInFlight(submitting: false)
        }
        if !pipeline.gathered.isEmpty { try commit() }
        while admission.isHolding {
            if pipeline.gathered.isEmpty { pipeline.gathered.forgetMessages() }
            try admitHeld()
            if !pipeline.gathered.isEmpty { try commit() }
        }
    }

    /// Continues the batch that is being applied, or else applies the one in flight if it is committed. The end of a
    /// lease is committed in a batch of its own, after the gathered batch and before anything that is received from now
    /// on. With a shared journal, the loop never waits for it: the ends of leases go with the next batch. It does not
    /// wait for a commit that takes long, either: leases that end meanwhile come after what is received until then, in
    /// one batch with it.
    ///
    /// - Returns: Whether a batch, or a part of it, was applied.
    mutating func completeWhatIsDone() throws -> Bool {
        guard !pipeline.isApplying else {
            try applyMore()
            return true
        }
        if pipeline.isShared {
            guard pipeline.isInFlight, pipeline.isDone else { return false }
            if isLeaseDue { enterLeaseEnds() }
            return try completeInFlight(submitting: pipeline.isWorthSubmitting)
        }
        guard pipeline.isInFlight else {
            guard !pipeline.gathered.isEmpty, isLeaseDue else { return false }
            guard !pipeline.isNextCommitLong, !pipeline.wasLong else {
                // The ends go with this batch. Under load, there would always be another one to wait for.
                enterLeaseEnds()
                try submit()
                return false
            }
            try commit()
            return true
        }
        guard isLeaseDue else { return try completeInFlight(submitting: pipeline.isWorthSubmitting) }
        guard pipeline.waitBriefly() else { return false }
        return try completeInFlight(submitting: false)
    }

    /// Submits the gathered batch if it is large enough, otherwise commits it at once. No batch may be in flight.
    mutating func commitOrSubmit() throws {
        if pipeline.isWorthSubmitting { try submit() } else { try commit() }
    }

    /// Applies the batch in flight, or a part of it, if it is committed.
    ///
    /// - Parameter isNext: Whether to submit the gathered batch first, so that it is written meanwhile.
    /// - Returns: Whether the batch in flight was committed or has failed.
    private mutating func completeInFlight(submitting isNext: Bool) throws -> Bool {
        guard let isCommitted = try pipeline.takeCompleted(at: now) else { return false }
        if isNext { try submit() }
        try complete(isCommitted)
        return true
    }

    private mutating func submit() throws {
        for (query, refusal) in pipeline.gathered.takeQueries() {
            try publisher.publish(refusal.map { WireReply(to: query, refusedFor: $0) } ?? answer(query))
        }
        closeBatch()
        pipeline.submit(at: time.clock, now)
    }

    /// Closes the gathered batch. The next one begins.
    private mutating func closeBatch() {
        acknowledgements.closeBatch(in: &state)
        admission.beginBatch()
        access.closeBatch()
    }

    /// Applies a committed batch within the turn's budget, or refuses a batch that could not be committed.
    private mutating func complete(_ isCommitted: Bool) throws {
        if !isCommitted {
            let refusal = CommandRefusal(.overload, CommitPipeline.uncommitted)
            acknowledgements.refuseOldestBatch(refusal, at: now)
            calls.recordUncommittedBatch()
            for client in pipeline.applying.leaseClients {
                leases.endChange(of: client)
                // The end of a lease is tried again.
                leases.postpone(client, at: time.clock)
            }
        } else if pipeline.progress.sequence != nil {
            time.markDecided(until: pipeline.applying.time)
            time.advance(to: pipeline.applying.time)
        }
        try applyMore()
    }

    /// Continues the batch that is being applied.
    private mutating func applyMore() throws {
        guard pipeline.isApplying else { return }
        if pipeline.progress.wantsTimers {
            guard try fireDueTimers() else { return }
            pipeline.passTimers()
        }
        guard try applyEntries() else {
            try publisher.publishFeed()
            // Plugins are notified of complete batches only.
            if !admission.hasPlugins { forgetResults() }
            return
        }
        if let sequence = pipeline.progress.sequence { state.endBatch(sequence, at: pipeline.applying.time) }
        try finishBatch()
        acknowledgements.endOldestBatch(in: &state)
        access.endOldestBatch()
        pipeline.endApplying()
    }

    /// Applies entries within the turn's budget.
    ///
    /// - Returns: Whether all entries are applied.
    private mutating func applyEntries() throws -> Bool {
        // One reference to the log for all entries.
        let text = pipeline.applying.log.bytes
        while true {
            if pipeline.progress.hasSetWallClock, !isTimerDue { pipeline.passQuietWindows() }
            let hasWork = state.scheduler.hasWork || pipeline.progress.hasSetWallClock
            guard hasWork || pipeline.hasNextEntry else { return true }
            guard !steps.isSpent else { return false }
            let mark = steps.mark(in: state)
            if hasWork {
                // A wall clock that was set may make many timers due.
                if !state.scheduler.hasWork { steps.chargeTimer() }
                _ = steps.advance(&state, to: now)
                // Work that a command left for later steps is attributed to its user.
                try steps.publishOfAuthor(by: &publisher, in: state, at: time.clock)
            } else {
                try apply(pipeline.nextEntry, text.span.bytes)
                pipeline.passEntry()
            }
            steps.spend(since: mark, in: state, publisher)
        }
    }

    private var isTimerDue: Bool { state.scheduler.nextDeadline.map { $0 <= now } ?? false }
}
