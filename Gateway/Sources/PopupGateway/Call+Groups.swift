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

    func stats() async throws -> GatewayResponse {
        try require(.query, in: .every)
        return try Self.json(try await gateway.admin.statistics())
    }

    // MARK: - Control

    func advance(_ group: String) async throws -> GatewayResponse {
        try require(.control, in: GroupPattern(try groupName(group)))
        var advance = WireAdvance()
        advance.group = group
        try await send(.advance(advance))
        return Self.accepted
    }

    /// Closes what a selector chooses. A foreign producer needs control of everything.
    func clear() async throws -> GatewayResponse {
        let clear: WireClear = try body()
        let isForAll = clear.selector.group.isEmpty || !clear.selector.producer.isEmpty
        try await control(.clear(clear), in: isForAll ? "*" : clear.selector.group)
        return Self.accepted
    }

    /// Suspends groups. The broker knows the suspension as `NAME:TOKEN`, NAME the access token's.
    func suspend() async throws -> GatewayResponse {
        var suspend: WireSuspend = try body()
        if !suspend.token.isEmpty { suspend.token = "\(token.name):\(suspend.token)" }
        try await control(.suspend(suspend), in: suspend.group)
        return Self.accepted
    }

    /// Ends a suspension of the same access token.
    func resume() async throws -> GatewayResponse {
        var resume: WireResume = try body()
        guard token.access.hasAnywhere(.control) else { throw denied("needs the right control in some group") }
        if !resume.token.isEmpty { resume.token = "\(token.name):\(resume.token)" }
        try await send(.resume(resume))
        return Self.accepted
    }

    func session() async throws -> GatewayResponse {
        let session: WireSetSession = try body()
        try await control(.setSession(session), in: session.group)
        return Self.accepted
    }

    /// Changes a tree of pages, which may hold back popups of any group.
    func page() async throws -> GatewayResponse {
        try await control(.page(try body()), in: "*")
        return Self.accepted
    }

    func policy() async throws -> GatewayResponse {
        let policy: GroupPolicy = try body()
        try await control(.setPolicy(policy), in: policy.group)
        return Self.accepted
    }

    private func control(_ command: WireCommand.OneOf_Command, in groups: String) async throws {
        guard let pattern = GroupPattern(groups) else { throw ClientError.invalidGroup(groups) }
        try require(.control, in: pattern)
        try await send(command)
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

    // MARK: - Streams

    /// Answers with a stream of states. What is only temporary is no status: EventSource would never come again.
    func stream() async throws -> GatewayResponse {
        let gateway = gateway
        let names = request.query.all("group")
        guard !names.isEmpty, names.count <= 64 else {
            throw Problem(400, "INVALID", "give one to 64 `group=`, each a name or a pattern")
        }
        var patterns: [GroupPattern] = []
        for name in names {
            guard let pattern = GroupPattern(name) else { throw ClientError.invalidGroup(name) }
            try require(right: .watch, in: pattern)
            patterns.append(pattern)
        }
        let client = try rendererName(for: patterns)
        let format: StreamFormat =
            request.query["format"] == "sse" || request.headers["accept"]?.contains("text/event-stream") == true
            ? .events : .lines
        guard !gateway.hub.isDraining, gateway.streams.hasRoom(for: token, limit: gateway.settings.streams) else {
            return Self.streamResponse(
                format,
                .bytes(
                    hello(format, client) + format.message("busy", #"{"retryAfterMs":10000}"#) + format.retry(10_000)))
        }
        let lifetime = Duration.seconds(Double.random(in: 2880...4320))
        let watch = try gateway.hub.watch(
            patterns, Watch.Times(heartbeat: gateway.settings.heartbeat, end: .now + lifetime))
        let lease: RendererLease?
        do {
            lease = try client.map { client in
                try RendererLease(
                    gateway.connection, client, names, isReporting: request.query["report"] != "manual")
            }
        } catch {
            gateway.hub.unwatch(watch)
            throw error
        }
        gateway.streams.add(watch, of: token)
        let stream = StateStream(
            watch, format, greeting: format.retry(.random(in: 1000...5000)) + hello(format, client),
            severalGroups: names.count > 1 || names[0].hasSuffix("*")
        ) {
            gateway.hub.unwatch(watch)
            gateway.streams.remove(watch)
            lease?.endLater()
        }
        return Self.streamResponse(format, .stream(stream))
    }

    private func rendererName(for patterns: [GroupPattern]) throws(Problem) -> ClientToken? {
        guard let name = request.query["client"] else { return nil }
        guard let client = ClientToken(name) else {
            throw Problem(400, "INVALID", "`client` is not valid: use 1 to 64 of A–Z a–z 0–9 . _ -")
        }
        for pattern in patterns { try require(.render, in: pattern) }
        return client
    }

    private func hello(_ format: StreamFormat, _ client: ClientToken?) -> [UInt8] {
        let fields = [
            "\"protocol\":1", "\"heartbeatMs\":\(Int(gateway.settings.heartbeat / .milliseconds(1)))",
            client.map { "\"client\":\"\($0)\"" }, "\"connected\":\(gateway.hub.isConnected)",
            "\"time\":\"\(UnixTime.milliseconds)\"",
        ]
        return format.message("hello", "{\(fields.compactMap { $0 }.joined(separator: ","))}")
    }

    private static func streamResponse(_ format: StreamFormat, _ body: GatewayResponse.Body) -> GatewayResponse {
        var response = GatewayResponse(json: [])
        response.body = body
        response.headers["Content-Type"] = format.contentType
        response.headers["Cache-Control"] = "no-store, no-transform"
        response.headers["X-Accel-Buffering"] = "no"
        return response
    }
}

/// The lease of a stream that shows popups: the broker counts it as a renderer while the stream is open, and 3 s longer,
/// so that a reconnect is no loss.
final class RendererLease: Sendable {
    private let task: Task<Void, Never>

    init(_ connection: BrokerConnection, _ client: ClientToken, _ groups: [String], isReporting: Bool) throws {
        let renderer = Renderer(connection, name: client, reporting: isReporting ? .automatic : .manual)
        let states = try renderer.states(of: groups)
        task = Task {
            do {
                // To receive a state is to report it.
                for try await _ in states {}
            } catch {
                // The connection is closed, and the lease with it.
            }
        }
    }

    /// Ends the lease after 3 s.
    func endLater() {
        let task = task
        Task {
            try? await Task.sleep(for: .seconds(3))
            task.cancel()
        }
    }
}
