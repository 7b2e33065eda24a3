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
        steps.enter(authorOf: entry, log, in: &state)
        switch entry.content {
        case .show(let index):
            telemetry.count(.show)
            let outcome = steps.apply(
                pipeline.applying.shows[index.number].request, log.extracting(entry.range), from: origin, at: now,
                to: &state)
            record(outcome, of: entry)
        case .dismiss(let index):
            telemetry.count(.dismiss)
            let outcome = steps.apply(
                pipeline.applying.dismissals[index.number], log.extracting(entry.range), by: entry.producer,
                from: origin, at: now, to: &state)
            record(outcome, of: entry)
        case .other(let index):
            try apply(pipeline.applying.others[index.number], of: entry, from: origin)
        }
        try steps.publishOfAuthor(by: &publisher, in: state, at: time.clock)
    }

    private mutating func apply(
        _ other: BatchEntry.Other, of entry: BatchEntry, from origin: BrokerState.Origin?
    ) throws {
        switch other {
        case .state(let change):
            if let kind = entry.kind { telemetry.count(kind) }
            if case .command(let command) = change { leases.endChange(by: command) }
            let outcome = steps.apply(change, from: origin, at: now, to: &state)
            if case .wallClock = change { pipeline.recordWallClock() }
            if outcome.refusal == nil, case .command(let command) = change, case .lease(let lease) = command.command {
                leases.renew(lease, at: now)
            }
            record(outcome, of: entry)
        case .query(let query):
            try publisher.publish(answer(query))
            record(steps.apply(.query, from: origin, at: now, to: &state), of: entry)
        case .answered:
            record(steps.apply(.query, from: origin, at: now, to: &state), of: entry)
        case .refused(let refusal, let query):
            try report(refusal, query)
            if let number = entry.number {
                let change = BrokerState.Entry.refused(SettledRefusal(refusal))
                let outcome = steps.apply(change, from: origin, at: now, to: &state)
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
        let (group, popup) = steps.subjectOfRefusal()
        telemetry.reportRefusal(
            WireRefused.Reason(refusal.reason), refusal.detail, group: group, popup: popup, at: now)
        if let call = entry.call {
            let refusal = CommandRefusal(
                WireRefused.Reason(refusal.reason), refusal.detail, group: GroupName(group), popup: popup)
            calls.answer(call, refusal)
        }
    }

    /// Publishes and logs a refusal.
    private mutating func report(_ refusal: CommandRefusal, _ query: WireQuery?) throws {
        telemetry.reportRefusal(
            refusal.reason, refusal.detail, group: refusal.group?.text ?? "", popup: refusal.popup, at: now)
        if let query { try publisher.publish(WireReply(to: query, refusedFor: refusal)) }
        guard refusal.group != nil else { return }
        telemetry.countRefusalEvent()
        var event = EventEncoder.event(refusal, at: now + state.scheduler.wallClockLead)
        event.path = state.scheduler.path(ofGroup: Array(event.group.utf8).span.bytes)
        try publisher.publish(event)
    }

    /// Ends a batch: publishes the feed and notifies the plugins.
    mutating func finishBatch() throws {
        try publisher.publishFeed()
        if admission.hasPlugins, !pipeline.applying.isEmpty || !steps.results.events.isEmpty {
            notifyPlugins(pipeline.applying, pipeline.progress.sequence)
        }
        telemetry.reportForgetting(window: state.scheduler.rememberedWindow(at: now), of: state.scheduler.limits)
        forgetResults()
    }

    /// Ends a run of timers: publishes the feed and notifies the plugins.
    mutating func finishTimers() throws {
        try publisher.publishFeed()
        if admission.hasPlugins, !steps.results.events.isEmpty { notifyPlugins(Batch(), nil) }
        forgetResults()
    }

    /// Counts and empties the results, which are published.
    mutating func forgetResults() {
        telemetry.count(steps.results)
        steps.forgetResults()
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
            wallClockSettings: wallClockSettings, commands: commands, outcome: steps.results, refusals: refusals)
        admission.notifyPlugins(of: committed)
    }
}
