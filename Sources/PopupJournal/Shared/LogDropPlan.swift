/// The removable part of a shared log: all that neither of the two newest snapshots needs.
public struct LogDropPlan: Hashable, Sendable {
    /// The two newest snapshots, which have to be there.
    public let kept: [UInt64]
    /// The last index of the entries to remove.
    public let lastEntry: UInt64
    /// The snapshots to remove.
    public let snapshots: [UInt64]

    /// Creates the plan for complete snapshots; `nil` if there are fewer than two.
    public init?(snapshots: [UInt64]) {
        let ascending = snapshots.sorted()
        guard ascending.count >= 2 else { return nil }
        kept = Array(ascending.suffix(2))
        lastEntry = kept[0]
        self.snapshots = ascending.dropLast(2)
    }
}
