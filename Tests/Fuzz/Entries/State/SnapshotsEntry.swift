@testable import PopupBroker
import PopupJournal
import PopupProtocol
@testable import PopupScheduling
@testable import PopupState
import SwiftProtobuf

/// Bytes as the state of a scheduler, or as a snapshot of the journal. What is accepted can be worked with, and is written
/// as it was read.
enum SnapshotsEntry {
    /// Timers that are let fire at most: what repeats does so for ever.
    private static let maxTimers = 500

    /// The first byte chooses, and how much time passes afterwards.
    static func run(_ input: [UInt8]) throws -> Bool {
        guard let choice = input.first else { return false }
        let bytes = Array(input.dropFirst())
        if choice % 2 == 0 {
            guard let scheduler = try? Scheduler(restoring: bytes.span.bytes, limits: Limits()) else { return false }
            var state = BrokerState(scheduler)
            try check(&state, after: choice)
        } else {
            let snapshot = JournalSnapshot(sequence: 7, time: 1000, state: bytes)
            guard var state = try? BrokerState.restored(from: snapshot) else { return false }
            let written = try state.snapshot()
            guard var again = try? BrokerState.restored(from: written) else {
                throw Finding("a snapshot that was read is refused when it is written again")
            }
            guard try again.snapshot().state == written.state else {
                throw Finding("a snapshot does not stay the same")
            }
            try check(&state, after: choice)
        }
        return true
    }

    private static func check(_ state: inout BrokerState, after choice: UInt8) throws {
        try invariants(&state, "restored")
        let written = bytes(of: &state)
        do {
            var again = BrokerState(try Scheduler(restoring: written.span.bytes, limits: Limits()))
            guard bytes(of: &again) == written else { throw Finding("a restored state gives other bytes") }
        } catch let error as SnapshotError {
            throw Finding("a state that was read is refused when it is written again: \(error)")
        }

        let now = state.scheduler.now + (1 << Milliseconds(choice % 32))
        var output = EventBuffer()
        for _ in 0..<maxTimers {
            guard state.advance(to: now, into: &output) else { break }
            output.removeAll()
        }
        try invariants(&state, "after its timers")
        // A time at which no more timers are due than have fired.
        let next = state.scheduler.nextDeadline.map { min($0, now) } ?? now
        let time = max(state.scheduler.now, next - 1)
        _ = state.apply(.command(.with { $0.clear.selector = WireSelector() }), at: time, into: &output)
        try invariants(&state, "cleared")
    }

    private static func invariants(_ state: inout BrokerState, _ when: String) throws {
        let broken = state.brokenInvariants()
        guard broken.isEmpty else { throw Finding("\(when): \(broken.joined(separator: "; "))") }
    }

    private static func bytes(of state: inout BrokerState) -> [UInt8] {
        var bytes: [UInt8] = []
        state.appendSchedulerState(to: &bytes)
        return bytes
    }
}
