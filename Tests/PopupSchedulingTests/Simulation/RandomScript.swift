import PopupScheduling

/// A command at a time.
struct Told: Sendable, Equatable {
    var at: Milliseconds
    var sender: ProducerID?
    /// Who tells it; empty: nobody who is known.
    var user = ""
    var instruction: Instruction
}

/// Random commands that get into each other's way: few groups, few priorities, few and round times.
///
/// Fields and commands of the rules that not every popup knows come by chapter, so that a script keeps to a few of
/// them and its popups really meet.
struct RandomScript {
    /// What a script may use beside the rules of the queue.
    enum Chapter: CaseIterable {
        case flows
        case offers
        case renderers
        case caps
        case quiet
        case aging
        case pages
        case sessions
    }

    var random: ReferenceGenerator
    /// Draws who tells a command.
    private var senders: ReferenceGenerator
    private var users: ReferenceGenerator
    /// Whether nearly all commands are of one user, so that it meets its share.
    private let isOfOneUser: Bool
    let chapters: [Chapter]
    /// Played along, to answer what is shown and not what was shown long ago.
    let stage: ReferenceScheduler?
    private var repeatsIDs = true
    private(set) var shown = 0
    private var now: Milliseconds = 0

    static let groups = ["a", "a/b", "a/c", "g"]

    /// The chapters of a seed: none, those that belong together, all, or any.
    static func chapters(of seed: UInt64) -> [Chapter] {
        switch seed % 8 {
        case 0: []
        case 1: [.flows]
        case 2: [.flows, .offers]
        case 3: [.offers, .renderers]
        case 4: [.caps, .quiet, .aging]
        case 5: [.pages, .sessions]
        case 6: [.flows, .renderers, .caps, .pages, .sessions]
        default: seed % 16 == 7 ? Chapter.allCases : anyChapters(of: seed)
        }
    }

    /// The limits of a seed: every third is in tight ones, of which every other gives users shares.
    static func limits(of seed: UInt64) -> Limits {
        seed % 3 > 0 ? Limits() : seed % 6 == 0 ? .tightForUsers : .tight
    }

    private static func anyChapters(of seed: UInt64) -> [Chapter] {
        var random = ReferenceGenerator(seed: seed ^ 0xC4A9)
        return Chapter.allCases.filter { _ in random.below(2) == 0 }
    }

    /// How many commands the script of a seed has: a few of them have many, so that more is remembered.
    static func length(of seed: UInt64) -> Int { seed % 64 < 8 ? 240 : 60 }

    /// The script of a seed, always the same.
    static func of(seed: UInt64, count: Int, chapters: [Chapter] = [], repeatsIDs: Bool = true) -> [Told] {
        var script = RandomScript(random: ReferenceGenerator(seed: seed), chapters: chapters)
        script.repeatsIDs = repeatsIDs
        return script.policies() + (0..<count).map { _ in script.next() }
    }

    init(random: ReferenceGenerator, chapters: [Chapter] = []) {
        self.random = random
        senders = random
        var others = random
        users = ReferenceGenerator(seed: others.next())
        isOfOneUser = users.below(2) == 0
        self.chapters = chapters
        stage = chapters.isEmpty ? nil : ReferenceScheduler(limits: Limits(), seed: 0)
        // Near the minute at which quiet windows change.
        if chapters.contains(.quiet) { now = 59_900 }
    }

    private mutating func policies() -> [Told] {
        (0..<random.below(4)).map { _ in told(.policy(pattern(), policy())) }
    }

    private mutating func next() -> Told {
        if oneIn(2) { now += Milliseconds(10 * random.below(4)) }
        if oneIn(40) { now += 200 }
        if has(.renderers), oneIn(30) { now += 4950 }
        return told(instruction())
    }

    private mutating func told(_ instruction: Instruction) -> Told {
        let sender = senders.below(2) == 0 ? nil : ProducerID(high: 1, low: UInt64(senders.below(3)))
        let isFirst = isOfOneUser ? users.below(24) > 0 : users.below(2) == 0
        let user = isFirst ? "u" : ["", "v", "w"][users.below(3)]
        _ = stage?.perform(instruction, from: sender, at: now)
        return Told(at: now, sender: sender, user: user, instruction: instruction)
    }

    private mutating func instruction() -> Instruction {
        if !chapters.isEmpty, oneIn(3), let instruction = instruction(of: pick(chapters)) { return instruction }
        return switch random.below(100) {
        case 0..<52: .show(request())
        case 52..<66: .update(change())
        case 66..<76: .dismiss(id(), action: "ok", revision: oneIn(3) ? UInt64(random.below(40)) : nil, client: "")
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
        if oneIn(2) { request.producer = ProducerID(high: 1, low: UInt64(random.below(3))) }
        if oneIn(2) { request.content = pick(["one", "two"]) }
        for chapter in chapters { add(chapter, to: &request) }
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
        if oneIn(4) { policy.maxDuration = time(6) }
        if oneIn(3) { policy.maxWaiting = UInt32(random.below(4)) }
        policy.overflow = pick(Policy.Overflow.allCases)
        for chapter in chapters { add(chapter, to: &policy) }
        return policy
    }

    func has(_ chapter: Chapter) -> Bool { chapters.contains(chapter) }

    /// One of the last popups, often one that is in a slot now.
    mutating func id() -> String {
        if let stage, oneIn(2) {
            let inSlot = Self.groups.compactMap { stage.occupant(of: $0)?.id }
            if !inSlot.isEmpty { return pick(inSlot) }
        }
        return "p\(max(1, shown - random.below(min(shown, 10) + 1)))"
    }

    mutating func group() -> String { oneIn(2) ? "g" : pick(Self.groups) }
    mutating func pattern() -> String { oneIn(2) ? group() : pick(["a/*", "*", "a/b"]) }
    private mutating func token() -> String { pick(["s", "t", "u"]) }
    mutating func priority() -> Int32 { Int32(random.below(5)) - 1 }
    mutating func time(_ most: Int) -> UInt32 { UInt32(10 * (1 + random.below(most))) }
    mutating func oneIn(_ count: Int) -> Bool { random.below(count) == 0 }
    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[random.below(elements.count)] }
}
