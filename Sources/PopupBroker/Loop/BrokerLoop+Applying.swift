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
        if entry.sender != sender { change(toSenderOf: entry, log) }
        switch entry.content {
        case .show(let index):
            stats.commands.count(.show)
            let outcome = state.apply(
                pipeline.applying.requests[index.number], log.extracting(entry.range), from: origin, at: now,
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
        try publisher.publishChanges(of: output, in: state, by: actor, at: time.clock)
    }

    /// Reads the name of the user of an entry, which is not that of the one before.
    private mutating func change(toSenderOf entry: BatchEntry, _ log: RawSpan) {
        sender = entry.sender
        actor = log.extracting(entry.range.suffix(sender.nameBytes)).withUnsafeBytes {
            String(decoding: $0, as: UTF8.self)
        }
        state.producers.user = actor
    }

    private mutating func apply(
        _ other: BatchEntry.Other, of entry: BatchEntry, from origin: BrokerState.Origin?
    ) throws {
        switch other {
        case .state(let change):
            if let kind = entry.kind { stats.commands.count(kind) }
            if case .command(let command) = change { leases.endChange(by: command) }
            let outcome = state.apply(change, from: origin, at: now, into: &output)
            if case .wallClock = change { pipeline.progress.hasSetWallClock = true }
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
        refusals.log(WireRefused.Reason(refusal.reason), refusal.description, group: group, popup: popup, at: now)
        if let call = entry.call {
            let refusal = CommandRefusal(
                WireRefused.Reason(refusal.reason), refusal.description, group: GroupName(group), popup: popup)
            calls.answer(call, refusal)
        }
    }

    /// Publishes and logs a refusal.
    private mutating func report(_ refusal: CommandRefusal, _ query: WireQuery?) throws {
        stats.refused.count(refusal.reason)
        refusals.log(
            refusal.reason, refusal.detail, group: refusal.group?.text ?? "", popup: refusal.popup, at: now)
        if let query {
            try publisher.publish(Self.refused(query, refusal))
        }
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
        forgetting.log(window: state.scheduler.rememberedWindow(at: now), of: state.scheduler.limits)
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
        stats.lateReports += UInt64(output.lateReports)
        output.removeAll()
        publisher.forgetOutput()
    }

    /// Notifies the plugins of the state with which the broker starts.
    func notifyPluginsOfStart() {
        guard !admission.plugins.isEmpty else { return }
        admission.plugins.notify(
            of: BrokerStart(
                epoch: epoch, time: now, wallClockLead: state.scheduler.wallClockLead,
                configuredPolicies: state.configuredPolicies))
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
}
