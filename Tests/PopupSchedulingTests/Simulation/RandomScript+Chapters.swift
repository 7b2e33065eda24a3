import PopupScheduling

/// What the chapters add to commands and policies, and their own commands.
extension RandomScript {
    mutating func instruction(of chapter: Chapter) -> Instruction? {
        switch chapter {
        case .flows: .dismiss(id(), action: action(), revision: nil, client: "")
        case .offers: .answer(id(), client: client(), choice())
        case .renderers:
            switch random.below(8) {
            case 0..<2: .lease(client(), (0..<random.below(4)).map { _ in pattern() })
            case 2..<4: .dismiss(id(), action: action(), revision: nil, client: client())
            default: .report(id(), client: client(), pick(Report.Kind.allCases))
            }
        case .pages: pageInstruction()
        case .sessions: .setSession(group(), session())
        case .caps, .quiet, .aging: nil
        }
    }

    mutating func add(_ chapter: Chapter, to request: inout Instruction.Request) {
        switch chapter {
        case .flows:
            guard !oneIn(3) else { return }
            var flow = Instruction.Flow(pick(["f", "f", "h"]))
            flow.stage = UInt32(random.below(4))
            if oneIn(2) { flow.requires = "p\(max(1, shown + 2 - random.below(6)))" }
            if oneIn(2) { flow.action = action() }
            if oneIn(3) { flow.hold = time(6) }
            request.flow = flow
        case .offers: if oneIn(3) { request.offer = time(5) }
        case .renderers:
            if oneIn(3) { request.quorum = UInt32(1 + random.below(3)) }
            request.quorumAll = oneIn(4)
        case .caps: if oneIn(2) { request.capKey = pick(["c", "d"]) }
        case .pages:
            if !oneIn(3) {
                let tree = tree()
                request.page = Instruction.Page(value(in: tree), oneIn(4) ? .within : .current, in: tree)
            }
        case .sessions: if oneIn(2) { request.session = pick(["s1", "s2"]) }
        case .quiet, .aging: return
        }
    }

    mutating func add(_ chapter: Chapter, to policy: inout Policy) {
        switch chapter {
        case .flows: if oneIn(2) { policy.gather = time(6) }
        case .offers:
            if oneIn(3) { policy.offer = time(5) }
            policy.offerDefault = pick(Policy.OfferDefault.allCases)
            policy.retry = oneIn(4) ? 0 : time(5)
        case .renderers:
            policy.clock = pick(Policy.DisplayClock.allCases)
            if oneIn(2) { policy.displayTimeout = time(5) }
            policy.undisplayed = pick(Policy.Undisplayed.allCases)
            policy.rendererLost = pick(Policy.RendererLost.allCases)
            policy.maxAttempts = UInt32(1 + random.below(3))
            policy.quorum = UInt32(1 + random.below(2))
            policy.quorumAll = oneIn(3)
        case .caps:
            policy.caps = ["", "c", "d"].filter { _ in oneIn(3) }.map {
                Cap(key: Array($0.utf8), most: UInt32(1 + random.below(3)), window: 2 * time(10))
            }
        case .quiet:
            policy.quiet = (0..<random.below(3)).map { _ in window() }
        case .aging: if oneIn(2) { policy.aging = time(6) }
        case .pages: if oneIn(2) { policy.pageTree = Array(tree().utf8) }
        case .sessions: return
        }
    }

    /// A window of a minute or two, by clocks that change a few times in the script's short life.
    private mutating func window() -> QuietWindow {
        let from = UInt16(random.below(4))
        let changes = (0..<random.below(4)).map { _ in 59_900 + Milliseconds(20 * random.below(60)) }
        let zone = TimeZoneRules(
            initialOffset: 0,
            transitions: Set(changes).sorted().map {
                TimeZoneRules.Transition(at: $0, offset: Int32(60 * (random.below(4) - 1)))
            })
        return QuietWindow(
            from: from, to: oneIn(6) ? 1439 : (from + 1 + UInt16(random.below(2))) % 4, zone: zone,
            minimumPriority: oneIn(3) ? nil : priority())
    }

    private mutating func choice() -> Answer.Choice {
        switch random.below(3) {
        case 0: .accept
        case 1: .veto
        default: .later(retry: oneIn(2) ? nil : oneIn(4) ? 0 : time(4))
        }
    }

    private mutating func pageInstruction() -> Instruction {
        let tree = tree()
        return .page(tree, step(in: tree))
    }

    /// Mostly about pages that are there: the script knows them from the reference that plays along.
    private mutating func step(in tree: String) -> Instruction.PageStep {
        let pages = stage?.trees[tree]?.pages ?? []
        guard let known = pages.isEmpty || oneIn(8) ? nil : pick(pages).node else {
            return .open(node(), parent: oneIn(4) ? node() : "", value: value())
        }
        return switch random.below(12) {
        case 0..<4: .open(node(), parent: known, value: value())
        case 4..<11: .enter(known)
        default: oneIn(4) ? .clear : .close(known)
        }
    }

    /// A value that a page has, for the most part.
    private mutating func value(in tree: String) -> String {
        let pages = stage?.trees[tree]?.pages ?? []
        return pages.isEmpty || oneIn(3) ? value() : pick(pages).value
    }

    private mutating func action() -> String { pick(["ok", "no"]) }
    private mutating func client() -> String { pick(["r1", "r1", "r2", "r3", "r4"]) }
    private mutating func tree() -> String { oneIn(6) ? "u" : "t" }
    private mutating func node() -> String { pick(["n1", "n2", "n3", "n4", "n5"]) }
    private mutating func value() -> String { pick(["home", "list", "item"]) }
    private mutating func session() -> String { pick(["", "s1", "s2"]) }
}
