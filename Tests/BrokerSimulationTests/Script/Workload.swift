import PopupProtocol
import PopupScheduling
import SwiftProtobuf

/// The script of a seed: random commands that get into each other's way (few groups, names and priorities), and faults
/// between them.
struct Workload {
    static let groups = ["a", "a/b", "a/c", "g"]
    static let patterns = ["a", "a/b", "a/c", "g", "a/*", "*"]
    static let actions = ["ok", "cancel", "confirm"]
    static let tokens = ["s", "t", "u"]
    static let trees = ["app", "kiosk"]
    static let pageValues = ["home", "list", "detail"]
    static let sessions = ["anna", "bert"]

    let setting: Setting
    var dice: Dice
    private var now: Milliseconds = 0
    private var shown: [(id: String, group: String)] = []
    private var sent: [WireCommand] = []

    private init(_ setting: Setting) {
        self.setting = setting
        dice = Dice(setting.seed, for: "workload")
    }

    /// The script of a seed, always the same.
    static func script(of seed: UInt64, items: Int = 150) -> Script {
        var workload = Workload(Setting(seed: seed))
        let items = workload.policies() + (0..<items).flatMap { _ in workload.next() }
        return Script(seed: seed, items: items + workload.storage() + workload.wallClockSettings())
    }

    private mutating func policies() -> [Item] {
        var policies = strictPolicies()
        if setting.features.contains(.policies) { policies += (0..<dice.below(4)).map { _ in policy() } }
        return policies.map { policy in Item(at: 0, deed: .perform(.with { $0.setPolicy = policy })) }
    }

    private mutating func next() -> [Item] {
        if !dice.oneIn(4) { now += Milliseconds(dice.number(0...40) * 10) }
        if dice.oneIn(30) { now += Milliseconds(dice.number(500...4000)) }
        if !setting.faults.isEmpty, dice.oneIn(7) { return fault() }
        return [Item(at: now, deed: deed())]
    }

    private mutating func deed() -> Deed {
        if dice.oneIn(25) { return .perform(command()) }
        if setting.features.contains(.policies), dice.oneIn(40) {
            return .reconfigure((0..<dice.below(3)).map { _ in basicPolicy() })
        }
        if dice.oneIn(8) {
            return .send(setting.admin, (0..<dice.number(1...5)).map { _ in self.command() })
        }
        if setting.features.contains(.renderers), dice.oneIn(25) { return .send(setting.admin, leaving()) }
        if dice.oneIn(30) { return .contradict(dice.pick(setting.producers)) }
        if dice.oneIn(40) { return .startAgain(dice.pick(setting.producers)) }
        if dice.oneIn(12) {
            return .send(dice.pick(setting.producers), (0..<dice.number(2...6)).map { _ in self.command() })
        }
        let command = self.command()
        let isProducers = if case .show = command.command { true } else { dice.oneIn(2) }
        return .send(isProducers ? dice.pick(setting.producers) : setting.admin, [command])
    }

    // MARK: - Commands

    /// All renderers leave; those that are there come again within a second.
    private func leaving() -> [WireCommand] {
        setting.renderers.map { name in .with { $0.lease.client = name } }
    }

    private mutating func command() -> WireCommand {
        if !sent.isEmpty, dice.oneIn(25) { return dice.pick(sent) }
        var command = WireCommand()
        if dice.oneIn(3) { command.producer = dice.pick(Self.producerNames) }
        command.command = content()
        sent.append(command)
        return command
    }

    private static let producerNames = [String(repeating: "0", count: 32), String(repeating: "a1", count: 16)]

    private mutating func content() -> WireCommand.OneOf_Command {
        let features = setting.features
        let kind: CommandChoice = dice.pick([
            (50, .show), (features.contains(.updates) ? 8 : 0, .update), (8, .dismiss), (5, .advance), (4, .clear),
            (features.contains(.suspensions) ? 5 : 0, .suspend), (features.contains(.suspensions) ? 6 : 0, .resume),
            (features.contains(.policies) ? 5 : 0, .setPolicy), (features.contains(.sessions) ? 5 : 0, .setSession),
            (features.contains(.renderers) ? 3 : 0, .report), (features.contains(.offers) ? 3 : 0, .answer),
            (features.contains(.renderers) ? 5 : 0, .lease), (features.contains(.pages) ? 14 : 0, .page), (5, .query),
        ])
        switch kind {
        case .show: return .show(popup())
        case .update: return .update(update())
        case .dismiss:
            return .dismiss(
                .with {
                    $0.id = id()
                    $0.action = dice.oneIn(4) ? "" : dice.pick(Self.actions)
                    if dice.oneIn(4) { $0.revision = UInt64(dice.below(60)) }
                    if dice.oneIn(4) { $0.client = dice.pick(setting.renderers) }
                })
        case .advance: return .advance(.with { $0.group = group() })
        case .clear: return .clear(.with { $0.selector = selector() })
        case .suspend:
            return .suspend(
                .with {
                    $0.group = dice.pick(Self.patterns)
                    $0.token = dice.pick(Self.tokens)
                    if !dice.oneIn(3) { $0.minPriority = priority() }
                })
        case .resume: return .resume(.with { $0.token = dice.pick(Self.tokens) })
        case .setPolicy:
            if dice.oneIn(4) { return .unsetPolicy(.with { $0.group = dice.pick(Self.patterns) }) }
            return .setPolicy(policy())
        case .setSession:
            return .setSession(
                .with {
                    $0.group = group()
                    if !dice.oneIn(3) { $0.session = dice.pick(Self.sessions) }
                })
        case .report:
            return .report(
                .with {
                    $0.id = id()
                    $0.client = dice.pick(setting.renderers + ["guest"])
                    $0.report = dice.pick([.displayed(WireEmpty()), .visible(WireEmpty()), .hidden(WireEmpty())])
                })
        case .answer:
            return .answer(
                .with {
                    $0.id = id()
                    $0.client = dice.pick(setting.renderers)
                    $0.answer = dice.pick([.accept(WireEmpty()), .veto(WireEmpty()), .later(WireLater())])
                })
        case .lease:
            return .lease(
                .with {
                    $0.client = dice.pick(setting.renderers + ["guest"])
                    $0.groups = dice.oneIn(2) ? [] : (0..<dice.below(4)).map { _ in dice.pick(Self.patterns) }
                })
        case .page: return .page(page())
        case .query: return .query(query())
        }
    }

    private enum CommandChoice {
        case show, update, dismiss, advance, clear, suspend, resume, setPolicy, setSession, report, answer, lease, page
        case query
    }

    /// A popup's id and group, noted for those that refer to it.
    mutating func newPopup() -> (id: String, group: String) {
        let popup = (id: "q\(shown.count + 1)", group: group())
        shown.append(popup)
        return popup
    }

    mutating func id() -> String {
        guard !shown.isEmpty, !dice.oneIn(20) else { return "nobody" }
        return shown[max(0, shown.count - 1 - dice.below(12))].id
    }

    mutating func group() -> String { dice.oneIn(2) ? "a/b" : dice.pick(Self.groups) }
    mutating func priority() -> Int32 { Int32(dice.below(5)) - 1 }
    mutating func time(_ most: Int) -> UInt32 { UInt32(100 * (1 + dice.below(most))) }

    private mutating func query() -> WireQuery {
        .with {
            $0.client = dice.oneIn(2) ? setting.admin : "guest"
            $0.nonce = "n\(dice.below(1000))"
            switch dice.below(6) {
            case 0: $0.list.selector = selector()
            case 1: $0.count.selector = selector()
            case 2: $0.peek.group = group()
            case 3: $0.explain.id = id()
            case 4:
                $0.path = .with {
                    $0.tree = dice.pick(Self.trees)
                    if dice.oneIn(2) { $0.node = "n\(dice.below(5))" }
                    if dice.oneIn(3) { $0.except = "list" }
                    $0.separator = "/"
                }
            default: $0.stats = WireStatsQuery()
            }
        }
    }

    private mutating func selector() -> WireSelector {
        .with {
            if !dice.oneIn(4) { $0.group = dice.pick(Self.patterns) }
            if dice.oneIn(4) { $0.surface = "top" }
            if dice.oneIn(5) { $0.collapseKey = "k" }
            if dice.oneIn(6) { $0.producer = dice.pick(Self.producerNames) }
            if dice.oneIn(4) { $0.priorityBelow = priority() }
            if dice.oneIn(4) { $0.priorityAbove = priority() }
            $0.active = dice.oneIn(3)
            $0.waiting = dice.oneIn(3)
            $0.paused = dice.oneIn(3)
        }
    }

    // MARK: - Faults

    private mutating func fault() -> [Item] {
        let faults = Setting.Fault.allCases.filter(setting.faults.contains)
        let client = dice.pick(setting.clients)
        func item(_ deed: Deed, after delay: Milliseconds = 0) -> Item { Item(at: now + delay, deed: deed) }
        switch dice.pick(faults) {
        case .crashes: return [item(crash())]
        case .disk:
            let failing = item(.failCommits(dice.number(1...3)))
            return dice.oneIn(3) ? [failing, item(.reconfigure([basicPolicy()]))] : [failing]
        case .loss:
            let longest = Milliseconds(dice.pick([0, 20, 300, 1500]))
            let weather = Weather(lost: dice.pick([0, 10, 60, 100]), repeated: dice.pick([0, 20]), delay: 0...longest)
            return passing(weather, client, dice.pick(Direction.allCases))
        case .slowness:
            return passing(dice.oneIn(3) ? .dead : Weather(every: Milliseconds(dice.number(20...400))), client, .down)
        case .cuts: return [item(.cut(client, Milliseconds(dice.number(50...7000))))]
        case .stalls: return [item(.stall(Milliseconds(dice.number(10...3000))))]
        case .jumps: return [item(.jump(Milliseconds(dice.pick([1, 50, 1000, 6000, 90_000]))))]
        case .clocks: return [item(crash())]
        case .nonsense:
            let bytes = (0..<dice.below(12)).map { _ in UInt8(dice.below(256)) }
            return [item(.sendNonsense(client, (dice.oneIn(3) ? [UInt8(ascii: "{")] : []) + bytes))]
        }
    }

    private mutating func passing(_ weather: Weather, _ client: String, _ direction: Direction) -> [Item] {
        // Items need not stand in order of time: the world puts them there.
        [
            Item(at: now, deed: .weather(client, direction, weather)),
            Item(at: now + Milliseconds(dice.number(200...6000)), deed: .weather(client, direction, .calm)),
        ]
    }

    /// What happens to what is kept; items need not stand in order of time.
    private mutating func storage() -> [Item] {
        let faults = Setting.DiskFault.allCases.filter(setting.diskFaults.contains)
        guard !faults.isEmpty else { return [] }
        return (0..<dice.number(1...12)).map { _ in
            let deed: Deed =
                switch dice.pick(faults) {
                case .machineFailures: failMachine()
                case .fullDisk: .fillDisk(Milliseconds(dice.number(100...8000)))
                case .snapshots: .snapshot(Milliseconds(dice.pick([0, 0, 50, 700])))
                case .damage: .damageSnapshot
                }
            return Item(at: Milliseconds(dice.below(Int(now) + 1)), deed: deed)
        }
    }

    /// The wall clock is set while the broker runs; by dice of their own, so that what was drawn before stays.
    private func wallClockSettings() -> [Item] {
        var dice = Dice(setting.seed, for: "wall clock")
        guard dice.oneIn(3) else { return [] }
        return (0..<dice.number(1...4)).map { _ in
            let change: Milliseconds = dice.pick([-86_400_000, -7_200_000, -3_600_000, 3_600_000, 86_400_000])
            return Item(at: Milliseconds(dice.below(Int(now) + 1)), deed: .setWallClock(change))
        }
    }

    private mutating func failMachine() -> Deed {
        guard case .crash(let point, let down, let clock) = crash() else { return .damageSnapshot }
        return .failMachine(point, down: down, clock: clock)
    }

    private mutating func crash() -> Deed {
        let point: CrashPoint = dice.pick([
            .receive(dice.below(4)), .beforeCommit, .afterCommit, .publish(dice.below(6)), .publish(dice.below(40)),
        ])
        let clock: Milliseconds =
            setting.faults.contains(.clocks)
            ? Milliseconds(dice.pick([0, -1, -2500, 700, -3_600_000, 3_600_000, 86_400_000])) : 0
        return .crash(point, down: Milliseconds(dice.number(0...2500)), clock: clock)
    }
}
