import ArgumentParser
import PopupClient
import PopupProtocol

/// The rules of a group about who gives way and for how long, as options.
struct PolicyOptions: ParsableArguments {
    enum Preset: String, CaseIterable, ExpressibleByArgument {
        case priority, fifo, lifo, polite, stacked
    }

    enum Interruption: String, CaseIterable, ExpressibleByArgument {
        case stop, pause, `defer`, never
    }

    enum Resumption: String, CaseIterable, ExpressibleByArgument {
        case remaining, restart
    }

    @Option(help: "The rules that the other options change.")
    var preset: Preset?

    @Option(help: "Against a newcomer of a higher priority.")
    var higher: Interruption?

    @Option(help: "Against a newcomer of the same priority.")
    var peers: Interruption?

    @Option(help: "Against a newcomer of a lower priority.")
    var lower: Interruption?

    @Flag(inversion: .prefixedNo, help: "Read every priority as 0.")
    var ignorePriority: Bool?

    @Option(help: "The display time of a resumed popup: what it had left, or all again.")
    var resume: Resumption?

    @Option(help: "The pause between two popups.")
    var gap: TimeArgument?

    @Option(help: "The shortest pause, when it is drawn at random.")
    var gapMin: TimeArgument?

    @Option(help: "The longest pause, when it is drawn at random.")
    var gapMax: TimeArgument?

    @Option(help: "The display time of popups that name none; 0: until dismissed.")
    var defaultDuration: TimeArgument?

    @Option(help: "The longest display time; 0: no bound.")
    var maxDuration: TimeArgument?

    @Option(help: "The first of a flow's popups waits so long for the others, so that they can be put in order.")
    var gather: TimeArgument?

    @Option(help: "The tree of pages whose path the group's events carry.")
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
        policy.higher = Self.wire(higher)
        policy.peers = Self.wire(peers)
        policy.lower = Self.wire(lower)
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

    private static func wire(_ interruption: Interruption?) -> WireInterruption.Kind {
        switch interruption {
        case nil: .unspecified
        case .stop: .stop
        case .pause: .pause
        case .defer: .defer
        case .never: .never
        }
    }
}
