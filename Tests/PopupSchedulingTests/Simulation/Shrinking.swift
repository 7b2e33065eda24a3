import PopupScheduling

/// Makes a failing script as short and plain as it can be and still fail.
func shrunk(_ script: [Told], while fails: ([Told]) -> Bool) -> [Told] {
    var script = script
    var isShorter = true
    while isShorter {
        let before = script
        script = withoutWhatCanGo(script, fails)
        script = plainer(script, fails)
        isShorter = script != before
    }
    return script
}

/// Leaves out runs of commands, long ones first.
private func withoutWhatCanGo(_ script: [Told], _ fails: ([Told]) -> Bool) -> [Told] {
    var script = script
    var length = max(1, script.count / 2)
    while true {
        var start = 0
        while start < script.count {
            var shorter = script
            shorter.removeSubrange(start..<min(start + length, script.count))
            if fails(shorter) {
                script = shorter
            } else {
                start += length
            }
        }
        if length == 1 { return script }
        length /= 2
    }
}

/// Puts the fields of the commands back to their defaults, one by one.
private func plainer(_ script: [Told], _ fails: ([Told]) -> Bool) -> [Told] {
    var script = script
    for index in script.indices {
        if script[index].sender != nil {
            var plainer = script
            plainer[index].sender = nil
            if fails(plainer) { script = plainer }
        }
        if !script[index].user.isEmpty {
            var plainer = script
            plainer[index].user = ""
            if fails(plainer) { script = plainer }
        }
        for instruction in script[index].instruction.simplifications {
            var plainer = script
            plainer[index].instruction = instruction(plainer[index].instruction)
            if plainer[index] != script[index], fails(plainer) { script = plainer }
        }
    }
    return script
}

extension Instruction {
    fileprivate var simplifications: [(Instruction) -> Instruction] {
        switch self {
        case .setWallClock: [{ _ in .setWallClock(ahead: 0) }]
        case .show:
            [
                request { $0.priority = 0 }, request { $0.duration = 0 }, request { $0.timeToLive = 0 },
                request { $0.delay = 0 }, request { $0.minimumDisplay = 0 }, request { $0.exclusive = .none },
                request { $0.collapseKey = "" }, request { $0.surface = "" }, request { $0.interruptible = true },
                request { $0.producer = nil }, request { $0.content = "" }, request { $0.group = "g" },
                request { $0.flow = nil }, request { $0.flow?.stage = 0 }, request { $0.flow?.requires = "" },
                request { $0.flow?.action = "" }, request { $0.flow?.hold = 0 }, request { $0.page = nil },
                request { $0.page?.scope = .current }, request { $0.session = "" }, request { $0.offer = 0 },
                request { $0.quorum = 0 }, request { $0.quorumAll = false }, request { $0.capKey = "" },
            ]
        case .update:
            [
                change { $0.priority = nil }, change { $0.duration = nil }, change { $0.restartTimer = false },
                change { $0.interruptible = nil }, change { $0.content = nil },
            ]
        case .clear:
            [
                choice { $0.pattern = "" }, choice { $0.surface = "" }, choice { $0.collapseKey = "" },
                choice { $0.producer = nil }, choice { $0.priorityAbove = nil }, choice { $0.priorityBelow = nil },
            ]
        case .policy:
            [
                policy { $0.higher = .pause }, policy { $0.peers = .defer }, policy { $0.lower = .defer },
                policy { $0.ignorePriority = false }, policy { $0.resumption = .remaining }, policy { $0.gap = 0...0 },
                policy { $0.gap = $0.gap.lowerBound...$0.gap.lowerBound }, policy { $0.defaultDuration = 0 },
                policy { $0.maxDuration = 0 }, policy { $0.maxWaiting = nil },
                policy { $0.overflow = .rejectNew }, policy { $0.gather = 0 }, policy { $0.clock = .display },
                policy { $0.offer = 0 }, policy { $0.offerDefault = .show }, policy { $0.retry = 5000 },
                policy { $0.displayTimeout = 0 }, policy { $0.undisplayed = .hold },
                policy { $0.rendererLost = .hold }, policy { $0.maxAttempts = 3 }, policy { $0.quorum = 1 },
                policy { $0.quorumAll = false }, policy { $0.aging = 0 }, policy { $0.caps = [] },
                policy { $0.caps = $0.caps.suffix(1) }, policy { $0.caps = $0.caps.dropLast() },
                policy { $0.quiet = [] }, policy { $0.quiet = $0.quiet.suffix(1) },
                policy { $0.quiet = $0.quiet.dropLast() }, policy { $0.pageTree = [] },
                { if case .policy(_, let policy) = $0 { .policy("g", policy) } else { $0 } },
            ]
        case .dismiss:
            [
                {
                    if case .dismiss(let id, let action, _, let client) = $0 {
                        .dismiss(id, action: action, revision: nil, client: client)
                    } else {
                        $0
                    }
                },
                {
                    if case .dismiss(let id, let action, let revision, _) = $0 {
                        .dismiss(id, action: action, revision: revision, client: "")
                    } else {
                        $0
                    }
                },
            ]
        case .advance, .suspend, .resume, .removePolicy, .setSession, .report, .answer, .lease, .page:
            []
        }
    }

    private func request(_ edit: @escaping (inout Request) -> Void) -> (Instruction) -> Instruction {
        { instruction in
            guard case .show(var request) = instruction else { return instruction }
            edit(&request)
            return .show(request)
        }
    }

    private func change(_ edit: @escaping (inout Change) -> Void) -> (Instruction) -> Instruction {
        { instruction in
            guard case .update(var change) = instruction else { return instruction }
            edit(&change)
            return .update(change)
        }
    }

    private func choice(_ edit: @escaping (inout Choice) -> Void) -> (Instruction) -> Instruction {
        { instruction in
            guard case .clear(var choice) = instruction else { return instruction }
            edit(&choice)
            return .clear(choice)
        }
    }

    private func policy(_ edit: @escaping (inout Policy) -> Void) -> (Instruction) -> Instruction {
        { instruction in
            guard case .policy(let pattern, var policy) = instruction else { return instruction }
            edit(&policy)
            return .policy(pattern, policy)
        }
    }
}
