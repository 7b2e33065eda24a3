/// When waiting ends without success. Every wait of these tests has one; none of them is meant to be reached.
struct Deadline {
    private let end: ContinuousClock.Instant

    /// From now on.
    static func after(_ duration: Duration) -> Deadline {
        Deadline(end: .now + duration)
    }

    /// A point of time.
    static func at(_ instant: ContinuousClock.Instant) -> Deadline {
        Deadline(end: instant)
    }

    /// Ample for one step of a broker, also where a process does not run for seconds.
    static var standard: Deadline { after(.seconds(60)) }

    /// The earlier of two.
    static func earlier(_ one: Deadline, _ other: Deadline) -> Deadline {
        Deadline(end: min(one.end, other.end))
    }

    var isOver: Bool { ContinuousClock.now >= end }

    /// Until then, rounded up, so that waiting so long reaches it; 0 afterwards.
    var milliseconds: Int {
        max(0, Int((end - .now) / .milliseconds(1)) + (isOver ? 0 : 1))
    }
}

/// What a test waited for did not come in time.
struct NotInTime: Error, CustomStringConvertible {
    let description: String
}
