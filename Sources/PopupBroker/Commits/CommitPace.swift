/// A measurement of whether commits take so long that the loop should not wait for them.
///
/// After one slow commit, the disk counts as slow until a sequence of commits was fast. So a disk that is slow now and
/// then delays the loop once, not each time.
struct CommitPace {
    /// The duration above which a commit is slow: clients and timers would notice the delay.
    static let slow: Duration = .milliseconds(10)
    /// The number of consecutive fast commits after which the disk counts as fast.
    static let fastCommits = 64

    private var missing = 0

    /// Whether the disk counts as slow.
    var isSlow: Bool { missing > 0 }

    /// Records the duration of a commit.
    mutating func record(_ duration: Duration) {
        missing = duration > Self.slow ? Self.fastCommits : max(0, missing - 1)
    }
}
