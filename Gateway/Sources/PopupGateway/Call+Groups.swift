internal import PopupAccess
@_spi(Wire) internal import PopupClient
internal import PopupProtocol

// The requests that read or control groups.
extension Call {
    // MARK: - Queries

    /// Answers with the selected popups, or their number.
    func list() async throws -> GatewayResponse {
        let query = request.query
        var selector = PopupSelector()
        selector.group = try queriedGroups().text
        selector.surface = query["surface"] ?? ""
        selector.producer = query["producer"] ?? ""
        selector.active = try flag("active")
        guard try flag("count") else { return try Self.json(try await gateway.admin.list(selector).wire) }
        return GatewayResponse(json: Array("{\"popups\":\(try await gateway.admin.count(selector))}".utf8))
    }

    /// Returns whether a parameter of the query is 1; without it, `false`.
    ///
    /// - Throws: 422.
    private func flag(_ name: String) throws(Problem) -> Bool {
        switch request.query[name] {
        case "1": return true
        case "0", nil: return false
        case let text?: throw Problem(422, "INVALID", "`\(name)` is `\(text)`; it must be 1 or 0")
        }
    }

    /// Answers with one page of the groups that the broker knows: those of `?group=`, after `?after=`.
    func groups() async throws -> GatewayResponse {
        let pattern = try queriedGroups()
        let page = try await gateway.admin.groups(of: pattern.text, after: request.query["after"])
        var result = WireGroupsResult()
        result.groups = page.groups.map(\.wire)
        result.truncated = page.hasMore
        return try Self.json(result)
    }

    /// Answers with the suspensions that apply to some group of `?group=`.
    func suspensions() async throws -> GatewayResponse {
        let pattern = try queriedGroups()
        var result = WireSuspensionsResult()
        result.suspensions = try await gateway.admin.suspensions(for: pattern.text).map(\.wire)
        return try Self.json(result)
    }

    /// Returns the groups of `?group=`, about which the token may ask; without it, all groups.
    ///
    /// - Throws: 403, 422.
    private func queriedGroups() throws -> GroupPattern {
        let groups = request.query["group"] ?? ""
        guard let pattern = GroupPattern(groups.isEmpty ? "*" : groups) else { throw ClientError.invalidGroup(groups) }
        try require(.query, in: pattern)
        return pattern
    }

    func queue(of group: String) async throws -> GatewayResponse {
        try require(.query, in: GroupPattern(try groupName(group)))
        return try Self.json(try await gateway.admin.peek(group).wire)
    }

    /// Answers with the policies that are set, or with the one in force for `?group=`.
    func policies() async throws -> GatewayResponse {
        guard let groups = request.query["group"] else {
            try require(.query, in: .every)
            var result = WirePoliciesResult()
            result.policies = try await gateway.admin.policies().map(\.wire)
            return try Self.json(result)
        }
        guard let pattern = GroupPattern(groups) else { throw ClientError.invalidGroup(groups) }
        try require(.query, in: pattern)
        return try Self.json(try await gateway.admin.policy(inForceFor: groups).wire)
    }

    /// Answers with the broker's statistics, and what is known of the gateway in a member `gateway`.
    func stats() async throws -> GatewayResponse {
        try require(.query, in: .every)
        var json = try WireJSON.encode(try await gateway.admin.statistics().wire)
        let own = #""gateway":{"version":"\#(ProductVersion.current)","whatIf":\#(gateway.policyTrial != nil)}}"#
        let isEmpty = json.count == 2
        json.removeLast()
        json += Array(((isEmpty ? "" : ",") + own).utf8)
        return GatewayResponse(json: json)
    }

    // MARK: - States

    /// Answers with the state of a group, at once or as soon as it differs from the state that the client has.
    func state(of group: String) async throws -> GatewayResponse {
        let pattern = GroupPattern(try groupName(group))
        try require(right: .watch, in: pattern)
        switch gateway.hub.checkBroker() {
        // Without a heartbeat until now, the connection is new: its states come.
        case .connected, .silent(nil): break
        // A broker that hangs has a connection, but its states may be old.
        case .notConnected, .silent: throw notConnected(after: .zero)
        }
        guard let wait = try wait() else { return try await state(of: pattern, within: nil) }
        return try await hold { try await state(of: pattern, within: wait) }
    }

    /// Answers with the state of a group as soon as it differs from the state that the client has, or when the time is
    /// over.
    private func state(of group: GroupPattern, within wait: Duration?) async throws -> GatewayResponse {
        let begin = ContinuousClock.now
        let patience = max(wait ?? .zero, Self.firstStates)
        let watch = try watch([group], Watch.Times(heartbeat: .seconds(3600), end: begin + patience))
        defer { gateway.hub.unwatch(watch) }
        let timer = Task {
            try? await Task.sleep(for: wait ?? .zero)
            watch.wake()
        }
        defer { timer.cancel() }
        let empty = (json: Array("{\"group\":\(JSONText.quoted(group.text))}".utf8), tag: "W/\"0:0\"")
        var answer = empty
        var isSynced = false
        var signals = watch.signal.sequence().makeAsyncIterator()
        while true {
            while let item = watch.take(at: .now) {
                switch item {
                // The broker forgets the version of an empty group, so that all empty states have one tag.
                case .state(let state):
                    answer = state.isOccupied ? (state.json(at: .now), "W/\"\(state.version)\"") : empty
                case .synced: isSynced = true
                default: break
                }
            }
            if isSynced, !request.hasTag(answer.tag) || ContinuousClock.now - begin >= wait ?? .zero { break }
            if await signals.next() == nil { break }
        }
        let isKnown = request.hasTag(answer.tag)
        guard isSynced && !isKnown || !gateway.hub.isDraining else { throw Problem.draining }
        guard isSynced else { throw notConnected(after: patience) }
        var response = GatewayResponse(status: isKnown ? 304 : 200, json: isKnown ? [] : answer.json)
        response.headers["ETag"] = answer.tag
        return response
    }

    /// The time in which the present states of a group must arrive.
    private static let firstStates: Duration = .seconds(5)
}
