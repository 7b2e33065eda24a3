import ArgumentParser
import PopupClient
import PopupProtocol

/// The options of a policy for caps, quiet windows and the queue.
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
            valueName: "[key=]most/time"),
        transform: CapArgument.parse)
    var caps: [CapArgument] = []

    @Option(
        help: ArgumentHelp(
            "Hold popups back each day: 22:00-07:00@Europe/Berlin; with <5, only those of priority below 5. May be repeated.",
            valueName: "from-to@zone[<priority]"),
        transform: QuietArgument.parse)
    var quiet: [QuietArgument] = []

    @Option(
        help: "The time after which the priority of a waiting popup rises by one (0: never).",
        transform: TimeArgument.parse)
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
struct CapArgument: Equatable {
    let cap: PopupCap

    /// Returns the cap that a text says.
    ///
    /// - Throws: `ValidationError`, with what to write instead.
    static func parse(_ argument: String) throws -> CapArgument {
        let sign = argument.lastIndex(of: "=")
        let key = sign.map { String(argument[..<$0]) }
        let rate = argument[(sign.map(argument.index(after:)) ?? argument.startIndex)...].split(separator: "/")
        guard rate.count == 2, let most = UInt32(rate[0]), key != "" else {
            throw ValidationError("`\(argument)` is not a cap; write 3/10m for the group, or ads=3/10m for a cap key.")
        }
        let window = try TimeArgument.parse(String(rate[1]))
        return CapArgument(cap: PopupCap(most, per: window.duration, key: key))
    }
}

/// A quiet window: `22:00-07:00@Europe/Berlin`, or the same with `<5`. The broker checks the times and the zone.
struct QuietArgument: Equatable {
    let window: QuietWindow

    /// Returns the quiet window that a text describes.
    ///
    /// - Throws: `ValidationError`, with what to write instead.
    static func parse(_ argument: String) throws -> QuietArgument {
        guard let match = argument.wholeMatch(of: /([0-9:]+)-([0-9:]+)@([^<]+)(?:<(-?[0-9]+))?/) else {
            throw ValidationError(
                "`\(argument)` is not in the form FROM-TO@ZONE; write 22:00-07:00@Europe/Berlin, or"
                    + " '22:00-07:00@Europe/Berlin<5' for priorities below 5.")
        }
        let priority = try match.4.map { digits in
            guard let number = Int32(digits) else {
                throw ValidationError(
                    "`\(digits)` is not a priority; write a number from \(Int32.min) to \(Int32.max).")
            }
            return number
        }
        let window = QuietWindow(
            from: String(match.1), to: String(match.2), timeZone: String(match.3), minPriority: priority)
        return QuietArgument(window: window)
    }
}
