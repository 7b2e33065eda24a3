internal import PopupAccess
internal import PopupClient

// Streams. What is only temporary is no status: EventSource would never come again.
extension Call {
    /// Answers with a stream of states.
    func stream() async throws -> GatewayResponse {
        let gateway = gateway
        let patterns = try patterns(for: .watch)
        let client = try rendererName(for: patterns)
        let format = format
        guard hasRoom else { return busy(client) }
        let watch = try gateway.hub.watch(patterns, times)
        let lease: RendererLease?
        do {
            lease = try client.map { client in
                try RendererLease(
                    gateway.connection, client, patterns.map(\.text),
                    isReporting: request.query["report"] != "manual")
            }
        } catch {
            gateway.hub.unwatch(watch)
            throw error
        }
        gateway.streams.add(watch, of: token)
        let severalGroups = patterns.count > 1 || patterns[0].text.hasSuffix("*")
        let stream = ResponseStream(greeting: greeting(client), rings: watch.rings) {
            gateway.hub.unwatch(watch)
            gateway.streams.remove(watch)
            lease?.endLater()
        } next: { now in
            watch.take(at: now).map { format.message($0, severalGroups: severalGroups, at: now) }
        }
        gateway.streams.attach(stream, to: watch)
        return response(.stream(stream))
    }

    /// Answers with a stream of events, from now on or after `Last-Event-ID`.
    func events() async throws -> GatewayResponse {
        let gateway = gateway
        let patterns = try patterns(for: .events)
        let format = format
        guard hasRoom else { return busy(nil) }
        let last = request.headers["last-event-id"] ?? request.query["last"]
        let watch = try gateway.eventHub.watch(patterns, after: last, times)
        gateway.streams.add(watch, of: token)
        // Then the greeting says that from here on no event is missed.
        if gateway.connection.isConnected { try? await gateway.admin.settled() }
        let stream = ResponseStream(greeting: greeting(nil), rings: watch.rings) {
            gateway.eventHub.unwatch(watch)
            gateway.streams.remove(watch)
        } next: { now in
            watch.take(at: now).map { format.message($0, boot: gateway.eventHub.boot) }
        }
        gateway.streams.attach(stream, to: watch)
        return response(.stream(stream))
    }

    // MARK: - What both have

    private func patterns(for right: Right) throws -> [GroupPattern] {
        let names = request.query.all("group")
        guard !names.isEmpty, names.count <= 64 else {
            throw Problem(400, "INVALID", "give one to 64 `group=`, each a name or a pattern")
        }
        return try names.map { name in
            guard let pattern = GroupPattern(name) else { throw ClientError.invalidGroup(name) }
            try require(right: right, in: pattern)
            return pattern
        }
    }

    private func rendererName(for patterns: [GroupPattern]) throws(Problem) -> ClientToken? {
        guard let name = request.query["client"] else { return nil }
        guard let client = ClientToken(name) else {
            throw Problem(400, "INVALID", "`client` is not valid: use 1 to 64 of A–Z a–z 0–9 . _ -")
        }
        for pattern in patterns { try require(.render, in: pattern) }
        return client
    }

    private var format: StreamFormat {
        request.query["format"] == "sse" || request.headers["accept"]?.contains("text/event-stream") == true
            ? .events : .lines
    }

    private var hasRoom: Bool {
        !gateway.hub.isDraining && gateway.streams.hasRoom(for: token, limit: gateway.settings.streams)
    }

    private var times: Watch.Times {
        Watch.Times(
            heartbeat: gateway.settings.heartbeat, end: .now + .seconds(Double.random(in: 2880...4320)))
    }

    private func greeting(_ client: ClientToken?) -> [UInt8] {
        format.retry(.random(in: 1000...5000)) + hello(client)
    }

    private func hello(_ client: ClientToken?) -> [UInt8] {
        let fields = [
            "\"protocol\":1", "\"heartbeatMs\":\(Int(gateway.settings.heartbeat / .milliseconds(1)))",
            client.map { "\"client\":\"\($0)\"" }, "\"connected\":\(gateway.hub.isConnected)",
            "\"time\":\"\(UnixTime.milliseconds)\"",
        ]
        return format.message("hello", "{\(fields.compactMap { $0 }.joined(separator: ","))}")
    }

    private func busy(_ client: ClientToken?) -> GatewayResponse {
        let words = format.message("busy", #"{"retryAfterMs":10000}"#) + format.retry(10_000)
        return response(.bytes(hello(client) + words))
    }

    private func response(_ body: GatewayResponse.Body) -> GatewayResponse {
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
