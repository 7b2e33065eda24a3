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
    subscript(group: GroupRecord.Index) -> [Count] { counts.isEmpty ? [] : counts[group] ?? [] }

    /// Whether a group has caps.
    func has(_ group: GroupRecord.Index) -> Bool { !counts.isEmpty && counts[group] != nil }

    /// Replaces the counts of a group, removing the group if there are none.
    mutating func set(_ new: [Count], of group: GroupRecord.Index) {
        showings += new.showings - (counts[group]?.showings ?? 0)
        counts[group] = new.isEmpty ? nil : new
    }

    /// Replaces the caps of a group. A cap continues with the showings counted by a former cap with the same key; if
    /// there are several, with those of the one that has the same window. No timer is set then.
    mutating func setCaps(_ caps: [Cap], of group: GroupRecord.Index) {
        let former = self[group]
        let continued = caps.map { cap in
            let same = former.filter { $0.cap.key == cap.key }
            let predecessor = same.first { $0.cap.window == cap.window } ?? same.first
            return Count(cap: cap, times: predecessor?.times.suffix(Int(cap.most)) ?? [])
        }
        set(continued, of: group)
    }

    /// Removes the showings of a group that have left the windows of their caps.
    mutating func forgetShowings(of group: GroupRecord.Index, at now: Milliseconds) {
        let remaining = self[group].map { count in
            var count = count
            count.times.removeAll { $0 + Milliseconds(count.cap.window) <= now }
            return count
        }
        set(remaining, of: group)
    }

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

    /// A sentence for every broken invariant.
    var brokenInvariants: [String] {
        var broken: [String] = []
        let counted = counts.values.reduce(0) { $0 + $1.showings }
        if counted != showings { broken.append("\(showings) showings are counted, \(counted) are remembered") }
        for count in counts.values.joined() {
            if count.times.count > Int(count.cap.most) { broken.append("a cap remembers more showings than it allows") }
            if zip(count.times, count.times.dropFirst()).contains(where: { $0 > $1 }) {
                broken.append("the showings of a cap are out of order")
            }
            if count.timer != nil, !count.isFull { broken.append("a cap is closed and not full") }
        }
        if counts.values.contains(where: \.isEmpty) { broken.append("a group without caps is listed") }
        return broken
    }
}

extension [CapCounts.Count] {
    fileprivate var showings: Int { reduce(0) { $0 + $1.times.count } }
}
