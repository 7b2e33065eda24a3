import PopupJournal
import PopupProtocol
import PopupScheduling
import SwiftProtobuf

// A recovered state as a snapshot: the parts as a `CommandLog`, what the others need first, then the scheduler's state.
//
//     beginning │ time zone … │ policy of the configuration … │ producer … │ scheduler │ state
extension RecoveredState {
    /// The state as it is now.
    mutating func snapshot() throws -> JournalSnapshot {
        var log = CommandLog()
        if let beginning { log.append(.beginning, beginning.bytes.span.bytes) }
        for zone in timeZones.all { log.append(.timeZone, zone.journalEntry.span.bytes) }
        for policy in configuredPolicies {
            let bytes: [UInt8] = try WireCommand.with { $0.setPolicy = policy }.serializedBytes()
            log.append(.configuredPolicy, bytes.span.bytes)
        }
        producers.append(to: &log)
        // An entry's length has four bytes; a scheduler's state may have more.
        log.append(.scheduler, [UInt8]().span.bytes)
        var bytes = log.takeBytes()
        scheduler.appendState(to: &bytes)
        return JournalSnapshot(sequence: sequence, time: time, state: bytes)
    }

    /// The state of a snapshot.
    ///
    /// - Throws: `CommandLogError`, `JournalContentError`, `SnapshotError`.
    static func restored(from snapshot: JournalSnapshot) throws -> RecoveredState {
        let entries = try CommandLog.entries(in: snapshot.state, through: .scheduler)
        guard let last = entries.last, last.kind == .scheduler else {
            throw JournalContentError(what: "a snapshot holds no state of the scheduler")
        }
        let bytes = last.range.upperBound..<snapshot.state.count
        let first = entries.first { $0.kind == .beginning }
        let beginning = try first.map { try Beginning(snapshot.state[$0.range]) }
        var state = RecoveredState(
            try Scheduler(
                restoring: snapshot.state.span.bytes.extracting(bytes), limits: beginning?.limits ?? Limits()),
            ProducerLedger(beginning?.producers ?? ProducerLedger.Bounds()))
        guard 0...TimeLimits.latest ~= snapshot.time else {
            throw JournalContentError(what: "a snapshot is of the time \(snapshot.time), which can't be")
        }
        state.beginning = beginning
        state.sequence = snapshot.sequence
        state.time = snapshot.time
        for entry in entries.dropLast() {
            switch entry.kind {
            case .beginning: break
            case .timeZone: try state.enterTimeZone(snapshot.state[entry.range])
            case .configuredPolicy: try state.noteConfigured(snapshot.state[entry.range])
            case .producer: try state.producers.restore(snapshot.state[entry.range])
            case .command, .amendedCommand, .refusedSequence, .removedPolicy, .scheduler:
                throw JournalContentError(what: "a snapshot holds a command")
            }
        }
        return state
    }
}
