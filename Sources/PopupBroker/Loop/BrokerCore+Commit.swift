import Logging
import PopupJournal
import PopupProtocol
import PopupScheduling
import SwiftProtobuf

// One batch: committed first, applied in order, published as it goes.
extension BrokerCore {
    /// Commits and applies the entries. Returns whether they were committed; they are refused otherwise.
    @discardableResult
    mutating func commit() throws -> Bool {
        var sequence: UInt64?
        var isCommitted = true
        if !log.bytes.isEmpty {
            do {
                sequence = try journal.append(log.bytes.span.bytes, at: now)
                if journal.isSnapshotDue { snapshotter?.begin(at: now) }
            } catch {
                failures.note(error, at: now)
                refuseUncommitted()
                isCommitted = false
            }
            stats.batches += 1
        }
        var batch: [BatchEntry] = []
        swap(&batch, &entries)
        for index in batch.indices { try apply(batch[index]) }
        try finish(batch, sequence)
        batch.removeAll(keepingCapacity: true)
        endNumbers()
        requests.removeAll(keepingCapacity: true)
        swap(&batch, &entries)
        return isCommitted
    }

    /// Nothing that isn't committed is applied.
    private mutating func refuseUncommitted() {
        refuseUncommittedNumbers()
        entries.removeAll { entry in
            switch entry.content {
            case .timeZone, .beginning: true
            default: false
            }
        }
        for index in entries.indices where !entries[index].range.isEmpty {
            if case .decoded(let command) = entries[index].content { dropChange(by: command) }
            let bytes = Array(log.bytes[entries[index].range])
            let subject = (try? WireCommand(serializedBytes: bytes))?.subject
            let refusal = CommandRefusal(
                .overload, Self.uncommitted, group: subject.flatMap { GroupName($0.group) }, popup: subject?.popup ?? ""
            )
            var query: WireQuery?
            if case .query(let asked) = entries[index].content { query = asked }
            entries[index].content = .refused(refusal, query)
        }
    }

    static let uncommitted = "the journal could not commit it; send it again later"

    private mutating func apply(_ entry: BatchEntry) throws {
        switch entry.content {
        case .show(let place):
            let text = log.bytes
            stats.commands += 1
            let refusal = scheduler.show(
                requests[place], text: text.span.bytes.extracting(entry.range), at: now, into: &output)
            note(refusal, of: entry)
        case .decoded(let command):
            stats.commands += 1
            let scheduled = translator.translate(command, zones: timeZones) { scheduler.content(ofPopup: $0) }
            guard let scheduled else { break }
            let text = translator.text.bytes
            let refusal = scheduler.apply(scheduled, text: text.span.bytes, at: now, into: &output)
            if refusal != nil {
                dropChange(by: command)
            } else if case .lease(let lease) = command.command {
                note(lease)
            }
            note(refusal, of: entry)
        case .removedPolicy:
            let text = log.bytes
            scheduler.apply(
                .removePolicy(pattern: TextRange(offset: 0, count: entry.range.count)),
                text: text.span.bytes.extracting(entry.range), at: now, into: &output)
        case .timeZone(let zone):
            timeZones.enter(zone)
        case .beginning(let beginning):
            scheduler.setLimits(beginning.limits)
            producers.bounds = beginning.producers
            begun = beginning
        case .query(let query):
            let reply = answerer.answer(query, from: &scheduler, at: now, stats: currentStats())
            try publish(reply)
            settle(entry)
            if let call = entry.call { answeredCalls.append((call, nil)) }
        case .refused(let refusal, let query):
            try tell(refusal, query)
            settle(entry, SettledRefusal(refusal))
            if let call = entry.call { answeredCalls.append((call, refusal)) }
        case .repetition(let refusal):
            if let call = entry.call { answeredCalls.append((call, refusal)) }
        }
        try publishChanges()
    }

    private mutating func note(_ refusal: PopupScheduling.Refusal?, of entry: BatchEntry) {
        guard let refusal else {
            settle(entry)
            if let call = entry.call { answeredCalls.append((call, nil)) }
            return
        }
        stats.refused += 1
        settle(entry, outcome: refusal)
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
            try publish(
                .with {
                    $0.client = query.client
                    $0.nonce = query.nonce
                    $0.reply.refused = EventEncoder.refused(refusal)
                })
        }
        guard refusal.group != nil else { return }
        stats.events += 1
        var event = EventEncoder.event(refusal, at: now)
        event.path = scheduler.path(ofGroup: Array(event.group.utf8).span.bytes)
        try publish(event)
    }

    /// Ends a batch, or a run of timers: the feed goes out, plugins see what came of it, the buffers are emptied.
    mutating func finish(_ batch: [BatchEntry], _ sequence: UInt64?) throws {
        try publishFeed()
        if !plugins.isEmpty, !batch.isEmpty || !output.events.isEmpty { tellPlugins(batch, sequence) }
        stats.events += UInt64(output.events.count)
        output.removeAll()
        publishedEvents = 0
        publishedChanges = 0
        log.removeAll()
        enteredZones.removeAll()
    }

    private func tellPlugins(_ batch: [BatchEntry], _ sequence: UInt64?) {
        var commands: [CommittedCommand] = []
        var refusals: [CommandRefusal] = []
        var removedPolicies: [String] = []
        for entry in batch {
            if case .refused(let refusal, _) = entry.content { refusals.append(refusal) }
            if case .removedPolicy = entry.content {
                removedPolicies.append(String(decoding: log.bytes[entry.range], as: UTF8.self))
            }
            guard let kind = entry.kind, !entry.range.isEmpty else { continue }
            if case .refused = entry.content { continue }
            commands.append(CommittedCommand(kind, from: entry.producer, in: log.bytes, at: entry.range))
        }
        let committed = CommittedBatch(
            epoch: epoch, sequence: sequence, time: now, removedPolicies: removedPolicies, commands: commands,
            outcome: output, refusals: refusals)
        for plugin in plugins { plugin.committed(committed) }
    }

    /// The counters as they are now.
    func currentStats() -> WireStatsResult {
        var stats = stats
        stats.epoch = epoch
        stats.protocol = ProtocolVersion.current
        stats.version = configuration.version
        stats.uptimeMs = UInt64(clamping: now - startedAt)
        stats.groups = UInt64(scheduler.groupCount)
        stats.popups = UInt64(scheduler.popupCount)
        stats.remembered = UInt64(scheduler.rememberedCount)
        stats.subscriptions = UInt64(clamping: interest.subscriptions)
        stats.producers = UInt64(producers.count)
        return stats
    }
}
