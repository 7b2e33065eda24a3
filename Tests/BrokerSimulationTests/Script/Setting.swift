@testable import PopupBroker
import PopupProtocol
import PopupScheduling
import SwiftProtobuf

/// What a seed decides beside the script: the broker's configuration, who takes part, and what happens at all. Runs
/// that differ in what they leave out find more than runs that all do everything.
struct Setting {
    /// What producers and renderers make use of.
    enum Feature: CaseIterable {
        case flows, offers, pages, sessions, caps, quiet, quorum, renderers, exclusive, collapse, delays, minimumDisplay
        case expiry, suspensions, policies, updates, aging, gaps
    }

    /// What goes wrong.
    enum Fault: CaseIterable {
        case crashes, disk, loss, slowness, cuts, stalls, jumps, clocks, nonsense
    }

    /// What happens to what is kept.
    enum DiskFault: CaseIterable {
        case machineFailures, fullDisk, snapshots, damage
    }

    /// What a machine that fails leaves of the journal.
    enum Durability {
        /// All that was committed.
        case full
        /// All but the last of it.
        case normal
    }

    static let refreshInterval: Milliseconds = 1000

    let seed: UInt64
    let features: Set<Feature>
    let faults: Set<Fault>
    let configuration: BrokerConfiguration
    let diskFaults: Set<DiskFault>
    let durability: Durability
    /// Whether large batches are committed beside the broker's thread; how large these are at least, and how long it
    /// takes.
    let isCommittingBeside: Bool
    /// What the broker may apply in one turn: so little, mostly, that batches and timers take several.
    var workOfTurn: Int { [TurnBudget.ofTurn, 1, 4, 20][Int(seed % 4)] }
    let leastEntries: Int
    let commitDurations: [Milliseconds]
    /// Which of the producers number their commands.
    let isNumbering: [Bool]
    /// Whether states are sent again and again, for those that missed them.
    let isRefreshing: Bool
    /// So many numbered commands are under way at most.
    let window: Int
    /// Whether producers are forgotten for others.
    let isForgetful: Bool
    /// In ms: so long a producer with acknowledgements waits before it sends a command again for the first time.
    let firstPause: Milliseconds
    /// Whether a plugin of the embedding program takes part.
    let hasPlugin: Bool
    /// Whether somebody follows every channel from the start, so that what is published can be checked to be complete.
    let isAudited: Bool
    /// By the wall clock, in ms since 1970.
    let beginning: Milliseconds
    let producers = ["p1", "p2"]
    let renderers = ["r1", "r2", "r3"]
    let admin = "c1"

    var clients: [String] { producers + renderers + [admin] }

    /// Whether the scheduler's tables are small enough to fill up.
    var isTight: Bool { configuration.scheduling.groups < 1000 }

    /// The setting of a seed.
    ///
    /// - Parameter hasPlugins: Plugins may take part.
    init(seed: UInt64, hasPlugins: Bool = true) {
        var dice = Dice(seed, for: "setting")
        self.seed = seed
        features = Set(Feature.allCases.filter { _ in dice.percent(55) })
        faults = Set(Fault.allCases.filter { _ in dice.percent(45) })
        isAudited = !dice.oneIn(5)
        // A midnight and changes to and from summer time of Berlin and New York are near.
        let beginnings: [Milliseconds] = [
            1_774_745_980_000, 1_792_889_980_000, 1_772_953_180_000, 1_793_512_780_000, 1_767_221_980_000,
        ]
        beginning = dice.pick(beginnings)

        var configuration = BrokerConfiguration()
        configuration.seed = seed
        configuration.hashSeed = ~seed
        configuration.limits.batchMessages = dice.pick([1, 3, 128])
        configuration.limits.refusalLogLines = 0
        if dice.oneIn(3) { configuration.scheduling = .tight }
        if dice.oneIn(6) { configuration.scheduling.deduplicationWindow = 8000 }

        // Of their own, so that what was drawn before stays.
        dice = Dice(seed, for: "disk and acknowledgements")
        diskFaults = Set(DiskFault.allCases.filter { _ in dice.percent(50) })
        durability = dice.oneIn(2) ? .full : .normal
        isNumbering = [!dice.oneIn(4), !dice.oneIn(3)]
        window = dice.pick([256, 256, 16])
        isRefreshing = dice.oneIn(2)
        configuration.refreshInterval = isRefreshing ? Self.refreshInterval : 86_400_000
        isForgetful = dice.oneIn(6)
        // A clock may be set forward by days.
        configuration.limits.producerWindow = 365 * 86_400_000
        if isForgetful {
            configuration.limits.maxProducers = dice.number(2...4)
            configuration.limits.producerWindow = 2000
        }
        if dice.oneIn(6) { configuration.limits.maxSequenceGaps = dice.number(1...4) }

        dice = Dice(seed, for: "plugins")
        hasPlugin = hasPlugins && dice.oneIn(2)
        if hasPlugins, dice.oneIn(4) { configuration.defaults = Self.defaults }
        if hasPlugins, dice.oneIn(3) {
            configuration.quotas.perProducer.livePopups = dice.number(2...8)
            configuration.quotas.anonymous.livePopups = dice.number(6...12)
            if dice.oneIn(2) { configuration.quotas.perProducer.commandsPerSecond = dice.number(5...20) }
        }
        self.configuration = configuration

        // A producer in a hurry beside a slow disk: its repetitions come while the original is on its way to the disk.
        dice = Dice(seed, for: "haste")
        let isHasty = dice.oneIn(3)
        firstPause = isHasty ? Milliseconds(dice.number(2...30)) : 250

        dice = Dice(seed, for: "commits")
        isCommittingBeside = !dice.oneIn(3) || isHasty
        leastEntries = isHasty ? 1 : dice.pick([1, 1, 2, 4])
        // Behind a slow disk batches of a few messages are too little for all that comes.
        let isRoomy = configuration.limits.batchMessages > 100
        let slow: [Milliseconds] = isRoomy ? [20, 300] : [5]
        commitDurations = isHasty ? slow : dice.pick([[0], [0, 0, 1, 5], [0, 3, 40], slow])
    }

    private static let defaults: [WirePopup] = [
        .with {
            $0.group = "a/*"
            $0.durationMs = 900
            $0.presentation.title = "given"
        },
        .with {
            $0.group = "g"
            $0.ttlMs = 4000
            $0.actions = [.with { $0.id = "ok" }]
        },
    ]
}

extension Limits {
    /// Limits that a short run reaches.
    fileprivate static let tight: Limits = {
        var limits = Limits()
        limits.groups = 5
        limits.popups = 12
        limits.waitingPerGroup = 5
        // Roomy: an id that is forgotten early may live again, and each id's one life is followed here.
        limits.maxIDs = 4000
        limits.contentBytes = 4096
        limits.suspensions = 2
        limits.policies = 4
        limits.membersPerFlow = 3
        limits.renderers = 3
        limits.renderersPerPopup = 2
        limits.groupsPerLease = 2
        limits.pageTrees = 1
        limits.pagesPerTree = 4
        limits.pageDepth = 3
        limits.cappedShowings = 6
        return limits
    }()
}
