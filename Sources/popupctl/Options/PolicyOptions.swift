import ArgumentParser
import PopupClient
import PopupProtocol

/// The options of a policy for interruption and times.
struct PolicyOptions: ParsableArguments {
    enum Preset: String, WordArgument {
        case priority, fifo, lifo, polite, stacked
    }

    enum Interruption: String, WordArgument {
        case stop, pause, `defer`, never
    }

    enum Resumption: String, WordArgument {
        case remaining, restart
    }

    @Option(help: "The preset that the other options change.")
    var preset: Preset?

    @Option(help: "What happens to the active popup when one of higher priority arrives.")
    var higher: Interruption?

    @Option(help: "What happens to it when one of the same priority arrives.")
    var peers: Interruption?

    @Option(help: "What happens to it when one of lower priority arrives.")
    var lower: Interruption?

    @Flag(inversion: .prefixedNo, help: "Count every priority as 0.")
    var ignorePriority: Bool?

    @Option(help: "The display time of a resumed popup: what is left, or all of it again.")
    var resume: Resumption?

    @Option(help: "The time between two popups.", transform: TimeArgument.parse)
    var gap: TimeArgument?

    @Option(help: "The least time between two popups, if it is random.", transform: TimeArgument.parse)
    var gapMin: TimeArgument?

    @Option(help: "The longest time between two popups, if it is random.", transform: TimeArgument.parse)
    var gapMax: TimeArgument?

    @Option(help: "The display time of popups that set none (0: until dismissed).", transform: TimeArgument.parse)
    var defaultDuration: TimeArgument?

    @Option(help: "The longest display time (0: no limit).", transform: TimeArgument.parse)
    var maxDuration: TimeArgument?

    @Option(
        help: "The first popup of a flow waits this time for the others, so that they are shown in order.",
        transform: TimeArgument.parse)
    var gather: TimeArgument?

    @Option(help: "The tree of pages whose path is in the events of the group.")
    var pageTree: String?

    func apply(to policy: inout GroupPolicy) {
        policy.preset =
            switch preset {
            case nil: .unspecified
            case .priority: .priority
            case .fifo: .fifo
            case .lifo: .lifo
            case .polite: .polite
            case .stacked: .stacked
            }
        policy.higher = Self.interruption(higher)
        policy.peers = Self.interruption(peers)
        policy.lower = Self.interruption(lower)
        if let ignorePriority { policy.ignorePriority = ignorePriority }
        policy.resume =
            switch resume {
            case nil: .unspecified
            case .remaining: .remaining
            case .restart: .restart
            }
        if let gap { policy.gapMs = gap.milliseconds }
        if let gapMin { policy.gapMinMs = gapMin.milliseconds }
        if let gapMax { policy.gapMaxMs = gapMax.milliseconds }
        if let defaultDuration { policy.defaultDurationMs = defaultDuration.milliseconds }
        if let maxDuration { policy.maxDurationMs = maxDuration.milliseconds }
        if let gather { policy.gatherMs = gather.milliseconds }
        if let pageTree { policy.pageTree = pageTree }
    }

    private static func interruption(_ interruption: Interruption?) -> GroupPolicy.Interruption {
        switch interruption {
        case nil: .unspecified
        case .stop: .stop
        case .pause: .pause
        case .defer: .defer
        case .never: .never
        }
    }
}
