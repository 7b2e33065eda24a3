/// The progress of applying a batch.
///
/// Its commands are applied one after another, each completely, at the time of the batch, before any later command or
/// timer. If that takes long, it takes several turns, in which queries are answered and other messages are received.
struct CompletionProgress {
    /// The sequence in the journal; `nil` if the batch was refused, or had nothing to commit.
    let sequence: UInt64?
    /// Whether timers that are due by its time must still be handled first.
    private(set) var wantsTimers = true
    /// The index of the next entry.
    private(set) var next = 0
    /// Whether an entry has set the wall clock. Quiet windows that are due by it come before the next entry, one per
    /// step.
    private(set) var hasSetWallClock = false

    /// Begins to apply a batch of this sequence.
    init(sequence: UInt64? = nil) { self.sequence = sequence }

    /// Records that the timers that are due by the time of the batch are handled.
    mutating func passTimers() { wantsTimers = false }

    /// Records that the next entry is applied.
    @inline(__always)
    mutating func passEntry() { next += 1 }

    /// Records that an entry has set the wall clock.
    mutating func recordWallClock() { hasSetWallClock = true }

    /// Records that no quiet window is due any more by the wall clock that was set.
    @inline(__always)
    mutating func passQuietWindows() { hasSetWallClock = false }
}
