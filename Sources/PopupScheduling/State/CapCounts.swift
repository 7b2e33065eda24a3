/// What the caps of the groups have counted: for each the times of its latest showings, as many as it allows.
struct CapCounts {
    /// One cap of a group.
    struct Count {
        var cap: Cap
        /// The latest showings, in order of time; at most `cap.most`.
        var times: [Milliseconds] = []
        /// While it is set the cap allows none: until the first of the times leaves the window.
        var timer: TimerQueue.Index?

        /// When it allows one more, if it allows none.
        var release: Milliseconds { times[0] + Milliseconds(cap.window) }
        var isFull: Bool { times.count == Int(cap.most) }
    }

    private var counts: [GroupRecord.Index: [Count]] = [:]
    /// How many showings are remembered in all.
    private(set) var showings = 0

    /// Not before it are old showings looked for again.
    var nextForgetting: Milliseconds = 0

    init() {}

    /// The counts of a group's caps, in the order of its policy.
    subscript(group: GroupRecord.Index) -> [Count] {
        get { counts.isEmpty ? [] : counts[group] ?? [] }
        set {
            showings += newValue.showings - (counts[group]?.showings ?? 0)
            counts[group] = newValue.isEmpty ? nil : newValue
        }
    }

    func has(_ group: GroupRecord.Index) -> Bool { !counts.isEmpty && counts[group] != nil }

    /// Counts a showing, and returns whether the cap allows no other then.
    mutating func count(_ index: Int, of group: GroupRecord.Index, at time: Milliseconds) -> Bool {
        guard var count = counts[group]?[index] else { return false }
        counts[group]?[index].times = []
        let former = count.times.count
        if count.isFull { count.times.removeFirst() }
        count.times.append(time)
        showings += count.times.count - former
        counts[group]?[index] = count
        return count.isFull
    }

    mutating func setTimer(_ timer: TimerQueue.Index?, of index: Int, in group: GroupRecord.Index) {
        counts[group]?[index].timer = timer
    }
}

extension [CapCounts.Count] {
    fileprivate var showings: Int { reduce(0) { $0 + $1.times.count } }
}
