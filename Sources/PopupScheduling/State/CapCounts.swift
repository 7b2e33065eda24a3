/// The counted showings of the groups' caps: for each cap the times of the latest showings, at most as many as it
/// allows.
struct CapCounts {
    /// The showings counted by one cap of a group.
    struct Count {
        var cap: Cap
        /// The times of the latest showings in ascending order; at most `cap.most`.
        var times: [Milliseconds] = []
        /// The timer that is set while the cap is closed, until the first of the times leaves the window.
        var timer: TimerQueue.Index?

        /// The time at which a closed cap allows another showing.
        var release: Milliseconds { times[0] + Milliseconds(cap.window) }
        var isFull: Bool { times.count == Int(cap.most) }
    }

    private var counts: [GroupRecord.Index: [Count]] = [:]
    /// The number of remembered showings of all caps.
    private(set) var showings = 0

    /// The time from which old showings may be searched again.
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

    /// Counts a showing. Returns whether the cap is full now.
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
