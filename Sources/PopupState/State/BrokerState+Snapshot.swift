package import PopupJournal
import PopupProtocol
import PopupScheduling
import SwiftProtobuf

// The state as a snapshot: its parts in a `CommandLog`, in the order of their dependencies, then the state of the
// scheduler.
//
//     settings │ time zone … │ policy of the configuration … │ producer … │ scheduler │ state
extension BrokerState {
    /// Returns a snapshot of the current state.
    package mutating func snapshot() throws -> JournalSnapshot {
        var log = CommandLog()
        if let settings { log.append(.settings, settings.bytes.span.bytes) }
        for zone in timeZones.all { log.append(.timeZone, zone.journalEntry.span.bytes) }
        for policy in configuredPolicies {
            let bytes: [UInt8] = try WireCommand.with { $0.setPolicy = policy }.serializedBytes()
            log.append(.configuredPolicy, bytes.span.bytes)
        }
        producers.append(to: &log)
        // The length of an entry has four bytes, and the state of a scheduler may be longer.
        log.append(.scheduler, [UInt8]().span.bytes)
        var bytes = log.takeBytes()
        appendSchedulerState(to: &bytes)
        return JournalSnapshot(sequence: sequence, time: time, state: bytes)
    }

    /// Returns the state of a snapshot.
    ///
    /// - Throws: `CommandLogError`, `JournalContentError`, `NewerContentError`, `SnapshotError`.
    static func restored(from snapshot: JournalSnapshot) throws -> BrokerState {
        let entries = try CommandLog.entries(in: snapshot.state, through: .scheduler)
        guard let last = entries.last, last.kind == .scheduler else {
            throw JournalContentError(what: "a snapshot holds no state of the scheduler")
        }
        guard 0...TimeLimits.latest ~= snapshot.time else {
            throw JournalContentError(what: "a snapshot is of the time \(snapshot.time), which can't be")
        }
        let first = entries.first { $0.kind == .settings }
        let settings = try first.map { try JournaledSettings(snapshot.state[$0.range]) }
        let bytes = last.range.upperBound..<snapshot.state.count
        let scheduler = try Scheduler(
            restoring: snapshot.state.span.bytes.extracting(bytes), limits: settings?.limits ?? Limits())
        var producers = ProducerSessions(settings?.producers ?? ProducerSessions.Bounds())
        var timeZones = TimeZoneTable()
        var policies: [WireSetPolicy] = []
        for entry in entries.dropLast() {
            switch entry.kind {
            case .settings: break
            case .timeZone: timeZones.enter(try timeZone(snapshot.state[entry.range]))
            case .configuredPolicy:
                let policy = try configuredPolicy(snapshot.state[entry.range])
                policies.removeAll { $0.group == policy.group }
                policies.append(policy)
            case .producer: try producers.restore(snapshot.state[entry.range])
            case .command, .amendedCommand, .refusedSequence, .removedPolicy, .wallClock, .scheduler:
                throw JournalContentError(what: "a snapshot holds a command")
            }
        }
        return BrokerState(
            scheduler, producers, settings: settings, timeZones: timeZones, policies: policies,
            sequence: snapshot.sequence, time: snapshot.time)
    }
}
