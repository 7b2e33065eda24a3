import PopupScheduling

/// Something that schedules popups by the rules: the scheduler, and the reference that it is compared with.
///
/// Every test of a rule runs on both, and on a scheduler that is restored from its state all the time, so a reading of
/// the rules that only one of them has cannot hide.
protocol Subject: AnyObject {
    /// Applies a command of a user at `time`, after whatever is due then.
    func perform(
        _ instruction: Instruction, from sender: ProducerID?, of user: String, at time: Milliseconds
    ) -> (events: [Occurrence], refusal: Refusal?)
    /// Handles the one timer due first, if it is due at or before `time`.
    func step(until time: Milliseconds) -> [Occurrence]?

    func state(of group: String, at time: Milliseconds) -> GroupSummary?
    func activeContent(of group: String) -> String
    func list(_ choice: Instruction.Choice, limit: Int, at time: Milliseconds) -> [PopupSummary]
    func count(_ choice: Instruction.Choice) -> Int
    func peek(_ group: String, limit: Int, at time: Milliseconds) -> [PopupSummary]
    func explain(_ id: String, at time: Milliseconds) -> Explanation

    var nextDeadline: Milliseconds? { get }
    /// Whether nothing will happen of itself any more but quiet windows, which come again every day.
    var hasOnlyRecurringTimers: Bool { get }
    /// What is true of it that never may be.
    func complaints() -> [String]

    /// Is restored from its own state, if it has one as bytes.
    func restore()
}

extension Subject {
    func restore() {}

    /// Applies a command of a client without a key.
    func perform(
        _ instruction: Instruction, from sender: ProducerID? = nil, at time: Milliseconds
    ) -> (events: [Occurrence], refusal: Refusal?) {
        perform(instruction, from: sender, of: "", at: time)
    }

    func perform(_ told: Told) -> (events: [Occurrence], refusal: Refusal?) {
        perform(told.instruction, from: told.sender, of: told.user, at: told.at)
    }
}

/// Where a run starts: what both subjects are made with.
struct Setting: Sendable {
    var limits = Limits()
    var seed: UInt64 = 0

    /// A new subject of each kind.
    func subjects() -> [(name: String, subject: any Subject)] {
        [
            ("reference", ReferenceScheduler(limits: limits, seed: seed)),
            ("scheduler", SchedulerSubject(limits: limits, seed: seed)),
            ("scheduler restored before each step", RestoredSubject(limits: limits, seed: seed)),
        ]
    }
}

extension Limits {
    /// So tight that random commands get to all of them.
    static let tight = {
        var limits = Limits()
        limits.popups = 10
        limits.waitingPerGroup = 3
        limits.maxIDs = 16
        limits.deduplicationWindow = 150
        limits.accounts = 2
        limits.suspensions = 2
        limits.policies = 3
        limits.membersPerFlow = 3
        limits.renderers = 3
        limits.renderersPerPopup = 2
        limits.groupsPerLease = 2
        limits.pagesPerTree = 4
        limits.pageDepth = 3
        limits.cappedShowings = 12
        return limits
    }()

    /// The same, of which users have shares.
    static let tightForUsers = {
        var limits = Limits.tight
        limits.usersHaveShares = true
        limits.waitingPerGroup = 8
        limits.accounts = 4
        limits.suspensions = 10
        limits.policies = 10
        limits.renderers = 10
        limits.pageTrees = 10
        return limits
    }()
}
