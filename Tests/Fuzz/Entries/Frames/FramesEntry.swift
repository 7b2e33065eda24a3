import Logging
import PopupAccess
@testable import PopupBroker
import PopupJournal
import PopupProtocol
import PopupScheduling
@testable import PopupState

/// Frames, subscriptions and time into the broker's loop: admission, journal, scheduler, publishing. Afterwards the
/// scheduler's invariants hold, whatever was published can be read, and a replay of the journal gives the same state.
enum FramesEntry {
    /// Turns of one instant at most: more are none that end.
    private static let maxTurns = 10_000

    /// What came of an input.
    struct Outcome {
        /// The scheduler's.
        var state: [UInt8]
        /// The journal's.
        var snapshot: [UInt8]
        /// Whether a command of the input was committed.
        var isAccepted: Bool
    }

    static func run(binary input: [UInt8]) throws -> Outcome {
        try run(Step.steps(binary: Array(input.dropFirst())), isTight: input.first.map { $0 % 2 == 1 } ?? false)
    }

    /// The first line may be `tight`: then tables are small enough to fill up.
    static func run(lines input: [UInt8]) throws -> Outcome {
        try run(Step.steps(lines: input), isTight: input.starts(with: "tight".utf8))
    }

    /// Lines of users: their rights are those of `RightsEntry`.
    static func run(lines input: [UInt8], ofUsers rules: AccessRules) throws -> Outcome {
        try run(Step.steps(lines: input), isTight: false, rules)
    }

    private static func run(_ steps: [Step], isTight: Bool, _ rules: AccessRules = .open) throws -> Outcome {
        var configuration = configuration(isTight: isTight)
        configuration.access = rules
        let journal = FuzzedJournal()
        var time: Milliseconds = 1_774_745_980_000
        let mayRead = { rules.isOpen || RightsEntry.mayRead($0, $1) }
        var transport = FuzzedTransport(mayRead: mayRead)
        var loop = try start(configuration, transport, journal, at: time)
        for step in steps {
            switch step {
            case .frame(let frame): transport.send(frame)
            case .user(let user): transport.user = user
            // Of two strangers; one of them goes when it withdraws everything.
            case .subscribe(let prefix): transport.tell(.subscribed, prefix, of: 2 + UInt64(prefix.count % 2))
            case .withdraw(let prefix):
                transport.tell(.withdrawn, prefix, of: 2 + UInt64(prefix.count % 3 % 2))
                if prefix.isEmpty { transport.tell(.ended, [], of: 2) }
            case .pass(let duration):
                try turn(&loop, at: time)
                let end = time + duration
                // The broker wakes a few times when it wants to, then late.
                for _ in 0..<16 {
                    guard let next = loop.nextDeadline, next <= end else { break }
                    time = max(time, next)
                    try turn(&loop, at: time)
                }
                time = end
            case .restart:
                try turn(&loop, at: time)
                try loop.close()
                try check(transport)
                let user = transport.user
                transport = FuzzedTransport(mayRead: mayRead)
                loop = try start(configuration, transport, journal, at: time)
                transport.user = user
            }
            try turn(&loop, at: time)
        }
        try turn(&loop, at: time)
        try check(&loop)
        try check(transport)
        // Whatever others withdraw, who follows all channels still does.
        for channel in followed where !loop.channels.contains(SubscriptionCounts.Channels(channel)) {
            throw Finding("nobody is thought to follow `\(channel.prefix)`")
        }
        let state = state(of: &loop)
        let isAccepted = journal.isWritten
        try loop.close()

        var again = try start(configuration, FuzzedTransport(), journal, at: time)
        try check(&again)
        guard self.state(of: &again) == state else { throw Finding("a replay of the journal gives another state") }
        var restored = try Scheduler(restoring: state.span.bytes, limits: configuration.scheduling)
        let broken = restored.brokenInvariants()
        guard broken.isEmpty else { throw Finding("restored: \(broken.joined(separator: "; "))") }
        var bytes: [UInt8] = []
        restored.appendState(to: &bytes)
        guard bytes == state else { throw Finding("a restored state gives other bytes") }
        var recovered = try BrokerState.recover(from: nil, JournaledSettings(configuration)) {
            try journal.replay(from: $0, $1)
        }
        return Outcome(state: state, snapshot: try recovered.snapshot().state, isAccepted: isAccepted)
    }

    private static let timeZones = LoadedTimeZones(.system)
    private static let followed = Channel.allCases.filter { $0 != .sync && $0 != .syncJSON }

    private static func start(
        _ configuration: BrokerConfiguration, _ transport: FuzzedTransport, _ journal: FuzzedJournal,
        at time: Milliseconds
    ) throws -> BrokerLoop {
        for channel in followed { transport.tell(.subscribed, Array(channel.prefix.utf8), of: 1) }
        return try BrokerLoop.start(
            configuration: configuration, timeZones: timeZones, transport: transport, journal: journal, plugins: [],
            logger: Logger(label: "fuzz") { _ in SwiftLogNoOpLogHandler() }, at: time)
    }

    private static func turn(_ loop: inout BrokerLoop, at time: Milliseconds) throws {
        for _ in 0..<maxTurns where try !loop.turn(at: time) { return }
        throw Finding("the broker does not come to rest at one instant")
    }

    private static func check(_ loop: inout BrokerLoop) throws {
        let broken = loop.state.brokenInvariants()
        guard broken.isEmpty else { throw Finding(broken.joined(separator: "; ")) }
    }

    private static func check(_ transport: FuzzedTransport) throws {
        if let message = transport.unreadable { throw Finding("it published what can't be read: \(message)") }
        if let message = transport.betrayed { throw Finding("a user reads what it may not: \(message)") }
    }

    private static func state(of loop: inout BrokerLoop) -> [UInt8] {
        var bytes: [UInt8] = []
        loop.state.appendSchedulerState(to: &bytes)
        return bytes
    }

    private static func configuration(isTight: Bool) -> BrokerConfiguration {
        var configuration = BrokerConfiguration()
        configuration.limits.refusalLogLines = 0
        guard isTight else { return configuration }
        configuration.scheduling.groups = 5
        configuration.scheduling.popups = 8
        configuration.scheduling.waitingPerGroup = 3
        configuration.scheduling.maxIDs = 12
        configuration.scheduling.contentBytes = 4096
        configuration.scheduling.suspensions = 2
        configuration.scheduling.policies = 3
        configuration.scheduling.membersPerFlow = 3
        configuration.scheduling.renderers = 3
        configuration.scheduling.renderersPerPopup = 2
        configuration.scheduling.groupsPerLease = 2
        configuration.scheduling.pageTrees = 1
        configuration.scheduling.pagesPerTree = 4
        configuration.scheduling.pageDepth = 3
        configuration.scheduling.cappedShowings = 4
        configuration.limits.maxProducers = 2
        configuration.limits.maxSequenceGaps = 2
        configuration.limits.subscriptions = 16
        configuration.limits.batchMessages = 3
        return configuration
    }
}
