/// The clocks of a place: by how much they are ahead of UTC, when. Handed in as data, so that no rule reads a file.
///
/// The shape is that of TZif (RFC 9636): instants of change, and a rule for all the years after the last of them.
public struct TimeZoneRules: Sendable, Equatable {
    /// The clocks change.
    public struct Transition: Sendable, Equatable {
        /// When, in ms since 1970-01-01T00:00:00Z.
        public var at: Milliseconds
        /// In seconds: by how much they are ahead of UTC from then on.
        public var offset: Int32

        /// A change.
        public init(at: Milliseconds, offset: Int32) {
            self.at = at
            self.offset = offset
        }
    }

    /// In seconds: by how much the clocks are ahead of UTC before the first transition.
    public var initialOffset: Int32
    /// The changes, in order of time.
    public var transitions: [Transition]
    /// What holds after the last transition; `nil`: nothing changes any more.
    public var rule: DaylightRule?

    /// A zone.
    public init(initialOffset: Int32, transitions: [Transition] = [], rule: DaylightRule? = nil) {
        self.initialOffset = initialOffset
        self.transitions = transitions
        self.rule = rule
    }

    /// Universal time.
    public static let utc = TimeZoneRules(initialOffset: 0)
}

extension TimeZoneRules {
    /// In seconds: by how much the clocks are ahead of UTC at an instant. O(log n) in the transitions.
    public func offset(at time: Milliseconds) -> Int32 {
        let later = indexOfFirst(after: time)
        if later == transitions.count, let rule { return rule.offset(at: time) }
        return later == 0 ? initialOffset : transitions[later - 1].offset
    }

    /// The first instant after `time` at which the clocks may change; `nil`: they never do any more.
    public func nextTransition(after time: Milliseconds) -> Milliseconds? {
        let later = indexOfFirst(after: time)
        return later < transitions.count ? transitions[later].at : rule?.nextChange(after: time)
    }

    private func indexOfFirst(after time: Milliseconds) -> Int {
        var low = 0
        var high = transitions.count
        while low < high {
            let middle = (low + high) / 2
            if transitions[middle].at <= time { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
