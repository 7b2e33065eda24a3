public import PopupClient
internal import PopupAccess
public import PopupProtocol
import Synchronization

/// The gateway. It turns requests of HTTP into commands, queries and streams of one connection to the broker.
public final class Gateway: Sendable {
    /// The settings of a gateway.
    public struct Settings: Sendable {
        /// The accepted hosts, without ports.
        public var hosts: Set<String>
        /// The origins whose pages may read answers; `*`: all.
        public var origins: Set<String>
        /// The hosts from which the overlay loads icons.
        public var imageHosts: [String]
        /// The themes of the overlay besides `light` and `dark`, by name.
        public var themes: [String: OverlayTheme]
        /// The maximum number of streams.
        public var streams: Int
        /// The maximum number of streams from one address of another machine.
        public var streamsPerAddress: Int
        /// The maximum number of connections.
        public var connections: Int
        /// The maximum number of connections from one address of another machine.
        public var connectionsPerAddress: Int
        /// The maximum number of streams that are renderers.
        public var renderers: Int
        /// The number of groups with popups that are followed beyond which no further pattern is.
        public var groups: Int
        /// The maximum number of requests of a token in a second; five times as many at once.
        public var requests: Int
        /// The maximum number of requests without a known token from one address of another machine in a second; five
        /// times as many at once.
        public var requestsPerAddress: Int
        /// The maximum number of requests that are held until something changes, or send several commands.
        public var heldRequests: Int
        /// The groups that have metrics of their own.
        public var metricGroups: [GroupName]
        /// The silence after which a stream carries a ping.
        public var heartbeat: Duration
        /// The time after which a connection that takes no bytes is closed.
        public var stall: Duration

        /// Creates settings.
        public init(
            hosts: Set<String> = ["localhost", "127.0.0.1", "[::1]"], origins: Set<String> = [],
            imageHosts: [String] = [], themes: [String: OverlayTheme] = [:], streams: Int = 20_000,
            streamsPerAddress: Int = 200, connections: Int = 32_768, connectionsPerAddress: Int = 256,
            renderers: Int = 1000, groups: Int = 100_000, requests: Int = 20, requestsPerAddress: Int = 50,
            heldRequests: Int = 2000,
            metricGroups: [GroupName] = [], heartbeat: Duration = .seconds(15), stall: Duration = .seconds(15)
        ) {
            self.hosts = hosts
            self.origins = origins
            self.imageHosts = imageHosts
            self.themes = themes
            self.streams = streams
            self.streamsPerAddress = streamsPerAddress
            self.connections = connections
            self.connectionsPerAddress = connectionsPerAddress
            self.renderers = renderers
            self.groups = groups
            self.requests = requests
            self.requestsPerAddress = requestsPerAddress
            self.heldRequests = heldRequests
            self.metricGroups = metricGroups
            self.heartbeat = heartbeat
            self.stall = stall
        }

        var streamLimits: OpenStreams.Limits {
            OpenStreams.Limits(streams: streams, perAddress: streamsPerAddress, renderers: renderers)
        }
    }

    let connection: BrokerConnection
    let admin: AdminClient
    let hub: Hub
    let eventHub: EventHub
    let streams: OpenStreams
    let rendererTabs = RendererTabs()
    let timeChecks: TimeChecks
    let traffic = StreamTraffic()
    let metrics = GatewayMetrics()
    /// The comparison of policies; `nil` without access to what the broker has committed.
    let policyTrial: (any PolicyTrial)?
    let trials = PolicyTrialTurns()
    private let brokerMetrics: BrokerMetrics
    private let budgets = RequestBudgets()
    private let bodies = BodyMemory()
    private let addresses = ClientAddresses()
    private let currentSettings: Mutex<Settings>
    /// The time at which the last stream ends; `nil` while the gateway does not end.
    private let drainEnd = Mutex<ContinuousClock.Instant?>(nil)
    private let tokens: Mutex<TokenTable>
    /// The connections of tokens that have one of their own.
    let separateConnections: SeparateConnections
    /// The owners of clients' names, which are tokens. The broker knows only the gateway's user.
    private let clients = Mutex(NameOwners<ClientToken>(namesPerUser: namesPerToken))

    /// The maximum number of clients' names of a token. One more releases its oldest.
    private static let namesPerToken = 4096

    /// Creates a gateway on a connection.
    ///
    /// - Parameters:
    ///   - tokens: The access tokens.
    ///   - settings: The settings.
    ///   - policyTrial: The comparison of policies; `nil`: not possible.
    ///   - warn: Tells what the operator must do, such as the rights that the gateway's user lacks at the broker, each once.
    ///   - connect: Makes a connection for a token that has one of its own.
    /// - Throws: `ClientError.closed` if the connection is closed, and what `connect` throws.
    public init(
        _ connection: BrokerConnection, tokens: TokenTable, settings: Settings = Settings(),
        policyTrial: (any PolicyTrial)? = nil, warn: @escaping @Sendable (_ text: String) -> Void = { _ in },
        connect: @escaping @Sendable () throws(ClientError) -> BrokerConnection
    ) throws(ClientError) {
        self.policyTrial = policyTrial
        separateConnections = SeparateConnections(connect)
        try separateConnections.update(for: tokens)
        self.connection = connection
        currentSettings = Mutex(settings)
        self.tokens = Mutex(tokens)
        streams = OpenStreams(addresses)
        admin = AdminClient(connection)
        brokerMetrics = BrokerMetrics(connection, admin)
        let missingRights = MissingRights(warn)
        let eventHub = EventHub(connection, boot: "\(UnixTime.milliseconds)", missingRights)
        self.eventHub = eventHub
        hub = try Hub(connection, missingRights) { eventHub.setConnected($0) }
        timeChecks = TimeChecks(hub, admin)
    }

    /// The limits of the gateway's connection: several patterns and renderers are followed at the same time.
    public static var clientLimits: ClientLimits {
        var limits = ClientLimits()
        limits.streams = 8192
        // The hub itself tells its streams that the broker is lost or back. States that the client repeats, because they
        // are not confirmed any more or are again, would be sent to each stream without being news.
        limits.confirmationTimeout = nil
        return limits
    }

    /// Checks the connection and the streams, until the task is cancelled.
    public func run() async {
        let watch = followMetricGroups()
        defer { if let watch { hub.unwatch(watch) } }
        while !Task.isCancelled {
            hub.tick(at: .now)
            eventHub.tick(at: .now)
            streams.cut(stalledSince: .now - settings.stall, orSince: .now - Self.stallBehind)
            try? await Task.sleep(for: .milliseconds(500))
        }
    }

    /// Follows the groups with metrics of their own as long as the gateway runs.
    private func followMetricGroups() -> Watch? {
        guard !settings.metricGroups.isEmpty else { return nil }
        let times = Watch.Times(heartbeat: .seconds(3600), end: .now + Self.century)
        return try? hub.watch(settings.metricGroups.map { GroupPattern($0) }, times)
    }

    private static let century: Duration = .seconds(3_155_760_000)
    /// The time after which a stream that does not take a piece is closed if too many groups have become empty meanwhile.
    private static let stallBehind: Duration = .seconds(5)

    /// Ends all streams and held requests in random order over a time, and refuses new ones.
    public func drain(over time: Duration) async {
        let start = ContinuousClock.now
        drainEnd.withLock { $0 = start + time }
        let open: [any EndableStream] = hub.drain() + eventHub.watches
        streams.beginDrain()
        for (index, stream) in open.shuffled().enumerated() {
            stream.end(retry: Int(Self.timeToReturn()))
            // The delays of all sleeps would add up, so each ends at its time of the plan, and those that are late are left out.
            let next = start + time * (index + 1) / open.count
            if .now < next { try? await Task.sleep(until: next) }
        }
    }

    /// Returns the time in ms after which a client of a gateway that ends should come back: soon, because another gateway is
    /// there within seconds, and not all at once.
    static func timeToReturn() -> UInt32 { .random(in: 1000...3000) }

    /// Returns the time in ms after which a client that gets no stream should come back. If the gateway ends, that is up to 2 s
    /// after its end: before, it would get no stream again. The time is short enough for another gateway that is there then:
    /// although clients wait up to a quarter longer, they come within 5 s after the end.
    func timeUntilPlace() -> UInt32 {
        guard let end = drainEnd.withLock({ $0 }) else { return 10_000 }
        let rest = min(max(.zero, ContinuousClock.now.duration(to: end)), .seconds(8))
        return UInt32(rest / .milliseconds(1)) + .random(in: 500...2000)
    }

    /// The settings, as they were set last.
    public var settings: Settings { currentSettings.withLock { $0 } }

    /// Replaces the settings. Requests that have begun keep theirs, and open streams all but `stall`. The groups with
    /// metrics stay those at the start.
    public func setSettings(_ settings: Settings) {
        currentSettings.withLock { $0 = settings }
    }

    /// A connection that counts, until it is closed.
    public struct CountedConnection: Sendable {
        fileprivate let address: ClientAddress?
    }

    /// Counts a new connection. Returns `nil`, and counts nothing, if a limit is reached.
    ///
    /// - Parameter address: The address of a client on another machine; `nil` for this machine, and for a proxy.
    public func openConnection(from address: ClientAddress?) -> CountedConnection? {
        let settings = settings
        guard
            addresses.openConnection(
                address, limit: settings.connections, perAddress: settings.connectionsPerAddress)
        else {
            metrics.count(.connections)
            return nil
        }
        return CountedConnection(address: address)
    }

    /// Counts a connection less.
    public func closeConnection(_ connection: CountedConnection) {
        addresses.closeConnection(connection.address)
    }

    /// Counts a connection that was closed because its request took too long to arrive.
    public func countSlowRequest() {
        metrics.count(.time)
    }

    /// Replaces the access tokens, and ends the streams of those that were removed or have other rights.
    ///
    /// - Throws: `ClientError` if a token cannot get a connection of its own. Then all stays as it was.
    public func setTokens(_ table: TokenTable) throws(ClientError) {
        try separateConnections.update(for: table)
        tokens.withLock { $0 = table }
        clients.withLock { clients in clients.removeUsers { !table.contains(named: $0) } }
        for stream in streams.chosen(where: { !table.contains($0) }, endingBecause: .token) { stream.end(retry: nil) }
    }

    /// Closes the connections of tokens that have one of their own.
    public func closeSeparateConnections() async {
        await separateConnections.close()
    }

    /// Reserves a client's name for a token unless it belongs to another one. Returns whether the token has it.
    func claim(_ client: ClientToken, for token: AccessToken) -> Bool {
        clients.withLock { $0.claim(client, for: token.name) }
    }

    /// Takes the opening of a stream from the budget of a token. Returns whether it has one left.
    func takeStream(for token: AccessToken) -> Bool {
        guard budgets.takeStream(for: token, rate: settings.requests) else {
            metrics.count(.requests)
            return false
        }
        return true
    }

    /// Returns whether there is a token with a name.
    func hasToken(named name: UserName) -> Bool { tokens.withLock { $0.contains(named: name) } }

    /// Whether a token still exists, with the same rights.
    func knows(_ token: AccessToken) -> Bool {
        tokens.withLock { $0.contains(token) }
    }

    /// Answers a request of the public listener.
    ///
    /// - Parameter problem: A problem that the request already has. A host that is not accepted is reported before it.
    public func respond(to request: GatewayRequest, refusing problem: Problem? = nil) async -> GatewayResponse {
        await respond(to: request) { request throws(Problem) in
            if let problem { throw problem }
            return try await self.answer(request)
        }
    }

    /// Answers a request whose body is still to be received. Answers 429 if the bodies of all requests would be too large.
    ///
    /// - Parameters:
    ///   - head: The request without its body.
    ///   - bytes: The size of the body at most.
    ///   - receive: Receives the body. It throws a `Problem` for one that is too large.
    /// - Throws: What `receive` throws, except problems and the cancellation of a client that has left.
    public func respond(
        to head: GatewayRequest, receivingAtMost bytes: Int, _ receive: () async throws -> [UInt8]
    ) async throws -> GatewayResponse {
        // Without a body, nobody holds anything, and the token is not looked up.
        let secret = bytes > 0 ? Self.secret(in: head) : nil
        let owner = secret.flatMap { secret in tokens.withLock { $0.token(secret: secret) } }?.hash
        guard bodies.take(bytes, for: owner) else {
            metrics.count(.bodies)
            let problem = Problem(
                429, "OVERLOAD", "the bodies of the token's or of all requests are too large together; try again later",
                retryAfterMs: 1000)
            return await respond(to: head, refusing: problem)
        }
        var held = bytes
        defer { bodies.release(held, for: owner) }
        var asked = head
        do {
            asked.body = try await receive()
        } catch let problem as Problem {
            return await respond(to: head, refusing: problem)
        } catch let error as CancellationError {
            return await respond(to: head, refusing: Problem(failure: error))
        }
        bodies.release(held - asked.body.count, for: owner)
        held = asked.body.count
        return await respond(to: asked)
    }

    /// Answers a request whose body has an unknown coding, and one without a known token, from its head, so that nobody
    /// without one makes the gateway keep a body. `nil`: the request needs its body, also that of a webhook with a signature,
    /// which is over the body.
    public func respond(toHeadOf request: GatewayRequest) async -> GatewayResponse? {
        if let coding = request.headers["transfer-encoding"], coding.lowercased() != "chunked" {
            let problem = Problem(
                501, "UNSUPPORTED", "the body has the transfer coding `\(coding)`; use `chunked` alone")
            return await respond(to: request, refusing: problem)
        }
        let table = tokens.withLock { $0 }
        guard Self.secret(in: request).flatMap({ table.token(secret: $0) }) == nil else { return nil }
        let route = try? Route(method: request.method, path: request.path)
        if case .hook(let name)? = route, table.hasSignature(ofHookNamed: name, in: request) { return nil }
        return await respond(to: request) { request throws(Problem) in
            _ = try Route(method: request.method, path: request.path)
            throw self.refusal(ofStranger: request)
        }
    }

    private func respond(
        to request: GatewayRequest, _ answer: (GatewayRequest) async throws(Problem) -> GatewayResponse
    ) async -> GatewayResponse {
        let begin = ContinuousClock.now
        let response = await response(to: request, answer)
        var duration: Duration? = begin.duration(to: .now)
        if request.query["wait"] != nil { duration = nil }
        if case .stream = response.body { duration = nil }
        metrics.count(request, status: response.status, duration: duration)
        return response
    }

    /// Returns the response: a page, otherwise what `answer` returns or throws.
    private func response(
        to request: GatewayRequest, _ answer: (GatewayRequest) async throws(Problem) -> GatewayResponse
    ) async -> GatewayResponse {
        let settings = settings
        var response: GatewayResponse
        do throws(Problem) {
            try checkHost(of: request, settings.hosts)
            let pages = WebPages(
                imageHosts: settings.imageHosts, framingOrigins: settings.origins, themes: settings.themes)
            if let preflight = preflight(request, settings) { return preflight }
            if let page = pages.respond(to: request) { return page }
            response = try await answer(request)
        } catch {
            response = error.response
        }
        if let origin = allowedOrigin(of: request, settings) {
            response.headers["Access-Control-Allow-Origin"] = origin
            response.headers["Access-Control-Expose-Headers"] = "ETag, Location, Retry-After, X-Request-Id"
            response.headers["Vary"] = "Origin"
        }
        return response
    }

    /// Answers a request of the listener for health and metrics.
    ///
    /// - Parameters:
    ///   - usage: The resource usage of the process, for the metrics.
    ///   - hangingLoops: The number of event loops that do not answer, for `/livez`.
    ///   - localHosts: The names of a listener that only this machine reaches: it accepts these and those of the settings,
    ///     because a page in a browser of this machine may have another name for it (DNS rebinding); `nil`: any.
    public func respondToAdmin(
        _ request: GatewayRequest, _ usage: ProcessUsage? = nil, hangingLoops: Int = 0, localHosts: Set<String>? = nil
    ) async -> GatewayResponse {
        // A request without a host is of no browser: health checks send HTTP/1.0.
        if let localHosts, request.headers["host"]?.isEmpty == false {
            do { try checkHost(of: request, settings.hosts.union(localHosts)) } catch { return error.response }
        }
        let allowed = GatewayRequest.readingMethods
        if ["/livez", "/readyz", "/metrics"].contains(request.path), !allowed.contains(request.method) {
            return Problem.method(request.method, ofPath: request.path, allowed: allowed).response
        }
        switch request.path {
        case "/livez":
            guard hangingLoops > 0 else { return GatewayResponse(json: Array(#"{"status":"ok"}"#.utf8)) }
            return Self.unavailable(#""eventLoops":"\#(hangingLoops) do not answer""#)
        case "/readyz":
            guard !hub.isDraining else { return Self.unavailable(#""draining":"yes""#) }
            let condition = hub.checkBroker()
            guard condition != .connected else { return GatewayResponse(json: Array(#"{"status":"ok"}"#.utf8)) }
            return Self.unavailable(condition.check)
        case "/metrics":
            var response = GatewayResponse(json: Array(await metricsText(usage).utf8))
            response.headers["Content-Type"] = PrometheusText.contentType
            return response
        default: return Problem(404, "NOT_FOUND", "use /livez, /readyz or /metrics").response
        }
    }

    private static func unavailable(_ check: String) -> GatewayResponse {
        GatewayResponse(status: 503, json: Array(#"{"status":"unavailable","checks":{\#(check)}}"#.utf8))
    }

    /// Returns the metrics of the broker, of the gateway and of its process.
    private func metricsText(_ usage: ProcessUsage?) async -> String {
        var text = PrometheusText()
        text.add(
            "popup_gateway_info", .gauge, "The gateway's version, always 1.", 1,
            labels: [("version", ProductVersion.current)]
        )
        text.add(
            "popup_gateway_broker_connected", .gauge, "Whether the broker is connected and not silent.",
            hub.isConnected ? 1 : 0 as UInt64)
        text.add(
            "popup_gateway_heartbeat_age_seconds", .gauge, "Time since the broker's last heartbeat.",
            seconds: hub.heartbeatAge.map { $0 / .seconds(1) } ?? .infinity)
        text.add(
            "popup_gateway_watched_patterns", .gauge, "Patterns of groups that are followed at the broker.",
            UInt64(hub.feedCount))
        text.add(
            "popup_gateway_watched_groups", .gauge,
            "Groups with popups whose states are followed, for each pattern that matches.", UInt64(hub.groupCount))
        streams.add(to: &text)
        traffic.add(to: &text)
        metrics.add(to: &text, hooks: tokens.withLock { $0.hookNames })
        addGroups(to: &text)
        usage?.add(to: &text)
        return await brokerMetrics.text() + text.text
    }

    /// Adds the metrics of the groups that the configuration names, as far as their states are known.
    private func addGroups(to text: inout PrometheusText) {
        guard !settings.metricGroups.isEmpty, hub.isConnected else { return }
        let states = settings.metricGroups.map { ($0.text, hub.state(of: $0)) }
        text.add(
            "popup_group_active", .gauge, "Whether the group shows a popup.",
            states.map { group, state in ("group", group, state?.active == nil ? 0 : 1) })
        text.add(
            "popup_group_waiting_popups", .gauge, "Popups that wait in the group.",
            states.map { group, state in ("group", group, UInt64(state?.waiting ?? 0)) })
    }

    private func answer(_ request: GatewayRequest) async throws(Problem) -> GatewayResponse {
        let route = try Route(method: request.method, path: request.path)
        let table = tokens.withLock { $0 }
        var sender = Self.secret(in: request).flatMap { table.token(secret: $0) }
        if case .hook(let name) = route, sender?.name.text != name {
            sender = table.signedHook(named: name, in: request)
        }
        guard let token = sender else { throw refusal(ofStranger: request) }
        // To an `EventSource`, a refusal would be the end.
        if !route.isStream {
            do {
                try budgets.take(for: token, rate: settings.requests)
            } catch {
                metrics.count(.requests)
                throw error
            }
        }
        let call = Call(gateway: self, token: token, request: request)
        do {
            return try await call.respond(to: route)
        } catch {
            throw Problem(failure: error)
        }
    }

    /// Returns the token in a request, from its headers or its cookie; `nil` if there is none.
    private static func secret(in request: GatewayRequest) -> String? {
        AccessToken.secret(authorization: request.headers["authorization"]) ?? SessionCookie.secret(in: request)
    }

    /// Counts a request without a known token, and returns its refusal.
    private func refusal(ofStranger request: GatewayRequest) -> Problem {
        let hasToken = Self.secret(in: request) != nil
        metrics.count(hasToken ? .unknown : .missing)
        if let address = request.address {
            do {
                try addresses.countStranger(address, hasToken: hasToken, rate: settings.requestsPerAddress)
            } catch {
                metrics.count(.address)
                return error
            }
        }
        return Problem(
            401, "UNAUTHENTICATED", "send `Authorization: Bearer TOKEN` with a token that the gateway knows")
    }

    private func checkHost(of request: GatewayRequest, _ hosts: Set<String>) throws(Problem) {
        let host = request.headers["host"] ?? ""
        let isPort = host.last != "]" && host.contains(":")
        let name = isPort ? host[..<(host.lastIndex(of: ":") ?? host.endIndex)] : host[...]
        guard hosts.contains(name.lowercased()) else {
            throw Problem(421, "MISDIRECTED", "the gateway does not serve the host `\(name)`; list it in `http.hosts`")
        }
    }

    private func allowedOrigin(of request: GatewayRequest, _ settings: Settings) -> String? {
        guard let origin = request.headers["origin"], origin != "null" else { return nil }
        if settings.origins.contains("*") { return "*" }
        return settings.origins.contains(origin) ? origin : nil
    }

    private func preflight(_ request: GatewayRequest, _ settings: Settings) -> GatewayResponse? {
        guard request.method == "OPTIONS", let origin = allowedOrigin(of: request, settings) else { return nil }
        var response = GatewayResponse(status: 204, json: [])
        response.headers["Access-Control-Allow-Origin"] = origin
        response.headers["Access-Control-Allow-Methods"] = "GET, POST, PUT, PATCH, DELETE"
        response.headers["Access-Control-Allow-Headers"] =
            "Authorization, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID, X-Request-Id"
        response.headers["Access-Control-Max-Age"] = "600"
        response.headers["Vary"] = "Origin"
        return response
    }
}
