import PopupScheduling

/// The scheduler alone.
enum Scheduling {
    /// So many popups are shown in a millisecond.
    static let showsAMillisecond = 512
    /// In ms: ids enough that a show finds many, and soon as many as there will be, since each takes the place of one
    /// that is forgotten.
    static let deduplicationWindow: Milliseconds = 20

    /// 1000 groups in turn; each newcomer stops its group's popup.
    static func show(_ count: Int) throws {
        var work = try SchedulingWork(peers: .stop, limits: limits)
        for number in 0..<count { work.show(at: time(of: number)) }
        try work.check(closed: count - 1000, shown: count)
    }

    /// One group: its queue of 1000 gets another, its active popup is dismissed.
    static func pushDismiss(_ count: Int) throws {
        var work = try SchedulingWork(groups: 1, peers: .defer, limits: limits)
        for _ in 0...1000 { work.push(at: 0) }
        for number in 0..<count {
            work.push(at: time(of: number))
            work.dismissActive(at: time(of: number))
        }
        try work.check(closed: count, shown: count + 1)
    }

    /// 1000 groups in turn; each popup is over before the next one of its group.
    static func timeOut(_ count: Int) throws {
        var work = try SchedulingWork(peers: .stop, limits: limits)
        work.duration = 1
        for number in 0..<count { work.show(at: time(of: number)) }
        work.advanceClock(until: .max)
        try work.check(closed: count, shown: count)
    }

    private static var limits: Limits {
        var limits = Limits()
        limits.deduplicationWindow = deduplicationWindow
        return limits
    }

    private static func time(of number: Int) -> Milliseconds { Milliseconds(number / showsAMillisecond) }
}
