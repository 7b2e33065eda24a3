/// Whether commits take so long that the loop had better not wait for them.
///
/// A disk that was slow once is taken to be slow until a run of commits was fast: one that is slow now and then holds up the
/// loop once, not each time.
struct CommitPace {
    /// A commit that takes longer is slow: whoever asks something, or waits for a timer, would notice it.
    static let slow: Duration = .milliseconds(10)
    /// So many commits in a row are fast before the disk is taken to be.
    static let fastCommits = 64

    private var missing = 0

    /// Whether the disk is taken to be slow.
    var isSlow: Bool { missing > 0 }

    /// Notes how long a commit took.
    mutating func note(_ duration: Duration) {
        missing = duration > Self.slow ? Self.fastCommits : max(0, missing - 1)
    }
}
