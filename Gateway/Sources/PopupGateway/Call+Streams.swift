internal import PopupAccess
internal import PopupClient

// Streams. A temporary problem is never a status of HTTP: an EventSource would not reconnect.
extension Call {
    /// Answers with a stream of states.
    func stream() async throws -> GatewayResponse {
        let gateway = gateway
        guard gateway.takeStream(for: token) else { return busy(nil) }
        let patterns = try patterns(for: .watch)
        let client = try rendererName(for: patterns)
        let tab = try tabName()
        let format = format
        guard
            let reservation = gateway.streams.reserve(
                for: token, .state, from: request.address, isRenderer: client != nil,
                limits: gateway.settings.streamLimits)
        else {
            gateway.metrics.count(.streams)
            return busy(client)
        }
        let severalGroups = patterns.count > 1 || patterns[0].text.hasSuffix("*")
        let watch: Watch
        do {
            watch = try gateway.hub.watch(
                patterns, for: token.hash, times, after: severalGroups ? nil : last, groups: gateway.settings.groups,
                traffic: gateway.traffic)
        } catch {
            gateway.streams.release(reservation)
            return try busy(client, because: error)
        }
        var lease: RendererLease?
        do throws(ClientError) {
            if let client {
                lease = try RendererLease(
                    gateway.connection, client, patterns.map(\.text), tab: tab, of: gateway.rendererTabs,
                    reportingOn: commandConnection, isReporting: request.query["report"] != "manual",
                    checkTime: gateway.timeChecks.check)
            }
        } catch {
            gateway.hub.unwatch(watch)
            gateway.streams.release(reservation)
            return try busy(client, because: error)
        }
        let greeting = greeting(client)
        let stream = ResponseStream(watch, greeting: greeting, signal: watch.signal) {
            gateway.streams.attach($0, to: reservation)
            gateway.traffic.count(.hello, bytes: greeting.count)
        } onWritten: { [lease] in
            lease?.report()
        } onClose: { [lease] in
            gateway.hub.unwatch(watch)
            gateway.streams.release(reservation)
            lease?.endLater()
        } next: { [lease] now in
            watch.take(at: now).map { item in
                lease?.take(item, at: now)
                let bytes = format.message(item, severalGroups: severalGroups, at: now)
                gateway.traffic.count(item.kind, bytes: bytes.count)
                return bytes
            }
        }
        accept(watch, to: reservation)
        return response(.stream(stream))
    }

    /// Answers with a stream of events, from now on or after `Last-Event-ID`.
    func events() async throws -> GatewayResponse {
        let gateway = gateway
        guard !gateway.hub.isDraining, gateway.takeStream(for: token) else { return busy(nil) }
        let patterns = try patterns(for: .events)
        let format = format
        guard
            let reservation = gateway.streams.reserve(
                for: token, .events, from: request.address, limits: gateway.settings.streamLimits)
        else {
            gateway.metrics.count(.streams)
            return busy(nil)
        }
        let watch: EventWatch
        do {
            watch = try gateway.eventHub.watch(patterns, for: token.hash, after: last, times)
        } catch {
            gateway.streams.release(reservation)
            return try busy(nil, because: error)
        }
        // After this, the greeting says that no event is missed from here on.
        if gateway.hub.isConnected { await settled() }
        let greeting = greeting(nil)
        let stream = ResponseStream(watch, greeting: greeting, signal: watch.signal) {
            gateway.streams.attach($0, to: reservation)
            gateway.traffic.count(.hello, bytes: greeting.count)
        } onClose: {
            gateway.eventHub.unwatch(watch)
            gateway.streams.release(reservation)
        } next: { now in
            watch.take(at: now).map { item in
                let bytes = format.message(item, boot: gateway.eventHub.boot)
                gateway.traffic.count(item.kind, bytes: bytes.count)
                if case .gap(let count) = item { gateway.traffic.countDropped(count) }
                return bytes
            }
        }
        accept(watch, to: reservation)
        return response(.stream(stream))
    }

    /// Waits until the stream's subscription has reached the broker, as long as the broker may hang: then the stream has
    /// the event `broker`.
    private func settled() async {
        let gateway = gateway
        await withTaskGroup { tasks in
            tasks.addTask { try? await gateway.admin.settled() }
            tasks.addTask { try? await Task.sleep(for: Hub.silence) }
            await tasks.next()
            tasks.cancelAll()
        }
    }

    // MARK: - Both kinds

    /// Returns the patterns that a stream follows.
    ///
    /// - Throws: 400, to which pages do not come back; 403.
    private func patterns(for right: Right) throws -> [GroupPattern] {
        let names = request.query.all("group")
        guard !names.isEmpty, names.count <= 64 else {
            throw Problem(400, "INVALID", "give one to 64 `group=`, each a name or a pattern")
        }
        return try names.map { name in
            guard let pattern = GroupPattern(name) else {
                throw Problem(400, "INVALID", "\(ClientError.invalidGroup(name))")
            }
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
        try claim(client)
        return client
    }

    /// The id of the last event that the client has.
    private var last: String? { request.headers["last-event-id"] ?? request.query["last"] }

    private var format: StreamFormat {
        request.query["format"] == "sse" || request.headers["accept"]?.contains("text/event-stream") == true
            ? .events : .lines
    }

    /// Records a stream, and ends it at once if the tokens or the gateway have changed since the request.
    private func accept(_ stream: any EndableStream, to reservation: OpenStreams.Reservation) {
        gateway.streams.attach(stream, to: reservation)
        if gateway.hub.isDraining || !gateway.knows(token) { stream.end(retry: Int(gateway.timeUntilPlace())) }
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
            "\"protocol\":1", "\"gateway\":\"\(ProductVersion.current)\"",
            "\"heartbeatMs\":\(Int(gateway.settings.heartbeat / .milliseconds(1)))",
            client.map { "\"client\":\"\($0)\"" }, "\"connected\":\(gateway.hub.isConnected)",
            "\"time\":\"\(UnixTime.milliseconds)\"",
        ]
        return format.message("hello", "{\(fields.compactMap { $0 }.joined(separator: ","))}")
    }

    private func busy(_ client: ClientToken?) -> GatewayResponse {
        gateway.streams.countBusy()
        let time = Int(gateway.timeUntilPlace())
        let words = format.message("busy", #"{"retryAfterMs":\#(time)}"#) + format.retry(time)
        return response(.bytes(hello(client) + words))
    }

    /// Returns the answer that asks the client to reconnect later, if the error is a limit or the end of the gateway.
    private func busy(_ client: ClientToken?, because error: ClientError) throws(ClientError) -> GatewayResponse {
        switch error {
        case .tooManyGroups:
            gateway.metrics.count(.groups)
            return busy(client)
        case .tooManyStreams:
            gateway.metrics.count(.patterns)
            return busy(client)
        case .tooManyLeasedGroups, .closed: return busy(client)
        default: throw error
        }
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
