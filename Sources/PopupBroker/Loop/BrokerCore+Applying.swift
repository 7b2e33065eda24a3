import PopupJournal
import PopupProtocol
import PopupScheduling
import SwiftProtobuf

// What is committed is applied entry by entry, and whom it concerns is told.
extension BrokerCore {
    /// Applies one entry of a batch with this log, and publishes what it changes.
    @inline(__always)
    mutating func apply(_ entry: BatchEntry, of batch: borrowing Batch, _ log: RawSpan) throws {
        switch entry.content {
        case .show(let place):
            stats.commands += 1
            let refusal = scheduler.show(
                batch.requests[Int(place)], text: log.extracting(entry.range), at: now, into: &output)
            note(refusal, of: entry, in: batch)
        case .dismiss(let place):
            stats.commands += 1
            let refusal = scheduler.apply(
                .dismiss(batch.dismissals[Int(place)]), from: entry.producer.map { ProducerID($0) },
                text: log.extracting(entry.range), at: now, into: &output)
            note(refusal, of: entry, in: batch)
        case .other(let place):
            try apply(batch.others[Int(place)], of: entry, in: batch, log.extracting(entry.range))
        }
        try publishChanges()
    }

    private mutating func apply(
        _ other: BatchEntry.Other, of entry: BatchEntry, in batch: borrowing Batch, _ bytes: RawSpan
    ) throws {
        switch other {
        case .decoded(let command):
            stats.commands += 1
            endChange(by: command)
            let scheduled = translator.translate(command, zones: timeZones) { scheduler.content(ofPopup: $0) }
            guard let scheduled else { break }
            let text = translator.text.bytes
            let refusal = scheduler.apply(
                scheduled, from: command.sender, text: text.span.bytes, at: now, into: &output)
            if refusal == nil, case .lease(let lease) = command.command { note(lease) }
            note(refusal, of: entry, in: batch)
        case .configuredPolicy(let command):
            stats.commands += 1
            let scheduled = translator.translate(command, zones: timeZones) { _ in nil }?.ofConfiguration
            guard let scheduled else { break }
            let text = translator.text.bytes
            let refusal = scheduler.apply(scheduled, text: text.span.bytes, at: now, into: &output)
            note(refusal, of: entry, in: batch)
        case .removedPolicy:
            scheduler.apply(
                .removePolicy(pattern: TextRange(offset: 0, count: entry.range.count)), text: bytes, at: now,
                into: &output)
        case .timeZone(let zone):
            timeZones.enter(zone)
        case .beginning(let beginning):
            scheduler.setLimits(beginning.limits)
            scheduler.attend(at: now, into: &output)
            producers.bounds = beginning.producers
            begun = beginning
        case .query(let query):
            try publish(answer(query))
            settle(entry, in: batch)
            if let call = entry.call { answeredCalls.append((call, nil)) }
        case .answered:
            settle(entry, in: batch)
            if let call = entry.call { answeredCalls.append((call, nil)) }
        case .refused(let refusal, let query):
            try tell(refusal, query)
            settle(entry, SettledRefusal(refusal), in: batch)
            if let call = entry.call { answeredCalls.append((call, refusal)) }
        case .repetition(let refusal):
            if let call = entry.call { answeredCalls.append((call, refusal)) }
        }
    }

    @inline(__always)
    private mutating func note(
        _ refusal: PopupScheduling.Refusal?, of entry: BatchEntry, in batch: borrowing Batch
    ) {
        if let refusal { return tell(refusal, of: entry, in: batch) }
        settle(entry, in: batch)
        if let call = entry.call { answeredCalls.append((call, nil)) }
    }

    private mutating func tell(
        _ refusal: PopupScheduling.Refusal, of entry: BatchEntry, in batch: borrowing Batch
    ) {
        stats.refused += 1
        settle(entry, outcome: refusal, in: batch)
        // Where the group is known it is the last event.
        var group = ""
        var popup = ""
        if let event = output.events.last, case .refused = event.kind {
            group = output.string(event.group)
            popup = output.string(event.popup)
        }
        refusals.note(WireRefused.Reason(refusal.reason), refusal.description, group: group, popup: popup, at: now)
        if let call = entry.call {
            let refusal = CommandRefusal(
                WireRefused.Reason(refusal.reason), refusal.description, group: GroupName(group), popup: popup)
            answeredCalls.append((call, refusal))
        }
    }

    /// Tells a refusal to all whom it concerns.
    private mutating func tell(_ refusal: CommandRefusal, _ query: WireQuery?) throws {
        stats.refused += 1
        refusals.note(
            refusal.reason, refusal.detail, group: refusal.group?.text ?? "", popup: refusal.popup, at: now)
        if let query {
            try publish(Self.refused(query, refusal))
        }
        guard refusal.group != nil else { return }
        stats.events += 1
        var event = EventEncoder.event(refusal, at: now)
        event.path = scheduler.path(ofGroup: Array(event.group.utf8).span.bytes)
        try publish(event)
    }

    /// Ends a batch: the feed goes out, plugins see what came of it.
    mutating func finish(_ batch: borrowing Batch, _ sequence: UInt64?) throws {
        try publishFeed()
        if !plugins.isEmpty, !batch.isEmpty || !output.events.isEmpty { tellPlugins(batch, sequence) }
        forgetting.note(window: scheduler.rememberedWindow(at: now), of: scheduler.limits)
        forgetOutput()
    }

    /// Ends a run of timers in the same way.
    mutating func finishTimers() throws {
        try publishFeed()
        if !plugins.isEmpty, !output.events.isEmpty { tellPlugins(Batch(), nil) }
        forgetOutput()
    }

    mutating func forgetOutput() {
        stats.events += UInt64(output.events.count)
        output.removeAll()
        publishedEvents = 0
        publishedChanges = 0
    }

    private func tellPlugins(_ batch: borrowing Batch, _ sequence: UInt64?) {
        var commands: [CommittedCommand] = []
        var refusals: [CommandRefusal] = []
        var removedPolicies: [String] = []
        for index in batch.entries.indices {
            let entry = batch.entries[index]
            switch batch.other(entry) {
            case .refused(let refusal, _):
                refusals.append(refusal)
                continue
            case .removedPolicy:
                removedPolicies.append(String(decoding: batch.log.bytes[entry.range], as: UTF8.self))
            default: break
            }
            guard let kind = entry.kind, !entry.range.isEmpty else { continue }
            commands.append(CommittedCommand(kind, from: entry.producer, in: batch.log.bytes, at: entry.range))
        }
        let committed = CommittedBatch(
            epoch: epoch, sequence: sequence, time: now, removedPolicies: removedPolicies, commands: commands,
            outcome: output, refusals: refusals)
        for plugin in plugins { plugin.committed(committed) }
    }

    /// The counters as they are now.
    func currentStats() -> WireStatsResult {
        let counters = self.stats
        var stats = WireStatsResult()
        stats.commands = counters.commands
        stats.refused = counters.refused
        stats.events = counters.events
        stats.batches = counters.batches
        stats.repetitions = counters.repetitions
        stats.conflicts = counters.conflicts
        stats.connectionsCut = counters.connectionsCut
        stats.epoch = epoch
        stats.protocol = ProtocolVersion.current
        stats.version = configuration.version
        stats.uptimeMs = UInt64(clamping: now - startedAt)
        stats.groups = UInt64(scheduler.groupCount)
        stats.popups = UInt64(scheduler.popupCount)
        stats.remembered = UInt64(scheduler.rememberedCount)
        stats.rememberedWindowMs = UInt64(scheduler.rememberedWindow(at: now))
        stats.subscriptions = UInt64(clamping: interest.subscriptions)
        stats.producers = UInt64(producers.count)
        if turnTimes.count > 0 { stats.turns = WireTurnTimes(turnTimes) }
        return stats
    }
}

/// What is counted as it happens, since the start. Plain numbers: several go up with each command.
struct Counters {
    var commands: UInt64 = 0
    var refused: UInt64 = 0
    var events: UInt64 = 0
    var batches: UInt64 = 0
    var repetitions: UInt64 = 0
    var conflicts: UInt64 = 0
    var connectionsCut: UInt64 = 0
}
