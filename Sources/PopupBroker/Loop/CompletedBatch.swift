/// A batch that is committed and is being applied over several turns.
///
/// Its commands are applied one after the other, each as a whole, at the batch's time, before anything else is. Where
/// that takes long, turns come between, in which questions are answered and others are heard.
struct CompletedBatch {
    var batch: Batch
    var progress: CompletionProgress
}

/// How far a batch is applied.
struct CompletionProgress {
    /// In the journal; `nil` for one that isn't committed, or has nothing to commit.
    var sequence: UInt64?
    /// Timers that are due by its time come first.
    var wantsTimers: Bool
    /// The entry that is applied next.
    var next = 0
}
