internal import Foundation

/// The check of the clock by which a log is created. Its first epoch comes from it, and epochs are never taken back.
public enum CreationClock {
    /// The beginning of the year of the first release, in ms: nobody creates a log before it.
    static let release: Int64 = 1_767_225_600_000
    /// The end of the year 9999, in ms.
    private static let latest: Int64 = 253_402_300_800_000

    /// The help of the option by which a log is created with an early clock.
    public static var forceHelp: String { "Go on if this machine's clock is before the program's release." }

    /// Checks a clock.
    ///
    /// - Parameters:
    ///   - wall: The wall clock, in ms.
    ///   - isForced: Whether it may be before the release. It may never be before 1970: a log has no such times.
    /// - Throws: `WrongClock`.
    public static func check(_ wall: Int64, isForced: Bool) throws(WrongClock) {
        guard wall < 0 || wall < release && !isForced else { return }
        throw WrongClock(wall: date(wall), canBeForced: wall >= 0)
    }

    /// Returns the date that an epoch from a clock means.
    public static func date(ofEpoch epoch: UInt64) -> String { date(Int64(clamping: epoch)) }

    private static func date(_ time: Int64) -> String {
        guard time < latest else { return "after the year 9999" }
        return Date(timeIntervalSince1970: Double(time) / 1000).formatted(.iso8601)
    }
}

/// The reason for which no log is created now.
public struct WrongClock: Error, Hashable, Sendable, CustomStringConvertible {
    /// The date that the clock shows.
    let wall: String
    /// Whether the option `--force` helps.
    let canBeForced: Bool

    /// One sentence that says what is wrong.
    public var description: String {
        "the clock of this machine says \(wall), before the release of this program, and the epochs of the log would begin "
            + "with it: set the clock\(canBeForced ? ", or give --force" : "")"
    }
}
