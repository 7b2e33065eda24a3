import PopupScheduling

/// The commands and queries by name.
extension Timeline {
    func show(
        _ id: String, in group: String = "g", priority: Int32 = 0, duration: UInt32 = 0, ttl: UInt32 = 0,
        delay: UInt32 = 0, minDisplay: UInt32 = 0, exclusive: PopupRequest.Exclusivity = .none, key: String = "",
        surface: String = "", interruptible: Bool = true, producer: ProducerID? = nil, content: String = "",
        flow: Instruction.Flow? = nil, page: Instruction.Page? = nil, session: String = "", offer: UInt32 = 0,
        quorum: UInt32 = 0, quorumAll: Bool = false, capKey: String = ""
    ) -> Timeline {
        tell(
            .show(
                Instruction.Request(
                    id: id, group: group, priority: priority, duration: duration, timeToLive: ttl, delay: delay,
                    minimumDisplay: minDisplay, exclusive: exclusive, collapseKey: key, surface: surface,
                    interruptible: interruptible, producer: producer, content: content, flow: flow, page: page,
                    session: session, offer: offer, quorum: quorum, quorumAll: quorumAll, capKey: capKey)))
    }

    func update(
        _ id: String, priority: Int32? = nil, duration: UInt32? = nil, restartTimer: Bool = false,
        interruptible: Bool? = nil, content: String? = nil
    ) -> Timeline {
        tell(
            .update(
                Instruction.Change(
                    id: id, priority: priority, duration: duration, restartTimer: restartTimer,
                    interruptible: interruptible, content: content)))
    }

    func dismiss(_ id: String, _ action: String = "", revision: UInt64? = nil, by client: String = "") -> Timeline {
        tell(.dismiss(id, action: action, revision: revision, client: client))
    }

    func advance(_ group: String = "g") -> Timeline {
        tell(.advance(group))
    }

    func clear(_ choose: (inout Instruction.Choice) -> Void = { _ in }) -> Timeline {
        tell(.clear(chosen(choose)))
    }

    func suspend(_ token: String, in pattern: String = "g", below priority: Int32? = nil) -> Timeline {
        tell(.suspend(pattern, token: token, minimumPriority: priority))
    }

    func resume(_ token: String) -> Timeline {
        tell(.resume(token: token))
    }

    func policy(_ policy: Policy, for pattern: String = "g") -> Timeline {
        tell(.policy(pattern, policy))
    }

    func policy(
        _ base: Policy = .priority, for pattern: String = "g", _ change: (inout Policy) -> Void
    ) -> Timeline {
        var changed = base
        change(&changed)
        return policy(changed, for: pattern)
    }

    func removePolicy(for pattern: String = "g") -> Timeline {
        tell(.removePolicy(pattern))
    }

    func setWallClock(ahead: Milliseconds) -> Timeline { tell(.setWallClock(ahead: ahead)) }
    func setSession(_ session: String, in group: String = "g") -> Timeline { tell(.setSession(group, session)) }

    func displayed(_ id: String, by client: String) -> Timeline { tell(.report(id, client: client, .displayed)) }
    func visible(_ id: String, by client: String) -> Timeline { tell(.report(id, client: client, .visible)) }
    func hidden(_ id: String, by client: String) -> Timeline { tell(.report(id, client: client, .hidden)) }

    func accept(_ id: String, by client: String = "r1") -> Timeline { tell(.answer(id, client: client, .accept)) }
    func veto(_ id: String, by client: String = "r1") -> Timeline { tell(.answer(id, client: client, .veto)) }

    func later(_ id: String, by client: String = "r1", retry: UInt32? = nil) -> Timeline {
        tell(.answer(id, client: client, .later(retry: retry)))
    }

    func lease(_ client: String, _ patterns: [String] = ["g"]) -> Timeline { tell(.lease(client, patterns)) }

    /// Opens a page, whose value is its node's name where none is given.
    func open(_ node: String, below parent: String = "", value: String? = nil, in tree: String = "t") -> Timeline {
        tell(.page(tree, .open(node, parent: parent, value: value ?? node)))
    }

    func enter(_ node: String, in tree: String = "t") -> Timeline { tell(.page(tree, .enter(node))) }
    func close(_ node: String, in tree: String = "t") -> Timeline { tell(.page(tree, .close(node))) }
    func clearPages(in tree: String = "t") -> Timeline { tell(.page(tree, .clear)) }

    func peek(_ group: String = "g", limit: Int = .max) -> Timeline { ask(.peek(group, limit: limit)) }
    func state(_ group: String = "g") -> Timeline { ask(.state(group)) }
    func content(_ group: String = "g") -> Timeline { ask(.content(group)) }
    func remaining(_ group: String = "g") -> Timeline { ask(.remaining(group)) }
    func explain(_ id: String, all: Bool = false) -> Timeline { ask(.explain(id, all: all)) }

    func count(_ choose: (inout Instruction.Choice) -> Void = { _ in }) -> Timeline {
        ask(.count(chosen(choose)))
    }

    func list(limit: Int = .max, _ choose: (inout Instruction.Choice) -> Void = { _ in }) -> Timeline {
        ask(.list(chosen(choose), limit: limit))
    }

    private func chosen(_ choose: (inout Instruction.Choice) -> Void) -> Instruction.Choice {
        var choice = Instruction.Choice()
        choose(&choice)
        return choice
    }
}
