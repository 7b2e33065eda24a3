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
    /// - Parameter load: Reads the configuration again, on SIGHUP.
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
    /// - Throws: `GatewayConfiguration.Mistake`.
    public static func tokens(of configuration: GatewayConfiguration) throws(GatewayConfiguration.Mistake) -> TokenTable
    {
        guard hasTokens(configuration) else { return TokenTable() }
        let text: String
        do { text = try String(contentsOfFile: configuration.tokens, encoding: .utf8) } catch {
            throw GatewayConfiguration.Mistake("the file `\(configuration.tokens)` cannot be read: \(error)")
        }
        return TokenTable(try TokensFile.tokens(yaml: text))
    }

    /// Serves until SIGTERM or SIGINT; SIGHUP reads configuration and tokens again. Calls `onReady` with the ports of both listeners
    /// when they accept connections.
    ///
    /// - Throws: `ListenError` for an address that cannot be used; `GatewayConfiguration.Mistake`; `ClientError`.
    public func run(onReady: @escaping @Sendable (_ port: Int, _ adminPort: Int) -> Void) async throws {
        let manager = serviceManager()
        manager?.notifyStarting("Starting")
        raiseLimitOfFiles()
        let connection = try BrokerConnection(configuration.broker, limits: Gateway.clientLimits)
        let gateway = try Gateway(
            connection, tokens: try Self.tokens(of: configuration), settings: configuration.gatewaySettings,
            policyTrial: configuration.policyTrial)
        let ports = Ports { port, adminPort in
            manager?.notifyReady("Ready at \(configuration.listen.text(port: port))")
            onReady(port, adminPort)
        }
        let (proxies, stallMs) = (Set(configuration.proxies), configuration.stallMs)
        let channel = HTTP1Channel.Configuration(
            additionalChannelHandlers: [
                AddressLimit(gateway, proxies: proxies), RequestTimes(onSlow: { gateway.countSlowRequest() }),
                Departure(stall: .milliseconds(stallMs)),
            ], httpDecoderConfiguration: Self.heads)
        let application = Listener(
            place: try publicPlace(),
            responder: PublicResponder(
                gateway: gateway, proxies: proxies, hasLocalProxy: configuration.hasLocalProxy),
            name: Self.serverName, channel: channel, logger: logger, onPort: { ports.set(public: $0) })
        let admin = Listener(
            place: .address(configuration.admin, key: "admin.listen"), responder: AdminResponder(gateway: gateway),
            name: Self.serverName, channel: channel, logger: logger, onPort: { ports.set(admin: $0) })
        // Services end in the opposite order: the streams first.
        let background = Background(
            gateway: gateway, configuration: configuration, load: load, manager: manager, logger: logger)
        var group = ServiceGroupConfiguration(
            services: [admin, application, background], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        group.maximumGracefulShutdownDuration = Duration.milliseconds(configuration.drainMs + 5000)
        try await ServiceGroup(configuration: group).run()
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

    /// Raises the limit of open files: each stream needs one.
    private func raiseLimitOfFiles() {
        do throws(SupervisionError) {
            guard let limit = try OpenFiles.raiseLimit() else { return }
            let needed = UInt64(configuration.streams + Self.filesBesideStreams)
            if limit < needed {
                logger.warning(
                    "the limit of open files is \(limit), but `limits.streams` needs \(needed); raise it (LimitNOFILE=)"
                )
            }
        } catch {
            logger.warning("\(error)")
        }
    }

    /// The number of open files besides streams: listeners, the broker, requests.
    private static let filesBesideStreams = 256

    /// Returns the place for everybody: the socket that the service manager has opened, or the address of the
    /// configuration.
    ///
    /// - Throws: `SupervisionError` if the service manager has opened several.
    private func publicPlace() throws(SupervisionError) -> Listener<PublicResponder>.Place {
        let socket = try InheritedSockets.listener(environment: ProcessInfo.processInfo.environment)
        return socket.map { .inherited($0) } ?? .address(configuration.listen, key: "http.listen")
    }

    private static let serverName = "popup-gateway"
    /// The limits of a request's head.
    private static let heads = HTTP1Channel.Configuration.DecoderConfiguration(
        maxHeaderFieldSize: 16 * 1024, maxHeaderListSize: 16 * 1024, maxHeaderFieldCount: 200)
}

/// The ports of the listeners, reported when both are known.
private actor Ports {
    private var ports: (public: Int?, admin: Int?)
    private let onReady: @Sendable (Int, Int) -> Void

    init(_ onReady: @escaping @Sendable (Int, Int) -> Void) {
        self.onReady = onReady
    }

    nonisolated func set(public port: Int) { Task { await record(port, nil) } }
    nonisolated func set(admin port: Int) { Task { await record(nil, port) } }

    private func record(_ port: Int?, _ adminPort: Int?) {
        ports = (port ?? ports.public, adminPort ?? ports.admin)
        if let port = ports.public, let admin = ports.admin { onReady(port, admin) }
    }
}

/// The tasks that run in addition to the listeners: the checks of connection and streams, and the signals.
private struct Background: Service {
    let gateway: Gateway
    let configuration: GatewayConfiguration
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
        for task in tasks { task.cancel() }
    }

    private func reload() {
        manager?.notifyReloading()
        do {
            let loaded = try load()
            let tokens = try GatewayServer.tokens(of: configuration)
            gateway.setSettings(loaded.gatewaySettings)
            gateway.setTokens(tokens)
            let fixed = loaded.fixedKeys(differingFrom: configuration)
            if !fixed.isEmpty {
                logger.warning("\(fixed.joined(separator: ", ")) changed: that takes effect when the gateway restarts")
            }
            logger.info("configuration and tokens are read again")
            manager?.notifyReady("Ready, with the configuration and tokens that were read again")
        } catch {
            logger.error("configuration and tokens stay as they were: \(error)")
            manager?.notifyReady("Ready, with the previous tokens: a file has a mistake, which the log tells")
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
        let limit = request.head.path == "/v1/commands" ? Self.batchBytes : Self.bodyBytes
        let body: ByteBuffer
        do {
            body = try await request.body.collect(upTo: limit)
        } catch is NIOTooManyBytesError {
            let problem = Problem(413, "TOO_LARGE", "the body has more than \(limit) bytes")
            let asked = GatewayRequest(request, ByteBuffer(), from: address(of: request, context))
            return Response(await gateway.respond(to: asked, refusing: problem), to: request, on: context.channel)
        }
        let asked = GatewayRequest(request, body, from: address(of: request, context))
        let departure = try await context.channel.pipeline.handler(type: Departure.self).get()
        guard asked.query["wait"] != nil else {
            return Response(await gateway.respond(to: asked), to: request, on: context.channel, departure)
        }
        // A client that leaves must release its reservation.
        let answer = Task { await gateway.respond(to: asked) }
        departure.expect { answer.cancel() }
        defer { departure.expect(nil) }
        let response = await withTaskCancellationHandler {
            await answer.value
        } onCancel: {
            answer.cancel()
        }
        return Response(response, to: request, on: context.channel, departure)
    }

    /// Returns the address of the client: from a trusted proxy, otherwise that of the peer.
    private func address(of request: Request, _ context: ConnectionContext) -> IPAddress? {
        let peer = context.channel.remoteAddress.flatMap(IPAddress.init)
        guard peer.map(proxies.contains) ?? hasLocalProxy, let hops = request.headers[values: .xForwardedFor].last,
            let hop = hops.split(separator: ",").last
        else { return peer }
        // Each proxy adds the address of its peer to the end.
        return IPAddress(hop.trimmingCharacters(in: .whitespaces)) ?? peer
    }

    private static let bodyBytes = 192 * 1024
    private static let batchBytes = 1024 * 1024
}

private struct AdminResponder: HTTPResponder {
    typealias Context = ConnectionContext

    let gateway: Gateway

    func respond(to request: Request, context: ConnectionContext) async throws -> Response {
        let asked = GatewayRequest(request, ByteBuffer())
        let usage = asked.path == "/metrics" ? ProcessUsage.current : nil
        let loops = asked.path == "/livez" ? await MultiThreadedEventLoopGroup.singleton.hangingLoops() : 0
        return Response(
            await gateway.respondToAdmin(asked, usage, hangingLoops: loops), to: request, on: context.channel)
    }
}

extension GatewayRequest {
    fileprivate init(_ request: Request, _ body: ByteBuffer, from address: IPAddress? = nil) {
        var headers: [String: String] = [:]
        for field in request.headers { headers[field.name.canonicalName] = field.value }
        headers["host"] = request.head.authority
        self.init(
            request.method.rawValue, request.head.path ?? "/", headers: headers, body: Array(body.readableBytesView),
            address: address.flatMap { ClientAddress(bytes: $0.bytes) })
    }
}

extension Response {
    fileprivate init(
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
            // The client would take any bytes after the head for its next response.
            case .bytes where request.method == .head: ResponseBody()
            case .bytes(let bytes): ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
            case .stream(let stream):
                ResponseBody { writer in
                    departure?.expect { stream.cut() }
                    defer { departure?.expect(nil) }
                    try await stream.write(cut: { channel.close(promise: nil) }) { bytes in
                        try await writer.write(ByteBuffer(bytes: bytes))
                    }
                    try await writer.finish(nil)
                }
            }
        self.init(status: HTTPResponse.Status(code: response.status), headers: headers, body: body)
    }
}
