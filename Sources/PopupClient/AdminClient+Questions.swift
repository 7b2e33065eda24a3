public import PopupProtocol

// Each throws `ClientError`: `refused` when the broker refuses the question, `noReply` when none came in
// `limits.replyTimeout`, and as `BrokerConnection.send`.
extension AdminClient {
    /// The popups that a selector chooses.
    ///
    /// - Returns: the popups, and whether there are more than a reply holds.
    public func list(_ selector: PopupSelector = PopupSelector()) async throws -> WireListResult {
        var query = WireListQuery()
        query.selector = selector
        return try await ask(.list(query)) { if case .list(let result) = $0 { result } else { nil } }
    }

    /// How many popups a selector chooses.
    public func count(_ selector: PopupSelector = PopupSelector()) async throws -> Int {
        var query = WireCountQuery()
        query.selector = selector
        let result = try await ask(.count(query)) { if case .count(let result) = $0 { result } else { nil } }
        return Int(result.popups)
    }

    /// A group's popups: the active one first, then the queue in its order, then what is delayed.
    public func peek(_ group: String) async throws -> WirePeekResult {
        var query = WirePeekQuery()
        query.group = group
        return try await ask(.peek(query)) { if case .peek(let result) = $0 { result } else { nil } }
    }

    /// Where a popup is and what keeps it there, or how it closed.
    public func explain(_ id: String) async throws -> PopupExplanation {
        var query = WireExplainQuery()
        query.id = id
        return try await ask(.explain(query)) { if case .explain(let result) = $0 { result } else { nil } }
    }

    /// The way from the root of a tree of pages to one of them: the values of the pages.
    ///
    /// - Parameters:
    ///   - node: nil: the current page.
    ///   - except: pages with this value are left out; nil: none is.
    ///   - separator: what stands between the values in `joined`; not empty.
    /// - Returns: the values, and the same in one text; empty when there is no such page.
    public func path(
        in tree: String, to node: String? = nil, except: String? = nil, separator: String = "/"
    ) async throws -> PagePath {
        var query = WirePathQuery()
        query.tree = tree
        query.node = node ?? ""
        if let except { query.except = except }
        query.separator = separator
        return try await ask(.path(query)) { if case .path(let result) = $0 { result } else { nil } }
    }

    /// The broker's counters.
    public func statistics() async throws -> BrokerStatistics {
        try await ask(.stats(WireStatsQuery())) { if case .stats(let result) = $0 { result } else { nil } }
    }

    /// Waits until the streams that were opened before are in force and the commands that were sent before have been
    /// applied: what happens from now on is in the streams.
    public func settled() async throws {
        // Subscriptions reach the broker in order. When a reply comes on the newest, the older ones are in force.
        try await connection.withOwnReplyRouter { router, client in
            _ = try await ask(.stats(WireStatsQuery()), at: router, of: client) { $0 }
        }
    }

    private func ask<Answer: Sendable>(
        _ question: WireQuery.OneOf_Query, _ answer: (WireResult.OneOf_Result) -> Answer?
    ) async throws -> Answer {
        try await ask(question, at: connection.replyRouter(), of: connection.client.text, answer)
    }

    private func ask<Answer: Sendable>(
        _ question: WireQuery.OneOf_Query, at router: ReplyRouter, of client: String,
        _ answer: (WireResult.OneOf_Result) -> Answer?
    ) async throws -> Answer {
        var command = WireCommand()
        command.query.client = client
        command.query.nonce = router.open()
        defer { router.close(command.query.nonce) }
        command.query.query = question
        let reply = try await reply(to: command, at: router)
        if case .refused(let refused)? = reply.reply.result {
            throw ClientError.refused(CommandRefusal(refused.reason, refused.detail))
        }
        guard let answer = reply.reply.result.flatMap(answer) else {
            throw ClientError.refused(
                CommandRefusal(.unsupported, "the broker answers with what this version does not know; update it"))
        }
        return answer
    }

    /// The subscription to the replies travels on the other socket, so a question may be overtaken by its answer.
    /// It is asked again at growing intervals, which changes nothing, until a reply comes.
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
