internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
public import Logging
internal import NIOCore
internal import NIOPosix
internal import PopupClient
public import PopupGateway
internal import ServiceLifecycle
internal import Supervision
internal import UnixSignals

/// The gateway over HTTP: two listeners, the file of tokens, and signals.
public struct GatewayServer: Sendable {
    private let configuration: GatewayConfiguration
    private let load: @Sendable () throws -> GatewayConfiguration
    private let logger: Logger

    /// Creates a server.
    ///
    /// - Parameter load: Reads the configuration again, on SIGHUP. It refuses a pipe.
    public init(
        _ configuration: GatewayConfiguration, logger: Logger,
        load: @escaping @Sendable () throws -> GatewayConfiguration
    ) {
        self.configuration = configuration
        self.load = load
        self.logger = logger
    }

    /// Whether there is a file of tokens.
    public static func hasTokens(_ configuration: GatewayConfiguration) -> Bool {
        FileManager.default.fileExists(atPath: configuration.tokens)
    }

    /// Reads the file of tokens. Without the file there are no tokens, and every request is refused.
    ///
    /// - Parameter again: Whether it was read before: then a pipe would be empty.
    /// - Throws: `GatewayConfiguration.Mistake`, which names the file.
    public static func tokens(
        of configuration: GatewayConfiguration, again: Bool = false
    ) throws(GatewayConfiguration.Mistake) -> TokenTable {
        guard hasTokens(configuration) else { return TokenTable() }
        let path = configuration.tokens
        let text = try ServiceFile(path, largestSize: TokensFile.largestSize).gatewayText(again: again)
        do throws(GatewayConfiguration.Mistake) {
            return TokenTable(try TokensFile.tokens(yaml: text, again: again))
        } catch {
            throw error.within(path)
        }
    }

    /// Logs that nobody can come in if there is no file of tokens.
    fileprivate static func warnWithoutTokens(_ configuration: GatewayConfiguration, _ logger: Logger) {
        guard !hasTokens(configuration) else { return }
        logger.warning(
            """
            there is no file of tokens `\(configuration.tokens)`: every request is refused until it is there and SIGHUP \
            makes the gateway read it; `popup-gateway token new --tokens FILE` makes one
            """)
    }

    /// Reads the themes of the overlay.
    ///
    /// - Throws: `GatewayConfiguration.Mistake`, which names the directory or the file.
    public static func themes(
        of configuration: GatewayConfiguration
    ) throws(GatewayConfiguration.Mistake) -> [String: OverlayTheme] {
        try ThemesDirectory.themes(at: configuration.themes)
    }

    /// Serves until SIGTERM or SIGINT; SIGHUP reads configuration and tokens again. Calls `onReady` with the addresses of
    /// both listeners when they accept connections.
    ///
    /// - Throws: `ListenError` for an address that cannot be used; `GatewayConfiguration.Mistake`; `ClientError`.
    public func run(
        onReady: @escaping @Sendable (_ http: ListenAddress, _ admin: ListenAddress) -> Void
    ) async throws {
        let manager = serviceManager()
        manager?.notifyStarting("Starting")
        let tokens = try Self.tokens(of: configuration)
        Self.warnWithoutTokens(configuration, logger)
        let files = OpenFilesLimit(logger)
        var settings = files.settings(of: configuration)
        settings.themes = try Self.themes(of: configuration)
        let gateway: Gateway
        let connection: BrokerConnection
        let logger = logger
        do throws(ClientError) {
            let endpoints = configuration.broker
            connection = try BrokerConnection(endpoints, limits: Gateway.clientLimits)
            gateway = try Gateway(
                connection, tokens: tokens, settings: settings, policyTrial: configuration.policyTrial,
                warn: { logger.warning("\($0)") }
            ) { () throws(ClientError) in try BrokerConnection(endpoints) }
        } catch {
            switch error {
            // These are there after a restart, too.
            case .keyFile, .incompleteKeys: throw GatewayConfiguration.Mistake("`broker`: \(error)")
            default: throw error
            }
        }
        let addresses = Addresses { http, admin in
            manager?.notifyReady("Ready at \(http.url)")
            onReady(http, admin)
        }
        let proxies = Set(configuration.proxies)
        let responses = ResponsesInProgress()
        let application = Listener(
            endpoint: try publicEndpoint(),
            responder: PublicResponder(
                gateway: gateway, proxies: proxies, hasLocalProxy: configuration.hasLocalProxy),
            name: Self.serverName,
            channel: HTTP1Channel.Configuration(
                additionalChannelHandlers: [
                    ConnectionLimit(gateway, proxies: proxies), RequestTimes(onSlow: { gateway.countSlowRequest() }),
                    Departure(stall: gateway.settings.stall),
                ], httpDecoderConfiguration: Self.headLimits),
            responses: responses, logger: logger, onListening: { addresses.set(http: $0) })
        // The limit of connections is that of the public listener: health must answer when it is reached.
        let admin = Listener(
            endpoint: .address(configuration.admin, key: "admin.listen"),
            responder: AdminResponder(gateway: gateway, localHosts: configuration.admin.localHosts),
            name: Self.serverName,
            channel: HTTP1Channel.Configuration(
                additionalChannelHandlers: [RequestTimes(onSlow: { gateway.countSlowRequest() })],
                httpDecoderConfiguration: Self.headLimits),
            responses: responses, logger: logger, onListening: { addresses.set(admin: $0) })
        // Services end in the opposite order: the streams first.
        let background = Background(
            gateway: gateway, responses: responses, configuration: configuration, files: files, load: load,
            manager: manager, logger: logger)
        var group = ServiceGroupConfiguration(
            services: [admin, application, background], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        group.maximumGracefulShutdownDuration = Duration.milliseconds(configuration.drainMs + 5000)
        try await ServiceGroup(configuration: group).run()
        await gateway.closeSeparateConnections()
        await connection.close()
    }

    /// Returns the service manager that waits for notifications. A gateway that cannot notify it runs nevertheless.
    private func serviceManager() -> ServiceManager? {
        do throws(SupervisionError) {
            return try ServiceManager(environment: ProcessInfo.processInfo.environment)
        } catch {
            logger.error("the service manager is not notified: \(error)")
            return nil
        }
    }

    /// Returns that at which everybody is served: the socket that the service manager has opened, or the address of the
    /// configuration.
    ///
    /// - Throws: `SupervisionError` if the service manager has opened several; `ListenError` if it has opened none, and the
    ///   configuration needs one.
    private func publicEndpoint() throws -> Listener<PublicResponder>.Endpoint {
        if let socket = try InheritedSockets.listener(environment: ProcessInfo.processInfo.environment) {
            return .inherited(socket)
        }
        guard !configuration.needsInheritedSocket else {
            throw ListenError(
                "`http.listen` is systemd, but systemd has opened no socket for this process; start it by its socket "
                    + "unit (popup-gateway.socket), or set an address")
        }
        return .address(configuration.listen, key: "http.listen")
    }

    private static let serverName = "popup-gateway"
    /// The limits of a request's head.
    private static let headLimits = HTTP1Channel.Configuration.DecoderConfiguration(
        maxHeaderFieldSize: 16 * 1024, maxHeaderListSize: 16 * 1024, maxHeaderFieldCount: 200)
}

/// The limit of open files, which each connection takes one of.
private struct OpenFilesLimit: Sendable {
    private let limit: UInt64?
    private let logger: Logger

    /// Raises the limit as far as possible without privileges.
    init(_ logger: Logger) {
        self.logger = logger
        do throws(SupervisionError) {
            limit = try OpenFiles.raiseLimit()
        } catch {
            limit = nil
            logger.warning("\(error)")
        }
    }

    /// Returns the settings of a configuration, with no more connections than there can be open files: a listener that has
    /// no descriptor left accepts nobody, and says nothing. Logs if those are fewer than the configuration wants.
    func settings(of configuration: GatewayConfiguration) -> Gateway.Settings {
        var settings = configuration.gatewaySettings
        guard let limit else { return settings }
        let most = max(Self.fewestConnections, Int(limit) - Self.otherFiles)
        let wanted = max(settings.streams, configuration.connections ?? 0)
        if most < wanted {
            let key = wanted == settings.streams ? "limits.streams" : "limits.connections"
            logger.warning(
                """
                the limit of open files is \(limit), but `\(key)` needs \(wanted + Self.otherFiles); raise it \
                (LimitNOFILE=). Until then, at most \(most) connections are accepted
                """)
        }
        settings.connections = min(settings.connections, most)
        return settings
    }

    /// The number of open files besides connections: listeners, pages of `/proc`, and the connections to the broker, of
    /// which each token with `separate: true` has one. ZeroMQ opens about 14 files for each of these.
    private static let otherFiles = 256 + 16 * (AccessToken.maxSeparate + 1)
    private static let fewestConnections = 16
}

/// The addresses of the listeners, reported when both are known.
private actor Addresses {
    private var addresses: (http: ListenAddress?, admin: ListenAddress?)
    private let onReady: @Sendable (ListenAddress, ListenAddress) -> Void

    init(_ onReady: @escaping @Sendable (ListenAddress, ListenAddress) -> Void) {
        self.onReady = onReady
    }

    nonisolated func set(http address: ListenAddress) { Task { await record(address, nil) } }
    nonisolated func set(admin address: ListenAddress) { Task { await record(nil, address) } }

    private func record(_ http: ListenAddress?, _ admin: ListenAddress?) {
        addresses = (http ?? addresses.http, admin ?? addresses.admin)
        if let http = addresses.http, let admin = addresses.admin { onReady(http, admin) }
    }
}

/// The tasks that run in addition to the listeners: the checks of connection and streams, and the signals.
private struct Background: Service {
    let gateway: Gateway
    let responses: ResponsesInProgress
    let configuration: GatewayConfiguration
    let files: OpenFilesLimit
    let load: @Sendable () throws -> GatewayConfiguration
    let manager: ServiceManager?
    let logger: Logger

    func run() async throws {
        let hangups = await UnixSignalsSequence(trapping: .sighup)
        let tasks = [
            Task { await gateway.run() },
            Task { for await _ in hangups { reload() } },
            Task { await beat() },
        ]
        // Until SIGTERM or SIGINT.
        try? await gracefulShutdown()
        manager?.notifyStopping()
        await gateway.drain(over: .milliseconds(configuration.drainMs))
        // The listeners would wait for them.
        await responses.finish(within: Self.lastWrites)
        for task in tasks { task.cancel() }
    }

    /// The time that the last bytes of responses have after the drain.
    private static let lastWrites: Duration = .seconds(1)

    private func reload() {
        manager?.notifyReloading()
        do {
            let loaded = try load()
            let tokens = try GatewayServer.tokens(of: configuration, again: true)
            let next = configuration.reloaded(from: loaded)
            var settings = files.settings(of: next)
            settings.themes = try GatewayServer.themes(of: next)
            try gateway.setTokens(tokens)
            GatewayServer.warnWithoutTokens(configuration, logger)
            gateway.setSettings(settings)
            let fixed = loaded.fixedKeys(differingFrom: configuration)
            if !fixed.isEmpty {
                logger.warning("\(fixed.joined(separator: ", ")) changed: that takes effect when the gateway restarts")
            }
            logger.info("configuration and tokens are read again")
            manager?.notifyReady("Ready, with the configuration and tokens that were read again")
        } catch {
            logger.error("configuration and tokens stay as they were: \(error)")
            manager?.notifyReady(
                "Ready, with the previous configuration and tokens: a file has a mistake; see the log")
        }
    }

    /// Tells the service manager's watchdog that no event loop and no pool of threads hangs, until the task is cancelled.
    private func beat() async {
        guard let manager, let watchdog = manager.watchdogMicroseconds else { return }
        while !Task.isCancelled {
            if await MultiThreadedEventLoopGroup.singleton.hangingLoops() == 0 { manager.beat() }
            try? await Task.sleep(for: .microseconds(watchdog / 3))
        }
    }
}

private struct PublicResponder: HTTPResponder {
    typealias Context = ConnectionContext

    let gateway: Gateway
    let proxies: Set<IPAddress>
    let hasLocalProxy: Bool

    func respond(to request: Request, context: ConnectionContext) async throws -> Response {
        let head = GatewayRequest(request, from: client(of: request, context))
        let departure = try await context.channel.pipeline.handler(type: Departure.self).get()
        guard head.mayTakeLong || head.isForStream else {
            return Response(try await answer(request, head), to: request, on: context.channel, departure)
        }
        // A task of its own: a task keeps the stack of its deepest calls until it ends, and the task of a connection lasts as
        // long as its streams. A client that leaves must release its reservation, and nothing more is sent for it.
        let answering = Task { try await answer(request, head) }
        if head.mayTakeLong { departure.expect { _ in answering.cancel() } }
        defer { departure.expect(nil) }
        let response = try await withTaskCancellationHandler {
            try await answering.value
        } onCancel: {
            answering.cancel()
        }
        return Response(response, to: request, on: context.channel, departure)
    }

    /// Returns the response to a request, whose body is read only if it may have an effect.
    private func answer(_ request: Request, _ head: GatewayRequest) async throws -> GatewayResponse {
        if let refusal = await gateway.respond(toHeadOf: head) { return refusal }
        let limit = head.path == "/v1/commands" ? Self.batchBytes : Self.bodyBytes
        return try await gateway.respond(to: head, receivingAtMost: min(limit, head.announcedBytes)) {
            do {
                return Array(try await request.body.collect(upTo: limit).readableBytesView)
            } catch is NIOTooManyBytesError {
                throw Problem(413, "TOO_LARGE", "the body has more than \(limit) bytes")
            }
        }
    }

    /// Returns the client: as a trusted proxy says, otherwise the peer.
    private func client(of request: Request, _ context: ConnectionContext) -> Client {
        let peer = context.channel.remoteAddress.flatMap(IPAddress.init)
        guard peer.map(proxies.contains) ?? hasLocalProxy else { return Client(address: peer, isSecure: false) }
        // Each proxy adds what it knows of its peer to the end.
        let (address, scheme) = (last(.xForwardedFor, of: request), last(.xForwardedProto, of: request))
        return Client(address: address.flatMap { IPAddress($0) } ?? peer, isSecure: scheme?.lowercased() == "https")
    }

    private func last(_ name: HTTPField.Name, of request: Request) -> String? {
        request.headers[values: name].last?.split(separator: ",").last?.trimmingCharacters(in: .whitespaces)
    }

    private static let bodyBytes = 192 * 1024
    private static let batchBytes = 1024 * 1024
}

/// The client of a request, which may be behind a proxy.
private struct Client {
    /// Its address; `nil` for a program at a Unix socket.
    var address: IPAddress?
    /// Whether it has sent the request over TLS.
    var isSecure: Bool
}

private struct AdminResponder: HTTPResponder {
    typealias Context = ConnectionContext

    let gateway: Gateway
    /// The names of an address that only this machine reaches; `nil` for another one.
    let localHosts: Set<String>?

    func respond(to request: Request, context: ConnectionContext) async throws -> Response {
        let asked = GatewayRequest(request)
        let usage = asked.path == "/metrics" ? ProcessUsage.current : nil
        let loops = asked.path == "/livez" ? await MultiThreadedEventLoopGroup.singleton.hangingLoops() : 0
        return Response(
            await gateway.respondToAdmin(asked, usage, hangingLoops: loops, localHosts: localHosts), to: request,
            on: context.channel)
    }
}

extension GatewayRequest {
    /// Creates the request of a head, without its body.
    fileprivate init(_ request: Request, from client: Client? = nil) {
        var headers: [String: String] = [:]
        for field in request.headers { headers[field.name.canonicalName] = field.value }
        let codings = request.headers[values: .transferEncoding]
        if codings.count > 1 { headers["transfer-encoding"] = codings.joined(separator: ", ") }
        headers["host"] = request.head.authority
        self.init(
            request.method.rawValue, request.head.path ?? "/", headers: headers,
            address: client?.address.flatMap { ClientAddress(bytes: $0.bytes) }, isSecure: client?.isSecure ?? false)
    }
}

extension Response {
    /// Creates the response to a request of a connection.
    init(
        _ response: GatewayResponse, to request: Request, on channel: any NIOCore.Channel,
        _ departure: Departure? = nil
    ) {
        var headers = HTTPFields()
        for (name, value) in response.headers {
            if let name = HTTPField.Name(name) { headers[name] = value }
        }
        for cookie in response.cookies { headers.append(HTTPField(name: .setCookie, value: cookie)) }
        let body: ResponseBody =
            switch response.body {
            // The client would take any bytes after the head for its next response. Their number is that of GET.
            case .bytes(let bytes) where request.method == .head:
                ResponseBody(contentLength: bytes.count) { try await $0.finish(nil) }
            case .bytes(let bytes): ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
            case .stream(let stream):
                ResponseBody { writer in
                    departure?.expect { stream.cut(hasTimedOut: $0) }
                    defer { departure?.expect(nil) }
                    try await StreamWriter(stream, to: channel).run()
                    try await writer.finish(nil)
                }
            }
        self.init(status: HTTPResponse.Status(code: response.status), headers: headers, body: body)
    }
}
