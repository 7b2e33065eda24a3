import PopupScheduling

/// A command at a time.
struct Told: Sendable, Equatable {
    var at: Milliseconds
    var instruction: Instruction
}

/// Random commands that get into each other's way: few groups, few priorities, few and round times.
struct RandomScript {
    private var random: ReferenceGenerator
    private var repeatsIDs = true
    private var shown = 0
    private var now: Milliseconds = 0

    static let groups = ["a", "a/b", "a/c", "g"]

    /// The script of a seed, always the same.
    static func of(seed: UInt64, count: Int, repeatsIDs: Bool = true) -> [Told] {
        var script = RandomScript(random: ReferenceGenerator(seed: seed))
        script.repeatsIDs = repeatsIDs
        return script.policies() + (0..<count).map { _ in script.next() }
    }

    private mutating func policies() -> [Told] {
        (0..<random.below(4)).map { _ in Told(at: 0, instruction: .policy(pattern(), policy())) }
    }

    private mutating func next() -> Told {
        if oneIn(2) { now += Milliseconds(10 * random.below(4)) }
        if oneIn(40) { now += 200 }
        return Told(at: now, instruction: instruction())
    }

    private mutating func instruction() -> Instruction {
        switch random.below(100) {
        case 0..<52: .show(request())
        case 52..<66: .update(change())
        case 66..<76: .dismiss(id(), action: "ok", revision: oneIn(3) ? UInt64(random.below(40)) : nil)
        case 76..<82: .advance(group())
        case 82..<86: .clear(choice())
        case 86..<91: .suspend(pattern(), token: token(), minimumPriority: oneIn(4) ? nil : priority())
        case 91..<96: .resume(token: token())
        case 96: .removePolicy(pattern())
        default: .policy(pattern(), policy())
        }
    }

    // MARK: - Parts

    private mutating func request() -> Instruction.Request {
        let repeats = repeatsIDs && shown > 0 && oneIn(25)
        if !repeats { shown += 1 }
        var request = Instruction.Request(id: repeats ? id() : "p\(shown)", group: group())
        request.priority = priority()
        request.duration = oneIn(2) ? time(8) : 0
        request.timeToLive = oneIn(4) ? time(8) : 0
        request.delay = oneIn(4) ? time(5) : 0
        request.minimumDisplay = oneIn(3) ? time(5) : 0
        if oneIn(14) { request.exclusive = oneIn(3) ? .all : .group }
        if oneIn(3) { request.collapseKey = pick(["k", "l"]) }
        if oneIn(3) { request.surface = pick(["top", "bar"]) }
        request.interruptible = !oneIn(5)
        if oneIn(3) { request.producer = ProducerID(high: 1, low: UInt64(random.below(2))) }
        if oneIn(2) { request.content = pick(["one", "two"]) }
        return request
    }

    private mutating func change() -> Instruction.Change {
        var change = Instruction.Change(id: id())
        if oneIn(2) { change.priority = priority() }
        if oneIn(3) { change.duration = oneIn(4) ? 0 : time(8) }
        change.restartTimer = oneIn(4)
        if oneIn(4) { change.interruptible = oneIn(2) }
        if oneIn(3) { change.content = pick(["one", "two"]) }
        return change
    }

    mutating func choice() -> Instruction.Choice {
        var choice = Instruction.Choice()
        if !oneIn(4) { choice.pattern = pattern() }
        if oneIn(3) { choice.surface = pick(["top", "bar"]) }
        if oneIn(4) { choice.collapseKey = pick(["k", "l"]) }
        if oneIn(5) { choice.producer = ProducerID(high: 1, low: 0) }
        if oneIn(3) { choice.priorityBelow = priority() }
        if oneIn(4) { choice.priorityAbove = priority() }
        choice.active = oneIn(3)
        choice.waiting = oneIn(3)
        choice.paused = oneIn(3)
        return choice
    }

    private mutating func policy() -> Policy {
        var policy = pick([Policy.priority, .fifo, .lifo, .polite, .stacked])
        if oneIn(2) {
            policy.higher = pick(Policy.Interruption.allCases)
            policy.peers = pick(Policy.Interruption.allCases)
            policy.lower = pick(Policy.Interruption.allCases)
        }
        if oneIn(4) { policy.ignorePriority.toggle() }
        if oneIn(3) { policy.resumption = pick(Policy.Resumption.allCases) }
        if oneIn(2) {
            let least = time(3)
            policy.gap = least...(least + (oneIn(2) ? 0 : time(3)))
        }
        if oneIn(3) { policy.defaultDuration = time(6) }
        if oneIn(4) { policy.maximumDuration = time(6) }
        if oneIn(3) { policy.maximumWaiting = UInt32(random.below(4)) }
        policy.overflow = pick(Policy.Overflow.allCases)
        return policy
    }

    private mutating func id() -> String { "p\(max(1, shown - random.below(min(shown, 10) + 1)))" }
    private mutating func group() -> String { oneIn(2) ? "g" : pick(Self.groups) }
    private mutating func pattern() -> String { oneIn(2) ? group() : pick(["a/*", "*", "a/b"]) }
    private mutating func token() -> String { pick(["s", "t", "u"]) }
    private mutating func priority() -> Int32 { Int32(random.below(5)) - 1 }
    private mutating func time(_ most: Int) -> UInt32 { UInt32(10 * (1 + random.below(most))) }
    private mutating func oneIn(_ count: Int) -> Bool { random.below(count) == 0 }
    private mutating func pick<Element>(_ elements: [Element]) -> Element { elements[random.below(elements.count)] }

    init(random: ReferenceGenerator) {
        self.random = random
    }
}
