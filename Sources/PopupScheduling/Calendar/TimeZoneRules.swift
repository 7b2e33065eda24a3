/// The offsets of a time zone from UTC over time. The caller supplies them as data, so that no rule reads a file.
///
/// The structure is that of TZif (RFC 9636): a list of transitions, and a rule for all years after the last transition.
public struct TimeZoneRules: Sendable, Equatable {
    /// A change of the offset.
    public struct Transition: Sendable, Equatable {
        /// The instant of the change in ms since 1970-01-01T00:00:00Z.
        public var at: Milliseconds
        /// The offset from UTC in seconds from that instant on.
        public var offset: Int32

        /// Creates a transition.
        public init(at: Milliseconds, offset: Int32) {
            self.at = at
            self.offset = offset
        }
    }

    /// The offset from UTC in seconds before the first transition.
    public var initialOffset: Int32
    /// The transitions in ascending order of time.
    public var transitions: [Transition]
    /// The rule after the last transition; `nil` if the offset does not change any more.
    public var rule: DaylightRule?

    /// Creates a time zone.
    public init(initialOffset: Int32, transitions: [Transition] = [], rule: DaylightRule? = nil) {
        self.initialOffset = initialOffset
        self.transitions = transitions
        self.rule = rule
    }

    /// Coordinated Universal Time.
    public static let utc = TimeZoneRules(initialOffset: 0)
}

extension TimeZoneRules {
    /// Returns the offset from UTC in seconds at an instant. O(log n) in the number of transitions.
    public func offset(at time: Milliseconds) -> Int32 {
        let later = indexOfFirst(after: time)
        if later == transitions.count, let rule { return rule.offset(at: time) }
        return later == 0 ? initialOffset : transitions[later - 1].offset
    }

    /// Returns the first instant after `time` at which the offset may change; `nil` if there is none.
    public func nextTransition(after time: Milliseconds) -> Milliseconds? {
        let later = indexOfFirst(after: time)
        return later < transitions.count ? transitions[later].at : rule?.nextChange(after: time)
    }

    private func indexOfFirst(after time: Milliseconds) -> Int {
        transitions.partitioningIndex { $0.at > time }
    }
}
