// Queries about what there is besides popups: groups, suspensions, renderers. Each is answered in pages.
extension Scheduler {
    /// A group and how many popups it has.
    public struct GroupCounts: Sendable {
        /// The name.
        public var name: String
        /// The number of changes of its state.
        public var revision: UInt64
        /// The id of the popup that has the slot; empty if there is none.
        public var active: String
        /// Whether that popup is offered, and not shown yet.
        public var isOffered: Bool
        /// The number of waiting popups, delayed ones included.
        public var waiting: Int
        /// The number of paused popups.
        public var paused: Int
        /// The number of delayed popups.
        public var delayed: Int
        /// The session; empty for none.
        public var session: String
    }

    /// Returns the groups of a pattern whose names come after `name` in byte order, at most `limit`. O(log n) plus the
    /// number of results, if no group is new.
    public mutating func groups(of pattern: RawSpan, after name: RawSpan, limit: Int) -> [GroupCounts] {
        pattern.withUnsafeBytes { text in
            name.withUnsafeBytes { after in
                let prefix: UnsafeRawBufferPointer
                switch Pattern(text) {
                case .name(let name):
                    let isAfter = after.isEmpty || after.precedes(name)
                    return isAfter ? findGroup(name).map { [counts(of: $0)] } ?? [] : []
                case .below(let below): prefix = below
                case .all: prefix = nothing
                }
                return groups.inOrder(withPrefix: prefix, after: after, limit: limit, store).map { counts(of: $0) }
            }
        }
    }

    private func counts(of group: GroupRecord.Index) -> GroupCounts {
        let record = groups[group]
        return GroupCounts(
            name: string(store[record.name]), revision: record.revision,
            active: record.active.map { string(store[popups[$0].id]) } ?? "",
            isOffered: record.active.map { popups[$0].isOffered } ?? false, waiting: Int(record.waiting),
            paused: Int(record.paused), delayed: Int(record.delayed), session: string(store[record.session]))
    }

    /// The number of suspensions in force.
    public var suspensionCount: Int { policies.suspensions.count }

    /// The number of known renderers.
    public var rendererCount: Int { renderers.count }

    /// A suspension in force.
    public struct SuspensionSummary: Sendable {
        /// The token.
        public var token: String
        /// The name or pattern of its groups.
        public var pattern: String
        /// The lowest priority that is not held back; `nil` if all popups are.
        public var minimumPriority: Int32?
        /// The time at which it was set, by the wall clock; `nil` if it is not recorded.
        public var since: Milliseconds?
        /// The user that set it; empty for none.
        public var user: String
    }

    /// Returns the suspensions that apply to some group of a pattern and whose tokens come after `token` in byte order,
    /// at most `limit`. O(n log n) in the number of suspensions.
    public func suspensions(for pattern: RawSpan, after token: RawSpan, limit: Int) -> [SuspensionSummary] {
        pattern.withUnsafeBytes { text in
            token.withUnsafeBytes { after in
                let wanted = Pattern(text)
                return policies.suspensions.records.filter { record in
                    record.token.withUnsafeBytes { after.isEmpty || after.precedes($0) }
                        && record.pattern.withUnsafeBytes { Pattern($0).overlaps(wanted) }
                }.sorted { $0.token.lexicographicallyPrecedes($1.token) }.prefix(limit).map { record in
                    SuspensionSummary(
                        token: String(decoding: record.token, as: UTF8.self),
                        pattern: String(decoding: record.pattern, as: UTF8.self),
                        minimumPriority: Int32(exactly: record.threshold), since: record.since.map { $0 + clock.lead },
                        user: String(decoding: record.user, as: UTF8.self))
                }
            }
        }
    }

    /// A renderer with a lease.
    public struct RendererSummary: Sendable {
        /// The name of the client.
        public var client: String
        /// The names and patterns of its lease that have a group in common with those of the query.
        public var patterns: [String]
        /// The popups that it displays in the groups of the query, the latest first.
        public var displays: [Display]

        /// The size of its texts.
        fileprivate var byteCount: Int {
            displays.reduce(patterns.reduce(client.utf8.count) { $0 + $1.utf8.count }) {
                $0 + $1.id.utf8.count + $1.group.utf8.count
            }
        }

        /// A popup that a renderer displays.
        public struct Display: Sendable {
            /// The id.
            public var id: String
            /// The name of the group.
            public var group: String
            /// Whether people can see it.
            public var isVisible: Bool
        }
    }

    /// The number of bytes of names and patterns at which a page of renderers ends.
    static var rendererPageBytes: Int { 1 << 20 }
    /// The maximum number of a renderer's latest reports that are searched for what it displays.
    static var searchedReports: Int { 1000 }

    /// The maximum number of renderers, names and patterns that a query for renderers visits.
    public var visitsOfRenderers: Int { renderers.count + renderers.leasedPatterns }

    /// Returns the renderers with a lease for some group of a pattern, whose names come after `name` in byte order: a
    /// page of at most `limit`, with at most `details` groups and popups each. O(n log n) in the number of renderers,
    /// plus O(m) in their names and patterns.
    public func renderers(
        of pattern: RawSpan, after name: RawSpan, limit: Int, details: Int
    ) -> (renderers: [RendererSummary], isComplete: Bool) {
        pattern.withUnsafeBytes { text in
            name.withUnsafeBytes { after in
                let wanted = Pattern(text)
                var candidates = renderers.indices.filter { renderer in
                    renderers[renderer].hasLease
                        && (after.isEmpty || after.precedes(store[renderers[renderer].name]))
                }
                candidates.sort { store[renderers[$0].name] }
                var found: [RendererSummary] = []
                var bytes = 0
                for renderer in candidates {
                    let patterns = patterns(of: renderer, overlapping: wanted, limit: details)
                    guard !patterns.isEmpty else { continue }
                    guard found.count < limit, bytes < Self.rendererPageBytes else { return (found, false) }
                    let summary = RendererSummary(
                        client: string(store[renderers[renderer].name]), patterns: patterns,
                        displays: displays(of: renderer, in: wanted, limit: details))
                    bytes += summary.byteCount
                    found.append(summary)
                }
                return (found, true)
            }
        }
    }

    private func patterns(
        of renderer: RendererRecord.Index, overlapping wanted: Pattern, limit: Int
    ) -> [String] {
        var found: [String] = []
        var rest = store[renderers[renderer].patterns]
        while found.count < limit, let line = rest.takeLine() {
            if Pattern(line).overlaps(wanted) { found.append(string(line)) }
        }
        return found
    }

    private func displays(
        of renderer: RendererRecord.Index, in wanted: Pattern, limit: Int
    ) -> [RendererSummary.Display] {
        var found: [RendererSummary.Display] = []
        var next = renderers.firstRendering(by: renderer)
        for _ in 0..<Self.searchedReports {
            guard found.count < limit, let index = next else { break }
            next = renderers.nextRendering(after: index)
            let rendering = renderers[index]
            let name = store[groups[popups[rendering.popup].group].name]
            guard rendering.hasDisplayed, wanted.matches(name) else { continue }
            found.append(
                RendererSummary.Display(
                    id: string(store[popups[rendering.popup].id]), group: string(name), isVisible: rendering.isVisible))
        }
        return found
    }

    /// Returns the number of live popups of a producer; `nil` if it has no account of its own.
    public func popupCount(of producer: ProducerID) -> Int? {
        accounts.popupCount(of: producer, seed: store.hashSeed)
    }
}
