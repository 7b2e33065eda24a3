internal import PopupClient

/// The counts and the state of a node, for operators.
public struct NodeGauges: Hashable, Sendable {
    /// Whether the node owns the log.
    public var isOwner = false
    /// Whether it has proved that not long ago: otherwise an owner is mute.
    public var isConfirmed = false
    /// Whether the loop of its broker has stopped turning, so that it lets its claim end.
    public var isHanging = false
    /// The epoch of the last entry that it has applied.
    public var epoch: UInt64 = 0
    /// The index of that entry.
    public var index: UInt64 = 0
    /// The index of the last entry that it knows of.
    public var headIndex: UInt64 = 0
    /// The number of take-overs that it has followed, with its own.
    public var takeOvers: UInt64 = 0
    /// The durations of appends until they were in the log.
    public var appends = DurationHistogram()
    /// The number of requests whose outcome was not known at first: each was made again.
    public var unknownOutcomes: UInt64 = 0
    /// The number of times that its tenure was no longer proved.
    public var mutes: UInt64 = 0
    /// The number of times that a broker had to ask for a later horizon.
    public var horizonMoves: UInt64 = 0
    /// The time in ms for which a snapshot has been due that is not in the log; `nil` if none is due.
    public var snapshotOverdue: Int64?

    /// Creates the gauges of a node that has done nothing.
    public init() {}
}

/// The counts of durations by their size.
public struct DurationHistogram: Hashable, Sendable {
    /// The upper limits of the buckets, in ms; the last bucket has none.
    static let limits: [Int64] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000]

    private(set) var counts = [UInt64](repeating: 0, count: limits.count + 1)
    private(set) var sum: Double = 0

    /// Creates a histogram without durations.
    public init() {}

    /// The number of durations.
    public var count: UInt64 { counts.reduce(0, +) }

    /// Counts a duration.
    public mutating func record(_ duration: Duration) {
        let seconds = duration / .seconds(1)
        sum += seconds
        let bucket = Self.limits.firstIndex { seconds * 1000 <= Double($0) } ?? Self.limits.count
        counts[bucket] += 1
    }
}

extension NodeGauges {
    /// Returns the metrics in the text format of Prometheus.
    ///
    /// - Parameters:
    ///   - identity: The shard, the node and the version of its program, which tell one series from another.
    ///   - quota: The size of etcd's database, and its quota.
    public func metrics(of identity: (shard: String, node: String, version: String), _ quota: QuotaGuard) -> String {
        var text = PrometheusText()
        func add(_ name: String, _ kind: PrometheusText.Kind, _ help: String, _ value: UInt64) {
            text.add("popup_fleet_\(name)", kind, help, value)
        }
        text.add(
            "popup_fleet_info", .gauge, "The shard, the node and its version.", 1,
            labels: [("shard", identity.shard), ("node", identity.node), ("version", identity.version)])
        add("owner", .gauge, "Whether the node owns the log of its shard.", isOwner ? 1 : 0)
        add(
            "confirmed", .gauge, "Whether the node has proved that it owns the log; an owner without is mute.",
            isConfirmed ? 1 : 0)
        add("epoch", .gauge, "The epoch of the last applied entry; it grows with each take-over.", epoch)
        add("applied_index", .gauge, "The index of the last applied entry.", index)
        add("head_index", .gauge, "The index of the last entry that the node knows of.", max(headIndex, index))
        add("take_overs_total", .counter, "Take-overs that the node has followed, with its own.", takeOvers)
        add("unknown_outcomes_total", .counter, "Requests whose outcome was not known at first.", unknownOutcomes)
        add("mutes_total", .counter, "Times that the tenure was no longer proved.", mutes)
        add("horizon_moves_total", .counter, "Times that a timer needed a later horizon.", horizonMoves)
        text.add(
            "popup_fleet_snapshot_overdue_seconds", .gauge,
            "How long a snapshot has been due that is not in the log yet; 0 if none is due.",
            seconds: Double(snapshotOverdue ?? 0) / 1000)
        let name = "popup_fleet_append_seconds"
        text.addHead(name, .histogram, "How long appends took until they were in the log.")
        let buckets = zip(DurationHistogram.limits, appends.counts).map { (upTo: Double($0) / 1000, count: $1) }
        text.addDistribution(name, buckets: buckets, sum: appends.sum, count: appends.count)
        if let bytes = quota.quota { add("etcd_quota_bytes", .gauge, "The quota of etcd.", UInt64(clamping: bytes)) }
        if let use = quota.lastUse {
            add(
                "etcd_file_bytes", .gauge, "The size of the largest file of a member of etcd.",
                UInt64(clamping: use.fileBytes))
            add(
                "etcd_used_bytes", .gauge, "The bytes of such a file that are in use.", UInt64(clamping: use.usedBytes))
            add("refusing", .gauge, "Whether commands are refused for want of room in etcd.", quota.isFull ? 1 : 0)
        }
        return text.text
    }
}
