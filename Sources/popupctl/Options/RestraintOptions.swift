import ArgumentParser
import PopupClient
import PopupProtocol

/// The options of a policy for caps, quiet hours and the queue.
struct RestraintOptions: ParsableArguments {
    enum Overflow: String, WordArgument {
        case rejectNew = "reject-new"
        case dropLowest = "drop-lowest"
        case dropOldest = "drop-oldest"
    }

    @Option(
        name: .customLong("cap"),
        help: ArgumentHelp(
            "The most popups in any period: 3/10m for the group, ads=3/10m for a cap key. May be repeated.",
            valueName: "[key=]most/time"))
    var caps: [CapArgument] = []

    @Option(
        help: ArgumentHelp(
            "Hold popups back each day: 22:00-07:00@Europe/Berlin; with <5, only those of priority below 5. May be repeated.",
            valueName: "from-to@zone[<priority]"))
    var quiet: [QuietArgument] = []

    @Option(help: "The time after which the priority of a waiting popup rises by one (0: never).")
    var aging: TimeArgument?

    @Option(help: "The most popups that may wait.")
    var maxWaiting: UInt32?

    @Option(help: "What happens when more would wait.")
    var overflow: Overflow?

    func apply(to policy: inout GroupPolicy) {
        policy.caps = caps.map(\.cap)
        policy.quiet = quiet.map(\.window)
        if let aging { policy.agingMs = aging.milliseconds }
        if let maxWaiting { policy.maxWaiting = maxWaiting }
        policy.overflow =
            switch overflow {
            case nil: .unspecified
            case .rejectNew: .rejectNew
            case .dropLowest: .dropLowest
            case .dropOldest: .dropOldest
            }
    }
}

/// A cap: `3/10m`, or `ads=3/10m`. The key is the part before the last `=`.
struct CapArgument: ExpressibleByArgument, Equatable {
    let cap: PopupCap

    init?(argument: String) {
        let sign = argument.lastIndex(of: "=")
        let key = sign.map { String(argument[..<$0]) }
        let rate = argument[(sign.map(argument.index(after:)) ?? argument.startIndex)...].split(separator: "/")
        guard rate.count == 2, let most = UInt32(rate[0]), let window = TimeArgument(argument: String(rate[1])),
            key != ""
        else { return nil }
        cap = PopupCap(most, per: window.duration, key: key)
    }
}

/// Quiet hours: `22:00-07:00@Europe/Berlin`, or the same with `<5`. The broker checks the times and the zone.
struct QuietArgument: ExpressibleByArgument, Equatable {
    let window: QuietWindow

    init?(argument: String) {
        guard let match = argument.wholeMatch(of: /([0-9:]+)-([0-9:]+)@([^<]+)(?:<(-?[0-9]+))?/) else { return nil }
        let priority = match.4.map { Int32($0) }
        // A number that does not fit 32 bits.
        if case .some(nil) = priority { return nil }
        window = QuietWindow(
            from: String(match.1), to: String(match.2), timeZone: String(match.3), minPriority: priority ?? nil)
    }
}
