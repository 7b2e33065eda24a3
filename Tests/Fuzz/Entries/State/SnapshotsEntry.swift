@testable import PopupBroker
import PopupJournal
@testable import PopupScheduling

/// Bytes as the state of a scheduler, or as a snapshot of the journal. What is accepted can be worked with, and is written
/// as it was read.
enum SnapshotsEntry {
    /// Timers that are let fire at most: what repeats does so for ever.
    private static let mostTimers = 500

    /// The first byte chooses, and how much time passes afterwards.
    static func run(_ input: [UInt8]) throws {
        guard let choice = input.first else { return }
        let bytes = Array(input.dropFirst())
        if choice % 2 == 0 {
            guard var scheduler = try? Scheduler(restoring: bytes.span.bytes, limits: Limits()) else { return }
            try check(&scheduler, after: choice)
        } else {
            let snapshot = JournalSnapshot(sequence: 7, time: 1000, state: bytes)
            guard var state = try? RecoveredState.restored(from: snapshot) else { return }
            let written = try state.snapshot()
            guard var again = try? RecoveredState.restored(from: written) else {
                throw Finding("a snapshot that was read is refused when it is written again")
            }
            guard try again.snapshot().state == written.state else {
                throw Finding("a snapshot does not stay the same")
            }
            try check(&state.scheduler, after: choice)
        }
    }

    private static func check(_ scheduler: inout Scheduler, after choice: UInt8) throws {
        try invariants(&scheduler, "restored")
        let written = state(of: &scheduler)
        do {
            var again = try Scheduler(restoring: written.span.bytes, limits: Limits())
            guard state(of: &again) == written else { throw Finding("a restored state gives other bytes") }
        } catch let error as SnapshotError {
            throw Finding("a state that was read is refused when it is written again: \(error)")
        }

        let now = scheduler.now + (1 << Milliseconds(choice % 32))
        var output = EventBuffer()
        for _ in 0..<mostTimers {
            guard scheduler.step(until: now, into: &output) else { break }
            output.removeAll()
        }
        try invariants(&scheduler, "after its timers")
        // A time at which no more timers are due than have fired.
        let next = scheduler.nextDeadline.map { min($0, now) } ?? now
        let time = max(scheduler.now, next - 1)
        scheduler.apply(.clear(Selector()), text: [UInt8]().span.bytes, at: time, into: &output)
        try invariants(&scheduler, "cleared")
    }

    private static func invariants(_ scheduler: inout Scheduler, _ when: String) throws {
        let broken = scheduler.brokenInvariants()
        guard broken.isEmpty else { throw Finding("\(when): \(broken.joined(separator: "; "))") }
    }

    private static func state(of scheduler: inout Scheduler) -> [UInt8] {
        var bytes: [UInt8] = []
        scheduler.appendState(to: &bytes)
        return bytes
    }
}
