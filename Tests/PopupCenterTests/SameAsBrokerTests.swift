import PopupCenter
import PopupProtocol
import PopupSimulation
import PopupState
import Testing

@Suite("A center and a broker")
struct SameAsBrokerTests {
    @Test("give the same events for the same commands at the same times", arguments: 1...10 as ClosedRange<UInt64>)
    func sameEvents(seed: UInt64) async throws {
        var script = RandomScript(seed: seed)
        let clock = ManualClock()
        var center: Center? = Center(clock: clock)
        let events = try #require(await center?.events(keeping: 100_000))
        var simulation = try Simulation(SimulationSettings(timeZones: NoTimeZones()))
        var ofBroker: [String] = []
        func tell(_ output: Simulation.Output) {
            if case .event(let event, at: _) = output { ofBroker.append(Self.line(event)) }
        }
        for _ in 1...400 {
            let (pause, step) = script.next()
            clock.advance(by: .milliseconds(pause))
            // A refusal is among the events.
            try? await center?.perform(step)
            simulation.apply(ReceivedCommand(step.wireCommand), at: clock.now.offset.inMilliseconds, tell: tell)
        }
        simulation.finish(tell: tell)
        clock.advance(by: .seconds(1_000_000))
        _ = await center?.state(of: "a")
        center = nil
        var ofCenter: [String] = []
        for await event in events { ofCenter.append(Self.line(event)) }
        #expect(ofCenter == ofBroker)
        #expect(ofCenter.count > 400)
    }

    private static func line(_ event: PopupEvent) -> String {
        let time = event.time.inMilliseconds
        let word =
            switch event.kind {
            case .queued: "queued"
            case .offered: "offered"
            case .shown(let attempt): "shown \(attempt)"
            case .paused: "paused"
            case .resumed: "resumed"
            case .updated: "updated"
            case .closed(let closing):
                "closed \(WireClosed.Reason(closing.reason)) \(closing.action) \(closing.displayed.inMilliseconds)"
            case .refused: "refused"
            }
        return "\(time) \(event.group) \(event.popup) \(event.revision) \(word)"
    }

    private static func line(_ event: WireEvent) -> String {
        let word =
            switch event.event {
            case .queued: "queued"
            case .offered: "offered"
            case .shown(let shown): "shown \(shown.attempt)"
            case .paused: "paused"
            case .resumed: "resumed"
            case .updated: "updated"
            case .closed(let closed): "closed \(closed.reason) \(closed.action) \(closed.displayedMs)"
            case .refused: "refused"
            case nil: "nothing"
            }
        return "\(event.time) \(event.group) \(event.popup) \(event.revision) \(word)"
    }
}

/// A command in both forms.
private enum Step {
    case show(WirePopup)
    case update(id: String, priority: Int32)
    case dismiss(id: String)
    case advance(String)
    case suspend(String, below: Int32)
    case resume
    case clear(String)
    case policy(String, WirePreset.Name)
    case session(String)
    case openPages
    case enterPage(String)

    var wireCommand: WireCommand {
        var command = WireCommand()
        switch self {
        case .show(let popup): command.show = popup
        case .update(let id, let priority):
            command.update.id = id
            command.update.priority = priority
        case .dismiss(let id):
            command.dismiss.id = id
            command.dismiss.action = "ok"
        case .advance(let group): command.advance.group = group
        case .suspend(let group, let priority):
            command.suspend.group = group
            command.suspend.token = "t"
            command.suspend.minPriority = priority
        case .resume: command.resume.token = "t"
        case .clear(let group): command.clear.selector.group = group
        case .policy(let group, let preset):
            command.setPolicy.group = group
            command.setPolicy.preset = preset
        case .session(let session):
            command.setSession.group = "a"
            command.setSession.session = session
        case .openPages:
            command.page.tree = "app"
            command.page.open.node = "home"
            command.page.open.value = "home"
        case .enterPage(let page):
            command.page.tree = "app"
            command.page.enter.node = page
        }
        return command
    }
}

extension Center {
    fileprivate func perform(_ step: Step) throws(PopupRefusal) {
        switch step {
        case .show(let popup): try show(Popup(popup))
        case .update(let id, let priority): try update(id, priority: priority)
        case .dismiss(let id): try dismiss(id, action: "ok")
        case .advance(let group): advance(group)
        case .suspend(let group, let priority): try suspend("t", in: group, below: priority)
        case .resume: resume("t")
        case .clear(let group): clear(group)
        case .policy(let group, let preset):
            let policies: [WirePreset.Name: Policy] = [
                .fifo: .fifo, .lifo: .lifo, .polite: .polite, .stacked: .stacked, .priority: .priority,
            ]
            try setPolicy(policies[preset] ?? .priority, for: group)
        case .session(let session): try setSession(of: "a", to: session)
        case .openPages: try openPage("home", value: "home", in: "app")
        case .enterPage(let page): try enterPage(page, in: "app")
        }
    }
}

extension Popup {
    fileprivate init(_ popup: WirePopup) {
        func time(_ milliseconds: UInt32) -> Duration? { milliseconds == 0 ? nil : .milliseconds(milliseconds) }
        self.init(
            popup.id, id: popup.id, group: popup.group, priority: popup.priority, duration: time(popup.durationMs),
            timeToLive: time(popup.ttlMs), delay: time(popup.delayMs), minimumDisplay: time(popup.minDisplayMs),
            collapseKey: popup.collapseKey)
        exclusive = popup.exclusive == .all ? .all : popup.exclusive == .group ? .group : .none
        interruptible = popup.hasInterruptible ? popup.interruptible : true
        session = popup.session.isEmpty ? nil : popup.session
        offer = time(popup.offerMs)
        if popup.hasFlow {
            let requires = popup.flow.requires
            flow = PopupFlow(
                popup.flow.key, stage: popup.flow.stage, requires: requires.popup.isEmpty ? nil : requires.popup,
                action: requires.action.isEmpty ? nil : requires.action, hold: time(popup.flow.holdMs))
        }
        if popup.hasPage {
            page = PopupPage(
                popup.page.value, in: popup.page.tree, scope: popup.page.scope == .within ? .within : .current)
        }
    }
}

/// Commands with pauses before them, from a seed.
private struct RandomScript {
    private var state: UInt64
    private var last = 0

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

    mutating func next() -> (pause: Int, Step) {
        let pause = one(in: 3) ? number(below: 3000) : number(below: 300)
        let group = ["a", "b", "b/c"][number(below: 3)]
        let step: Step =
            switch number(below: 100) {
            case 0: .openPages
            case 1: .enterPage(one(in: 2) ? "home" : "away")
            case 2: .session("s\(number(below: 2))")
            case 3..<6:
                .policy(one(in: 3) ? "*" : group, [.fifo, .lifo, .polite, .stacked, .priority][number(below: 5)])
            case 6..<9: .suspend(one(in: 2) ? "b/*" : group, below: Int32(number(below: 4)))
            case 9..<13: .resume
            case 13: .clear(group)
            case 14..<18: .advance(group)
            case 18..<24: .update(id: "p\(max(1, last - number(below: 6)))", priority: Int32(number(below: 4)))
            case 24..<40: .dismiss(id: "p\(max(1, last - number(below: 6)))")
            default: .show(popup(in: group))
            }
        return (pause, step)
    }

    private mutating func popup(in group: String) -> WirePopup {
        // Now and then an id that is known.
        if !one(in: 20) || last == 0 { last += 1 }
        var popup = WirePopup()
        popup.id = "p\(last)"
        popup.group = group
        popup.priority = Int32(number(below: 4))
        if !one(in: 5) { popup.durationMs = UInt32(1 + number(below: 3000)) }
        if one(in: 5) { popup.ttlMs = UInt32(1 + number(below: 3000)) }
        if one(in: 8) { popup.delayMs = UInt32(1 + number(below: 1000)) }
        if one(in: 8) { popup.minDisplayMs = UInt32(1 + number(below: 1000)) }
        if one(in: 8) { popup.collapseKey = "k\(number(below: 2))" }
        if one(in: 10) { popup.interruptible = false }
        if one(in: 40) { popup.exclusive = one(in: 2) ? .all : .group }
        if one(in: 15) { popup.session = "s\(number(below: 2))" }
        if one(in: 10) { popup.offerMs = UInt32(1 + number(below: 500)) }
        if one(in: 6) {
            popup.flow.key = "f\(number(below: 2))"
            popup.flow.stage = UInt32(number(below: 3))
            if one(in: 3) { popup.flow.holdMs = UInt32(1 + number(below: 500)) }
            if last > 1, one(in: 3) {
                popup.flow.requires.popup = "p\(last - 1)"
                if one(in: 2) { popup.flow.requires.action = "ok" }
            }
        } else if one(in: 10) {
            popup.page.tree = "app"
            popup.page.value = "home"
        }
        return popup
    }

    private mutating func one(in count: Int) -> Bool { number(below: count) == 0 }

    private mutating func number(below bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % bound
    }
}

private struct NoTimeZones: TimeZoneSource {
    func zone(named name: String) throws(UnusableTimeZone) -> TimeZoneData {
        throw UnusableTimeZone(what: "is not there")
    }
}

extension Duration {
    fileprivate var inMilliseconds: Int64 {
        components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    }
}
