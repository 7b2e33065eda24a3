// Queries about policies.
extension Scheduler {
    /// A policy in force.
    public struct PolicyEntry: Sendable {
        /// The name or pattern; `*` for the default.
        public var pattern: String
        /// The policy.
        public var policy: Policy
        /// Whether it was set; otherwise it is the default.
        public var isSet: Bool
    }

    /// The number of names and patterns with a policy.
    public var policyCount: Int { policies.count }

    /// Returns the policy in force for a group, or for the groups of a pattern that have no policy of their own.
    public func policy(inForceFor pattern: RawSpan) -> PolicyEntry {
        pattern.withUnsafeBytes { entry(of: policies.index(for: $0)) }
    }

    /// Returns the policies whose names or patterns come after `pattern` in byte order, at most `limit`. The policy of
    /// `*` is always among all of them.
    public func policies(after pattern: [UInt8], limit: Int) -> [PolicyEntry] {
        var patterns = policies.patterns
        if policies.index(ofPattern: Pattern.star) == nil { patterns.insert(Pattern.star, at: 0) }
        let next = patterns.lazy.filter { pattern.isEmpty || pattern.lexicographicallyPrecedes($0) }
        return next.prefix(limit).map { entry(of: policies.index(ofPattern: $0) ?? PolicyTable.initial) }
    }

    private func entry(of index: PolicyTable.Index) -> PolicyEntry {
        let isSet = index != PolicyTable.initial
        let pattern = isSet ? String(decoding: policies.pattern(of: index), as: UTF8.self) : "*"
        return PolicyEntry(pattern: pattern, policy: policies[index], isSet: isSet)
    }
}
