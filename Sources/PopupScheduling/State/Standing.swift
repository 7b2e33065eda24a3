/// The priority of a popup in a queue as a function of the time: its own, raised by one for each full time that it has
/// aged. Of two popups the one that precedes the other never has the lower priority, at any time.
///
/// A popup that began to age at `since` has at `now` the priority `priority + (now - since) / aging`. With quotients
/// and remainders of both times by `aging`, this is `height + quotient`, less one if `remainder` is above that of
/// `now`.
struct Standing: BitwiseCopyable, Equatable {
    /// The priority, less the quotient of the time since which it rises.
    let height: Int64
    /// The remainder of that time, in ms.
    let remainder: UInt32

    /// Creates the standing of a popup that does not age.
    init(priority: Int32) {
        height = Int64(priority)
        remainder = 0
    }

    /// Creates the standing of a popup whose priority rises by one each `aging` ms.
    init(priority: Int32, since: Milliseconds, aging: Milliseconds) {
        height = Int64(priority) - since / aging
        remainder = UInt32(since % aging)
    }

    func precedes(_ other: Standing) -> Bool {
        height != other.height ? height > other.height : remainder < other.remainder
    }
}

/// A time at which priorities are compared.
struct AgingTime: BitwiseCopyable {
    private let quotient: Int64
    private let remainder: UInt32

    /// Creates the time for popups that do not age.
    init() { (quotient, remainder) = (0, 0) }

    /// Creates the time for popups whose priority rises by one each `aging` ms.
    init(_ time: Milliseconds, aging: Milliseconds) {
        quotient = time / aging
        remainder = UInt32(time % aging)
    }

    /// Returns the priority of a standing at this time.
    func priority(of standing: Standing) -> Int64 {
        standing.height + quotient - (standing.remainder > remainder ? 1 : 0)
    }
}
