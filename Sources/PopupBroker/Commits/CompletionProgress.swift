/// The progress of applying a batch.
///
/// Its commands are applied one after another, each completely, at the time of the batch, before any later command or
/// timer. If that takes long, it takes several turns, in which queries are answered and other messages are received.
struct CompletionProgress {
    /// The sequence in the journal; `nil` if the batch was refused, or had nothing to commit.
    var sequence: UInt64?
    /// Whether timers that are due by its time must still be handled first.
    var wantsTimers = true
    /// The index of the next entry.
    var next = 0
    /// Whether an entry has set the wall clock. Quiet windows that are due by it come before the next entry, one per
    /// step.
    var hasSetWallClock = false
}
