import PopupScheduling

/// How the scheduler's time and memory grow from thousands to millions: a table, each line with the goal.
enum Scale {
    private static let million = 1_000_000
    /// Of each kind of work, and so often one after the other.
    private static let slice = 20_000
    private static let rounds = 21

    static func run() throws {
        print("| figure | measured | goal |")
        print("| --- | --- | --- |")
        try tell(
            "resident memory a group, 1M groups each with an active popup of 200 B and its timer", memory, "≤ 450 B")
        try tell("show, 1M groups against 1k", groups)
        try tell("show + time out, 1M timers set against 1k", timers)
        try tell("push + dismiss, 10M waiting in one group against 1k", waiting, "≤ 4 ×")
    }

    private static func tell(_ figure: String, _ measure: () throws -> String, _ goal: String = "") throws {
        print("| \(figure) | \(try measure()) | \(goal) |")
    }

    private static func memory() throws -> String {
        let before = try Resources.residentBytes()
        var work = try SchedulingWork(groups: million, peers: .stop, limits: limits())
        for _ in 0..<million { work.show(at: 0) }
        let after = try Resources.residentBytes()
        try work.check(closed: 0, shown: million)
        return "\((after - before) / million) B"
    }

    /// Each popup takes the slot of its group's.
    private static func groups() throws -> String {
        var many = try SchedulingWork(groups: million, peers: .stop, limits: limits())
        var few = try SchedulingWork(groups: 1000, peers: .stop, limits: limits())
        for _ in 0..<million { many.show(at: 0) }
        for _ in 0..<1000 { few.show(at: 0) }
        let result = Comparison.of(rounds, of: slice, { many.show(at: $0) }, { few.show(at: $0) })
        let closed = (rounds + 1) * slice
        try many.check(closed: closed, shown: closed + million)
        try few.check(closed: closed, shown: closed + 1000)
        return result
    }

    /// In as many groups as timers are set: each popup of a group is shown after the one before has timed out.
    private static func timers() throws -> String {
        var many = try TimerWork(groups: million)
        var few = try TimerWork(groups: 1000)
        let result = Comparison.of(rounds, of: slice, { _ in many.show() }, { _ in few.show() })
        try many.check()
        try few.check()
        return result
    }

    private static func waiting() throws -> String {
        var many = try SchedulingWork(groups: 1, peers: .defer, limits: limits(popups: 10 * million))
        var few = try SchedulingWork(groups: 1, peers: .defer, limits: limits())
        for _ in 0...10 * million { many.push(at: 0) }
        for _ in 0...1000 { few.push(at: 0) }
        let result = Comparison.of(
            rounds, of: slice,
            {
                many.push(at: $0)
                many.dismissActive(at: $0)
            },
            {
                few.push(at: $0)
                few.dismissActive(at: $0)
            })
        let closed = (rounds + 1) * slice
        try many.check(closed: closed, shown: closed + 1)
        try few.check(closed: closed, shown: closed + 1)
        return result
    }

    /// Limits that so many popups stay within. Ids are remembered for a moment: what grows is to be what is measured.
    static func limits(popups: Int = million) -> Limits {
        var limits = Limits()
        // One producer may have 8/9 of all.
        limits.popups = popups / 8 * 9 + 9 * slice
        limits.groups = million / 8 * 9 + 9 * slice
        limits.waitingPerGroup = popups + slice
        limits.maxIDs = 2 * popups + slice
        limits.contentBytes = 64 << 30
        limits.deduplicationWindow = 1
        return limits
    }
}

/// Shows popups that time out, one for one: as many timers as groups stay set.
struct TimerWork: ~Copyable {
    private var work: SchedulingWork
    private var now: Milliseconds = 0
    private var shown = 0
    private let showsAMillisecond: Int

    /// While a popup is displayed, for at most ten seconds, one comes for each other group.
    init(groups: Int) throws {
        // One that comes too early would wait, and that is noticed.
        work = try SchedulingWork(groups: groups, peers: .defer, limits: Scale.limits())
        showsAMillisecond = max(1, groups / 10_000)
        work.duration = UInt32(groups / showsAMillisecond) - 1
        for _ in 0..<groups { show() }
    }

    mutating func show() {
        shown += 1
        if shown % showsAMillisecond == 0 { now += 1 }
        work.advanceClock(until: now)
        work.show(at: now)
    }

    /// Checks that each popup was shown at once, after the one before it had timed out.
    mutating func check() throws {
        work.advanceClock(until: .max)
        try work.check(closed: shown, shown: shown)
    }
}
