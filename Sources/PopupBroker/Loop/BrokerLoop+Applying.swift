import PopupJournal
import PopupProtocol
import PopupScheduling
import SwiftProtobuf

// Committed batches are applied entry by entry, and the results are published.
extension BrokerLoop {
    /// Applies one entry of the batch that is being applied, with this log, and publishes the changes.
    @inline(__always)
    mutating func apply(_ entry: BatchEntry, _ log: RawSpan) throws {
        let origin = origin(of: entry)
        if entry.sender != author.sender { change(toSenderOf: entry, log) }
        switch entry.content {
        case .show(let index):
            stats.commands.count(.show)
            let outcome = state.apply(
                pipeline.applying.shows[index.number].request, log.extracting(entry.range), from: origin, at: now,
                into: &output)
            record(outcome, of: entry)
        case .dismiss(let index):
            stats.commands.count(.dismiss)
            let outcome = state.apply(
                pipeline.applying.dismissals[index.number], log.extracting(entry.range), by: entry.producer,
                from: origin,
                at: now,
                into: &output)
            record(outcome, of: entry)
        case .other(let index):
            try apply(pipeline.applying.others[index.number], of: entry, from: origin)
        }
        try publisher.publishChanges(of: output, in: state, by: author.name, at: time.clock)
    }

    /// Reads the name of the user of an entry, which is not that of the one before.
    private mutating func change(toSenderOf entry: BatchEntry, _ log: RawSpan) {
        author.change(to: entry.sender, log.extracting(entry.range))
        state.setUser(author.name)
    }

    private mutating func apply(
        _ other: BatchEntry.Other, of entry: BatchEntry, from origin: BrokerState.Origin?
    ) throws {
        switch other {
        case .state(let change):
            if let kind = entry.kind { stats.commands.count(kind) }
            if case .command(let command) = change { leases.endChange(by: command) }
            let outcome = state.apply(change, from: origin, at: now, into: &output)
            if case .wallClock = change { pipeline.progress.recordWallClock() }
            if outcome.refusal == nil, case .command(let command) = change, case .lease(let lease) = command.command {
                leases.renew(lease, at: now)
            }
            record(outcome, of: entry)
        case .query(let query):
            try publisher.publish(answer(query))
            record(state.apply(.query, from: origin, at: now, into: &output), of: entry)
        case .answered:
            record(state.apply(.query, from: origin, at: now, into: &output), of: entry)
        case .refused(let refusal, let query):
            try report(refusal, query)
            if let number = entry.number {
                let change = BrokerState.Entry.refused(SettledRefusal(refusal))
                let outcome = state.apply(change, from: origin, at: now, into: &output)
                acknowledgements.settle(outcome, of: number, at: now)
            }
            if let call = entry.call { calls.answer(call, refusal) }
        case .repetition(let refusal):
            if let call = entry.call { calls.answer(call, refusal) }
        case .pendingRepetition(let sender):
            let refusal = isSettled(sender) ? settledRefusal(of: sender) : .unsettledRepetition
            if let call = entry.call { calls.answer(call, refusal) }
        }
    }

    /// Returns the producer and the sequence of an entry; `nil` if it requires no acknowledgement.
    @inline(__always)
    private func origin(of entry: BatchEntry) -> BrokerState.Origin? {
        entry.number.map { acknowledgements.origin(of: $0) }
    }

    /// Records the outcome of an entry for its producer or its caller.
    @inline(__always)
    private mutating func record(_ outcome: BrokerState.Outcome, of entry: BatchEntry) {
        if let number = entry.number { acknowledgements.settle(outcome, of: number, at: now) }
        if let refusal = outcome.refusal { return report(refusal, of: entry) }
        if let call = entry.call { calls.answer(call, nil) }
    }

    private mutating func report(_ refusal: PopupScheduling.Refusal, of entry: BatchEntry) {
        stats.refused.count(WireRefused.Reason(refusal.reason))
        // If the group is known, the refusal is the last event.
        var group = ""
        var popup = ""
        if let event = output.events.last, case .refused = event.kind {
            group = output.string(event.group)
            popup = output.string(event.popup)
        }
        logs.logRefusal(WireRefused.Reason(refusal.reason), refusal.detail, group: group, popup: popup, at: now)
        if let call = entry.call {
            let refusal = CommandRefusal(
                WireRefused.Reason(refusal.reason), refusal.detail, group: GroupName(group), popup: popup)
            calls.answer(call, refusal)
        }
    }

    /// Publishes and logs a refusal.
    private mutating func report(_ refusal: CommandRefusal, _ query: WireQuery?) throws {
        stats.refused.count(refusal.reason)
        logs.logRefusal(
            refusal.reason, refusal.detail, group: refusal.group?.text ?? "", popup: refusal.popup, at: now)
        if let query { try publisher.publish(WireReply(to: query, refusedFor: refusal)) }
        guard refusal.group != nil else { return }
        stats.events.countRefusal()
        var event = EventEncoder.event(refusal, at: now + state.scheduler.wallClockLead)
        event.path = state.scheduler.path(ofGroup: Array(event.group.utf8).span.bytes)
        try publisher.publish(event)
    }

    /// Ends a batch: publishes the feed and notifies the plugins.
    mutating func finishBatch() throws {
        try publisher.publishFeed()
        if !admission.plugins.isEmpty, !pipeline.applying.isEmpty || !output.events.isEmpty {
            notifyPlugins(pipeline.applying, pipeline.progress.sequence)
        }
        logs.logForgetting(window: state.scheduler.rememberedWindow(at: now), of: state.scheduler.limits)
        forgetOutput()
    }

    /// Ends a run of timers: publishes the feed and notifies the plugins.
    mutating func finishTimers() throws {
        try publisher.publishFeed()
        if !admission.plugins.isEmpty, !output.events.isEmpty { notifyPlugins(Batch(), nil) }
        forgetOutput()
    }

    mutating func forgetOutput() {
        EventCounts.count(output.events, in: &stats.events)
        stats.countLateReports(output.lateReports)
        output.removeAll()
        publisher.forgetOutput()
    }

    private func notifyPlugins(_ batch: borrowing Batch, _ sequence: UInt64?) {
        var commands: [CommittedCommand] = []
        var refusals: [CommandRefusal] = []
        var removedPolicies: [String] = []
        var wallClockSettings: [WallClockSetting] = []
        for index in batch.entries.indices {
            let entry = batch.entries[index]
            var isOfConfiguration = false
            switch batch.other(entry) {
            case .refused(let refusal, _):
                refusals.append(refusal)
                continue
            case .state(.removedPolicy(let pattern)):
                removedPolicies.append(pattern)
            case .state(.configuredPolicy):
                isOfConfiguration = true
            case .state(.wallClock(let setting)):
                wallClockSettings.append(WallClockSetting(lead: setting.ahead, position: commands.count))
            default: break
            }
            guard let kind = entry.kind, !entry.range.isEmpty else { continue }
            commands.append(
                CommittedCommand(
                    kind, from: entry.producer, isOfConfiguration: isOfConfiguration, in: batch.log.bytes,
                    at: entry.range))
        }
        let committed = CommittedBatch(
            epoch: epoch, sequence: sequence, time: now, removedPolicies: removedPolicies,
            wallClockSettings: wallClockSettings, commands: commands, outcome: output, refusals: refusals)
        admission.plugins.notify(of: committed)
    }

    // MARK: - The cost of a step

    /// The work done so far.
    var workMark: WorkMark {
        WorkMark(visits: state.scheduler.visits, events: output.events.count, changes: output.changes.count)
    }

    /// Charges the budget for the work since a mark, and for publishing it.
    @inline(__always)
    mutating func spend(since mark: WorkMark) {
        budget.spend(
            1 + state.scheduler.visits - mark.visits + (output.events.count - mark.events) * publisher.costOfEvent
                + (output.changes.count - mark.changes) * publisher.costOfChange)
    }
}
