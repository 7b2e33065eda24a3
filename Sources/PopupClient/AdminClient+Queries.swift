import PopupProtocol
@_spi(Wire) public import PopupValues

// The errors of all queries are in the documentation of the type.
extension AdminClient {
    /// Returns the selected live popups.
    ///
    /// - Returns: The popups, and whether there are more than one reply can contain.
    public func list(_ selector: PopupSelector = PopupSelector()) async throws -> PopupList {
        var query = WireListQuery()
        query.selector = selector.wire
        let result = try await ask(.list(query)) { if case .list(let result) = $0 { result } else { nil } }
        return PopupList(wire: result)
    }

    /// Returns the number of the selected live popups.
    public func count(_ selector: PopupSelector = PopupSelector()) async throws -> Int {
        var query = WireCountQuery()
        query.selector = selector.wire
        let result = try await ask(.count(query)) { if case .count(let result) = $0 { result } else { nil } }
        return Int(result.popups)
    }

    /// Returns the popups of a group: the active one, then the queue in its order, then the delayed ones.
    public func peek(_ group: String) async throws -> GroupQueue {
        var query = WirePeekQuery()
        query.group = group
        return GroupQueue(wire: try await ask(.peek(query)) { if case .peek(let result) = $0 { result } else { nil } })
    }

    /// Returns the phase of a popup and the rules that hold it back, or how it closed.
    public func explain(_ id: String) async throws -> PopupExplanation {
        var query = WireExplainQuery()
        query.id = id
        return PopupExplanation(
            wire: try await ask(.explain(query)) { if case .explain(let result) = $0 { result } else { nil } })
    }

    /// Returns the path from the root of a tree of pages to a page: the values of the pages.
    ///
    /// - Parameters:
    ///   - tree: The tree.
    ///   - node: The page; `nil`: the current one.
    ///   - except: Pages with this value are omitted; `nil`: none.
    ///   - separator: The text between the values in `joined`; not empty.
    /// - Returns: The values, and the same as one text; empty if there is no such page.
    public func path(
        in tree: String, to node: String? = nil, except: String? = nil, separator: String = "/"
    ) async throws -> PagePath {
        var query = WirePathQuery()
        query.tree = tree
        query.node = node ?? ""
        if let except { query.except = except }
        query.separator = separator
        return PagePath(wire: try await ask(.path(query)) { if case .path(let result) = $0 { result } else { nil } })
    }

    /// Returns the counters of the broker.
    public func statistics() async throws -> BrokerStatistics {
        BrokerStatistics(
            wire: try await ask(.stats(WireStatsQuery())) { if case .stats(let result) = $0 { result } else { nil } })
    }

    /// Returns the user of this client at the broker, and its rights.
    public func whoami() async throws -> BrokerIdentity {
        BrokerIdentity(
            wire: try await ask(.whoami(WireWhoamiQuery())) { if case .whoami(let result) = $0 { result } else { nil } }
        )
    }

    /// Returns the policy in force for a group, or for the groups of a pattern: where it comes from, and every rule.
    public func policy(inForceFor groups: String) async throws -> PolicyInForce {
        var query = WirePoliciesQuery()
        query.group = groups
        let result = try await policies(query)
        return result.policies.first.map(PolicyInForce.init(wire:)) ?? PolicyInForce()
    }

    /// Returns all policies in force, in byte order of their groups and patterns. One for `*` is always among them.
    public func policies() async throws -> [PolicyInForce] {
        try await policies(most: Self.mostEntries)
    }

    /// Returns all policies in force, but at most `most`.
    func policies(most: Int) async throws -> [PolicyInForce] {
        try await allPages(most: most, key: \.policy.group) { last in
            var query = WirePoliciesQuery()
            query.after = last
            let result = try await policies(query)
            return (result.policies.map(PolicyInForce.init(wire:)), result.truncated)
        }
    }

    private func policies(_ query: WirePoliciesQuery) async throws -> WirePoliciesResult {
        try await ask(.policies(query)) { if case .policies(let result) = $0 { result } else { nil } }
    }

    /// Returns the popups that closed last, the latest first.
    ///
    /// - Parameters:
    ///   - groups: A group or pattern; `nil` for all groups.
    ///   - limit: The maximum number of popups, at least 1; `nil` for as many as a reply can contain.
    /// - Returns: The popups, and whether there may be more.
    public func history(of groups: String? = nil, limit: Int? = nil) async throws -> PopupHistory {
        var query = WireHistoryQuery()
        query.group = groups ?? ""
        query.limit = limit.map { UInt32(clamping: max(1, $0)) } ?? 0
        return PopupHistory(
            wire: try await ask(.history(query)) { if case .history(let result) = $0 { result } else { nil } })
    }

    /// Returns the known groups of a pattern, in byte order of their names, with the numbers of their popups.
    ///
    /// - Parameters:
    ///   - pattern: A group or pattern; `nil` for all groups.
    ///   - last: Only groups after this one; `nil` from the first one on.
    /// - Returns: One page of groups, and whether there are more after its last one.
    public func groups(
        of pattern: String? = nil, after last: String? = nil
    ) async throws -> (groups: [GroupCounts], hasMore: Bool) {
        var query = WireGroupsQuery()
        query.group = pattern ?? ""
        query.after = last ?? ""
        let result = try await ask(.groups(query)) { if case .groups(let result) = $0 { result } else { nil } }
        if result.truncated, let end = result.groups.last { try Self.page(after: query.after, endsWith: end.group) }
        return (result.groups.map(GroupCounts.init(wire:)), result.truncated)
    }

    /// Returns all suspensions that apply to some group of a pattern, in byte order of their tokens.
    ///
    /// - Parameter pattern: A group or pattern; `nil` for all groups.
    public func suspensions(for pattern: String? = nil) async throws -> [PopupSuspension] {
        try await suspensions(for: pattern, most: Self.mostEntries)
    }

    /// Returns all suspensions that apply to some group of a pattern, but at most `most`.
    func suspensions(for pattern: String?, most: Int) async throws -> [PopupSuspension] {
        try await allPages(most: most, key: \.token) { last in
            var query = WireSuspensionsQuery()
            query.group = pattern ?? ""
            query.after = last
            let result = try await ask(.suspensions(query)) {
                if case .suspensions(let result) = $0 { result } else { nil }
            }
            return (result.suspensions.map(PopupSuspension.init(wire:)), result.truncated)
        }
    }

    /// Returns the renderers with a lease for some group of a pattern, in byte order of their names.
    ///
    /// - Parameters:
    ///   - pattern: A group or pattern; `nil` for all groups.
    ///   - last: Only renderers after this one; `nil` from the first one on.
    /// - Returns: One page of renderers, and whether there are more after its last one.
    public func renderers(
        of pattern: String? = nil, after last: String? = nil
    ) async throws -> (renderers: [RendererSummary], hasMore: Bool) {
        var query = WireRenderersQuery()
        query.group = pattern ?? ""
        query.after = last ?? ""
        let result = try await ask(.renderers(query)) { if case .renderers(let result) = $0 { result } else { nil } }
        if result.truncated, let end = result.renderers.last { try Self.page(after: query.after, endsWith: end.client) }
        return (result.renderers.map(RendererSummary.init(wire:)), result.truncated)
    }

    /// Returns all producers whose sequences the broker remembers, in byte order of their ids.
    ///
    /// A producer that the broker remembers from the first page to the last is among them once. One that becomes known or
    /// is forgotten in the meantime may be missing.
    public func producers() async throws -> [ProducerSequences] {
        try await producers(most: Self.mostProducers)
    }

    /// Returns all producers whose sequences the broker remembers, but at most `most`.
    func producers(most: Int) async throws -> [ProducerSequences] {
        try await allPages(most: most, key: \.producer) { last in
            var query = WireProducersQuery()
            query.after = last
            let result = try await producers(query)
            return (result.producers.map(ProducerSequences.init(wire:)), result.truncated)
        }
    }

    /// Returns the producers that sent last, the last one first.
    ///
    /// - Parameter limit: The maximum number of producers, at least 1; `nil` for as many as a reply can contain.
    /// - Returns: The producers, and whether there are more, which have been silent for longer.
    public func latestProducers(limit: Int? = nil) async throws -> (producers: [ProducerSequences], hasMore: Bool) {
        var query = WireProducersQuery()
        query.limit = limit.map { UInt32(clamping: max(1, $0)) } ?? 0
        let result = try await producers(query)
        return (result.producers.map(ProducerSequences.init(wire:)), result.truncated)
    }

    /// Returns a producer whose sequences the broker remembers; `nil` if it remembers none of it.
    ///
    /// - Parameter id: Its 32 hexadecimal digits.
    public func producer(_ id: String) async throws -> ProducerSequences? {
        var query = WireProducersQuery()
        query.producer = id
        return try await producers(query).producers.first.map(ProducerSequences.init(wire:))
    }

    private func producers(_ query: WireProducersQuery) async throws -> WireProducersResult {
        try await ask(.producers(query)) { if case .producers(let result) = $0 { result } else { nil } }
    }

    /// Waits until all streams opened so far have reached the broker, and all commands sent so far are applied. Events
    /// from then on are in the streams.
    public func settled() async throws {
        // Subscriptions reach the broker in order. A reply on the newest one shows that the older ones have arrived.
        try await connection.withOwnReplyRouter { router, client in
            // This query needs no right.
            _ = try await ask(.whoami(WireWhoamiQuery()), at: router, of: client) { $0 }
        }
    }

    /// The maximum number of entries of all pages together: more than the limits of a broker allow.
    private static let mostEntries = 2_000_000
    /// The same of producers, of which a broker may remember 10,000,000.
    private static let mostProducers = 12_000_000

    /// Returns the entries of all pages.
    ///
    /// - Parameters:
    ///   - most: The maximum number of entries.
    ///   - key: The key by which the entries are in order.
    ///   - page: Returns the entries after a key, the first ones after "", and whether there are more.
    /// - Throws: `ClientError.refused` if there are more than `most`, or the pages have no end; the errors of `page`.
    private func allPages<Entry>(
        most: Int, key: (Entry) -> String, page: (_ last: String) async throws -> (entries: [Entry], hasMore: Bool)
    ) async throws -> [Entry] {
        var found: [Entry] = []
        var end = ""
        while true {
            let (entries, hasMore) = try await page(end)
            found += entries
            guard found.count <= most else {
                throw ClientError.refused(
                    Refusal(
                        .unsupported,
                        "the broker has sent more than \(most) entries, which no broker has; check which program answers at the"
                            + " egress endpoint"))
            }
            guard hasMore, let last = entries.last else { return found }
            end = try Self.page(after: end, endsWith: key(last))
        }
    }

    /// Returns the last key of a page that is not the last one: the next page begins after it.
    ///
    /// - Throws: `ClientError.refused` if the key is not after the last one of the page before. Such pages have no end.
    @discardableResult
    private static func page(after previous: String, endsWith last: String) throws(ClientError) -> String {
        guard previous.utf8.lexicographicallyPrecedes(last.utf8) else {
            throw ClientError.refused(
                Refusal(
                    .unsupported,
                    "the broker has sent a page that does not end after the page before, so its pages have no end; check"
                        + " which program answers at the egress endpoint"))
        }
        return last
    }

    private func ask<Answer: Sendable>(
        _ query: WireQuery.OneOf_Query, _ answer: (WireResult.OneOf_Result) -> Answer?
    ) async throws -> Answer {
        try await ask(query, at: connection.replyRouter(), of: connection.client.text, answer)
    }

    private func ask<Answer: Sendable>(
        _ query: WireQuery.OneOf_Query, at router: ReplyRouter, of client: String,
        _ answer: (WireResult.OneOf_Result) -> Answer?
    ) async throws -> Answer {
        var command = WireCommand()
        command.query.client = client
        command.query.nonce = router.open()
        defer { router.close(command.query.nonce) }
        command.query.query = query
        let reply = try await reply(to: command, at: router)
        if case .refused(let refused)? = reply.reply.result {
            throw ClientError.refused(Refusal(RefusalReason(wire: refused.reason), refused.detail))
        }
        guard let answer = reply.reply.result.flatMap(answer) else {
            throw ClientError.refused(
                Refusal(
                    .unsupported, "the broker has sent a reply that this version does not know; update the client"))
        }
        return answer
    }

    /// Sends a query until its reply arrives, at growing intervals: the subscription to the replies travels on the other
    /// socket, so the first reply may come before it. Repeating a query changes nothing.
    private func reply(to command: WireCommand, at router: ReplyRouter) async throws -> WireReply {
        let connection = connection
        let timeout = connection.limits.replyTimeout
        return try await withThrowingTaskGroup { group in
            group.addTask {
                try await router.reply(to: command.query.nonce)
            }
            group.addTask {
                try await connection.send(command)
                let deadline = ContinuousClock.now + timeout
                var interval = Self.firstInterval
                while ContinuousClock.now < deadline {
                    try await Task.sleep(until: min(deadline, .now + interval))
                    try connection.enqueue(command)
                    interval = min(interval * 2, Self.longestInterval)
                }
                throw ClientError.noReply(endpoint: connection.endpoints.egress, after: timeout)
            }
            defer { group.cancelAll() }
            guard let reply = try await group.next() else { throw CancellationError() }
            return reply
        }
    }

    private static let firstInterval: Duration = .milliseconds(25)
    private static let longestInterval: Duration = .seconds(1)
}
