import PopupProtocol
import PopupScheduling
import SwiftProtobuf

// Popups, policies and pages with all of their fields.
extension Workload {
    mutating func popup() -> WirePopup {
        let (id, group) = newPopup()
        let features = setting.features
        var popup = WirePopup()
        if !dice.oneIn(15) { popup.id = id }
        popup.group = group
        popup.priority = priority()
        if dice.oneIn(2) { popup.durationMs = time(25) }
        if features.contains(.expiry), dice.oneIn(4) { popup.ttlMs = time(25) }
        if features.contains(.delays), dice.oneIn(4) { popup.delayMs = time(15) }
        if features.contains(.minimumDisplay), dice.oneIn(3) { popup.minDisplayMs = time(15) }
        if features.contains(.exclusive), dice.oneIn(10) { popup.exclusive = dice.oneIn(3) ? .all : .group }
        if features.contains(.collapse), dice.oneIn(3) { popup.collapseKey = dice.pick(["k", "l"]) }
        if dice.oneIn(5) { popup.interruptible = dice.oneIn(4) }
        if dice.oneIn(2) { popup.text = dice.pick(["one", "two"]) }
        if dice.oneIn(8) { popup.actions = [.with { $0.id = "ok" }] }
        if dice.oneIn(8) { popup.presentation.title = "title" }
        if dice.oneIn(3) { popup.surface = dice.pick(["top", "bar"]) }
        if features.contains(.flows), dice.oneIn(2) { popup.flow = flow() }
        if features.contains(.pages), dice.oneIn(3) {
            popup.page.tree = dice.pick(Self.trees)
            popup.page.value = dice.pick(Self.pageValues)
            popup.page.scope = dice.pick([.current, .within])
        }
        if features.contains(.sessions), dice.oneIn(3) { popup.session = dice.pick(Self.sessions) }
        if features.contains(.offers), dice.oneIn(3) { popup.offerMs = time(12) }
        if features.contains(.quorum), dice.oneIn(3) {
            if dice.oneIn(2) { popup.quorumAll = true } else { popup.quorum = UInt32(dice.number(1...3)) }
        }
        if features.contains(.caps), dice.oneIn(2) { popup.capKey = dice.pick(["ads", "tips"]) }
        return popup
    }

    private mutating func flow() -> WireFlow {
        .with {
            $0.key = dice.pick(["buy", "tour"])
            $0.stage = UInt32(dice.below(4))
            if dice.oneIn(3) {
                $0.requires.popup = id()
                if dice.oneIn(2) { $0.requires.action = dice.pick(Self.actions) }
            }
            if dice.oneIn(3) { $0.holdMs = time(20) }
        }
    }

    mutating func update() -> WireUpdate {
        .with {
            $0.id = id()
            if dice.oneIn(2) { $0.priority = priority() }
            if dice.oneIn(3) { $0.durationMs = dice.oneIn(4) ? 0 : time(25) }
            $0.restartTimer = dice.oneIn(4)
            if dice.oneIn(3) { $0.text = dice.pick(["three", "four"]) }
            if dice.oneIn(5) { $0.actions = [.with { $0.id = "confirm" }] }
            if dice.oneIn(4) { $0.interruptible = dice.oneIn(2) }
        }
    }

    /// A policy of the fields that the table of who gives way, the times and the line have.
    mutating func basicPolicy() -> WireSetPolicy {
        .with {
            $0.group = dice.pick(Self.patterns)
            $0.preset = dice.pick([.priority, .fifo, .lifo, .polite, .stacked])
            if dice.oneIn(3) {
                $0.higher = dice.pick([.stop, .pause, .defer, .never])
                $0.peers = dice.pick([.stop, .pause, .defer, .never])
                $0.lower = dice.pick([.stop, .pause, .defer, .never])
            }
            if dice.oneIn(6) { $0.ignorePriority = true }
            if dice.oneIn(4) { $0.resume = dice.pick([.remaining, .restart]) }
            if setting.features.contains(.gaps), dice.oneIn(2) {
                $0.gapMinMs = time(4)
                $0.gapMaxMs = $0.gapMinMs + (dice.oneIn(2) ? 0 : time(4))
            }
            if dice.oneIn(2) { $0.defaultDurationMs = time(20) }
            if dice.oneIn(3) { $0.maxDurationMs = time(20) }
            if dice.oneIn(4) { $0.maxWaiting = UInt32(dice.below(4)) }
            if dice.oneIn(3) { $0.overflow = dice.pick([.rejectNew, .dropLowest, .dropOldest]) }
        }
    }

    /// For all groups without a policy of their own: what no renderer answers, displays or keeps displaying closes. The
    /// policies that the script sets later seldom come to that.
    func strictPolicies() -> [WireSetPolicy] {
        var dice = Dice(setting.seed, for: "strict policies")
        guard dice.oneIn(2), setting.features.contains(.renderers) || setting.features.contains(.offers) else {
            return []
        }
        var policy = WireSetPolicy.with {
            $0.group = "*"
            $0.preset = .priority
            if dice.oneIn(2) { $0.higher = .stop }
            $0.defaultDurationMs = 3000
        }
        if setting.features.contains(.renderers) {
            policy.rendererLost = dice.oneIn(3) ? .requeue : .close
            policy.displayTimeoutMs = UInt32(dice.number(2...6)) * 100
            policy.undisplayed = dice.oneIn(3) ? .skip : .close
            policy.maxAttempts = UInt32(dice.number(1...3))
        }
        if setting.features.contains(.offers) {
            policy.offerMs = UInt32(dice.number(2...8)) * 100
            policy.offerDefault = .close
        }
        return [policy]
    }

    mutating func policy() -> WireSetPolicy {
        let features = setting.features
        var policy = basicPolicy()
        if dice.oneIn(3) { return policy }
        if features.contains(.flows), dice.oneIn(3) { policy.gatherMs = time(10) }
        if features.contains(.offers), dice.oneIn(3) {
            policy.offerMs = time(12)
            policy.offerDefault = dice.pick([.show, .close])
            if dice.oneIn(2) { policy.retryMs = time(10) }
        }
        if features.contains(.renderers), dice.oneIn(2) {
            policy.clock = dice.pick([.display, .visible])
            if dice.oneIn(2) {
                policy.displayTimeoutMs = time(10)
                policy.undisplayed = dice.pick([.hold, .skip, .close])
            }
            policy.rendererLost = dice.pick([.hold, .requeue, .close])
            if dice.oneIn(2) { policy.maxAttempts = UInt32(dice.number(1...3)) }
        }
        if features.contains(.quorum), dice.oneIn(3) {
            if dice.oneIn(2) { policy.quorumAll = true } else { policy.quorum = UInt32(dice.number(1...3)) }
        }
        if features.contains(.caps), dice.oneIn(2) {
            policy.caps = (0..<dice.number(1...2)).map { _ in
                .with {
                    $0.capKey = dice.pick(["", "ads", "tips"])
                    $0.most = UInt32(dice.below(4))
                    $0.perMs = time(60)
                }
            }
        }
        if features.contains(.quiet), dice.oneIn(2) { policy.quiet = [window()] }
        if features.contains(.aging), dice.oneIn(2) { policy.agingMs = time(20) }
        if features.contains(.pages), dice.oneIn(2) { policy.pageTree = dice.pick(Self.trees) }
        return policy
    }

    /// At the times near which the runs begin.
    private mutating func window() -> WireQuietWindow {
        .with {
            $0.from = dice.pick(["00:00", "02:00", "03:00", "23:59", "01:00"])
            $0.to = dice.pick(["00:01", "02:01", "03:01", "00:00", "07:00"])
            $0.timeZone = dice.pick(["Europe/Berlin", "America/New_York", "UTC"])
            if dice.oneIn(2) { $0.minPriority = priority() }
        }
    }

    mutating func page() -> WirePage {
        .with {
            $0.tree = dice.oneIn(3) ? Self.trees[1] : Self.trees[0]
            let node = "n\(dice.below(6))"
            switch dice.below(20) {
            case 0..<10:
                $0.open = .with {
                    $0.node = node
                    if !dice.oneIn(3) { $0.parent = "n\(dice.below(6))" }
                    $0.value = dice.pick(Self.pageValues)
                }
            case 10..<16: $0.enter.node = node
            case 16..<19: $0.close.node = node
            default: $0.clear = WireEmpty()
            }
        }
    }
}
