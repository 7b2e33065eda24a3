internal import PopupAccess
internal import PopupClient

// What reads and controls groups.
extension Call {
    // MARK: - Questions

    /// Answers with the selected popups, or their number.
    func list() async throws -> GatewayResponse {
        let query = request.query
        let groups = query["group"] ?? "*"
        guard let pattern = GroupPattern(groups) else { throw ClientError.invalidGroup(groups) }
        try require(.query, in: pattern)
        var selector = PopupSelector()
        selector.group = groups
        selector.surface = query["surface"] ?? ""
        selector.producer = query["producer"] ?? ""
        selector.active = query["active"] == "1"
        guard query["count"] == "1" else { return try Self.json(try await gateway.admin.list(selector)) }
        return GatewayResponse(json: Array("{\"popups\":\(try await gateway.admin.count(selector))}".utf8))
    }

    func queue(of group: String) async throws -> GatewayResponse {
        try require(.query, in: GroupPattern(try groupName(group)))
        return try Self.json(try await gateway.admin.peek(group))
    }

    /// Answers with the policies that are set, or with the one in force for `?group=`.
    func policies() async throws -> GatewayResponse {
        guard let groups = request.query["group"] else {
            try require(.query, in: .every)
            var result = WirePoliciesResult()
            result.policies = try await gateway.admin.policies()
            return try Self.json(result)
        }
        guard let pattern = GroupPattern(groups) else { throw ClientError.invalidGroup(groups) }
        try require(.query, in: pattern)
        return try Self.json(try await gateway.admin.policy(inForceFor: groups))
    }

    func stats() async throws -> GatewayResponse {
        try require(.query, in: .every)
        return try Self.json(try await gateway.admin.statistics())
    }

    // MARK: - States

    /// Answers with what a group shows, at once or when it differs from what the client has.
    func state(of group: String) async throws -> GatewayResponse {
        let pattern = GroupPattern(try groupName(group))
        try require(right: .watch, in: pattern)
        guard gateway.connection.isConnected else { throw notConnected(after: .zero) }
        let known = request.headers["if-none-match"]
        let wait = try wait()
        let gateway = gateway
        return try await gateway.streams.hold(limit: gateway.settings.heldRequests) {
            let patience = max(wait ?? .zero, Self.firstStates)
            let watch = try gateway.hub.watch(
                [pattern], Watch.Times(heartbeat: .seconds(3600), end: .now + patience))
            defer { gateway.hub.unwatch(watch) }
            var json = Array("{\"group\":\(JSONText.quoted(group))}".utf8)
            var tag = "W/\"0:0\""
            var isSynced = false
            var rings = watch.rings.makeAsyncIterator()
            reading: while true {
                while let item = watch.take(at: .now) {
                    if case .state(let state) = item {
                        (json, tag) = (state.json(at: .now), "W/\"\(state.version)\"")
                        if isSynced, tag != known { break reading }
                    }
                    guard case .synced = item else { continue }
                    isSynced = true
                    if wait == nil || tag != known { break reading }
                }
                if await rings.next() == nil { break }
            }
            guard isSynced else { throw notConnected(after: patience) }
            var response = GatewayResponse(status: tag == known ? 304 : 200, json: tag == known ? [] : json)
            response.headers["ETag"] = tag
            return response
        }
    }

    /// The time in which the present states of a group must arrive.
    private static let firstStates: Duration = .seconds(5)
}
