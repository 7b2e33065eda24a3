// The history: the popups that closed last. It is answered from the remembered ids, so it survives a restart as they
// do, and reaches back as far as they do.
extension Scheduler {
    /// The maximum number of closed popups that one query visits, so that it takes some milliseconds at most.
    public static var maxHistoryVisits: Int { 100_000 }

    /// The maximum number of closed popups that the next query visits.
    public var visitsOfHistory: Int { min(popups.closed.count, Self.maxHistoryVisits) + RecentContents.maxTotal }

    /// A function that returns what the history keeps of a content of more than 512 bytes. Only the first 512 bytes of
    /// what it returns are kept.
    public typealias ContentShortener = @Sendable (RawSpan) -> [UInt8]

    /// Sets what the history keeps of contents of more than 512 bytes: by default their first 512 bytes. No decision
    /// depends on it.
    public mutating func shortenClosedContents(by shortener: @escaping ContentShortener) {
        popups.shortenClosedContents(by: shortener)
    }

    /// A closed popup.
    public struct ClosedSummary: Sendable {
        /// The id.
        public var id: String
        /// The name of the group.
        public var group: String
        /// The reason.
        public var reason: CloseReason
        /// For a dismissal the action, otherwise the id of the popup for which it closed; empty if there is none.
        public var detail: String
        /// The time at which it closed, by the wall clock.
        public var time: Milliseconds
        /// The time in ms for which it was active.
        public var displayed: Milliseconds
        /// The content, shortened if it is long; empty if it is not kept any more.
        public var content: [UInt8]
    }

    /// Returns the popups of the groups of a pattern that closed last, the latest first, at most `limit`.
    ///
    /// - Parameters:
    ///   - pattern: The groups.
    ///   - limit: The maximum number of popups that are returned.
    ///   - maxVisits: The maximum number of closed popups that are visited.
    /// - Returns: The popups, and whether all that are remembered were visited.
    public func history(
        of pattern: RawSpan, limit: Int, maxVisits: Int = Self.maxHistoryVisits
    ) -> (popups: [ClosedSummary], isComplete: Bool) {
        pattern.withUnsafeBytes { text in
            let pattern = Pattern(text)
            var group: GroupRecord.Index?
            if case .name(let name) = pattern {
                guard let found = findGroup(name) else { return ([], true) }
                group = found
            }
            let contents = popups.closed.recentContents
            var found: [ClosedSummary] = []
            var (visits, next) = (0, popups.closed.youngest)
            while let index = next {
                guard visits < maxVisits else { return (found, false) }
                visits += 1
                let record = popups.closed[index]
                if group.map({ $0 == record.group }) ?? pattern.matches(store[groups[record.group].name]) {
                    guard found.count < limit else { return (found, false) }
                    let content = contents[index].flatMap { $0.closedAt == record.at ? $0.content : nil }
                    found.append(summary(of: record, content: content ?? []))
                }
                next = popups.closed.previous(before: index)
            }
            return (found, true)
        }
    }

    private func summary(of record: ClosedPopups.Record, content: [UInt8]) -> ClosedSummary {
        ClosedSummary(
            id: string(store[record.id]), group: string(store[groups[record.group].name]), reason: record.reason,
            detail: string(store[record.detail]), time: record.at + clock.lead, displayed: record.displayed,
            content: content)
    }
}
