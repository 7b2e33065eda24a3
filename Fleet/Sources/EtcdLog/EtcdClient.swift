internal import GRPCCore
internal import GRPCNIOTransportHTTP2Posix
internal import GRPCProtobuf
internal import SwiftProtobuf
internal import Synchronization

/// The connections to the members of an etcd. A call has a deadline. After an error it is tried at the next member,
/// each of which is tried once.
///
/// A single member is tried twice: the HTTP/2 library closes a connection after 200 frames that it did not expect, and
/// etcd sends such frames, so connections are made again all the time.
final class EtcdClient: EtcdCalls {
    private struct Member: Sendable {
        let endpoint: EtcdEndpoint
        let client: GRPCClient<HTTP2ClientTransport.Posix>
        let connections: Task<Void, Never>
    }

    private let members: [Member]
    private let preferred = Mutex(0)

    /// Creates a client, which connects at once and again and again.
    ///
    /// - Throws: `EtcdProblem.setting` if the certificates cannot be used.
    init(_ settings: EtcdSettings) throws(EtcdProblem) {
        try settings.certificates?.check()
        var members: [Member] = []
        for endpoint in settings.endpoints {
            do {
                let client = GRPCClient(transport: try Self.transport(to: endpoint, settings.certificates))
                let connections = Task { _ = try? await client.runConnections() }
                members.append(Member(endpoint: endpoint, client: client, connections: connections))
            } catch {
                for member in members { member.client.beginGracefulShutdown() }
                throw settings.certificates?.problem(error) ?? .setting("\(endpoint) cannot be used: \(error)")
            }
        }
        self.members = members
    }

    deinit { close() }

    /// Ends the connections.
    func close() {
        for member in members {
            member.client.beginGracefulShutdown()
            member.connections.cancel()
        }
    }

    // MARK: - Calls

    /// Calls a method, and returns the answer.
    func call<Request: SwiftProtobuf.Message, Response: SwiftProtobuf.Message>(
        _ method: EtcdMethod<Request, Response>, _ request: Request, deadline: Duration
    ) async throws(EtcdFailure) -> Response {
        let clock = ContinuousClock()
        let end = clock.now.advanced(by: deadline)
        // A member that has stopped must leave time for another one.
        let share = members.count > 1 ? deadline / 2 : deadline
        var attempts = 0
        while true {
            let number = preferred.withLock { $0 }
            attempts += 1
            do {
                let time = min(share, max(.milliseconds(1), clock.now.duration(to: end)))
                return try await attempt(method, request, at: members[number], within: time)
            } catch {
                pass(by: number)
                guard attempts < max(2, members.count), clock.now < end else { throw error }
                // A lone member's new connection, or a member that is being restarted.
                try? await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    /// Calls a method of each member, and returns the answers in the order of the members; `nil` for one that does not answer.
    func callEach<Request: SwiftProtobuf.Message, Response: SwiftProtobuf.Message>(
        _ method: EtcdMethod<Request, Response>, _ request: Request, deadline: Duration
    ) async -> [(endpoint: EtcdEndpoint, answer: Response?)] {
        await withTaskGroup(of: (Int, Response?).self) { group in
            for (number, member) in members.enumerated() {
                group.addTask { (number, try? await self.attempt(method, request, at: member, within: deadline)) }
            }
            var answers = members.map { (endpoint: $0.endpoint, answer: Response?.none) }
            for await (number, answer) in group { answers[number].answer = answer }
            return answers
        }
    }

    private func attempt<Request: SwiftProtobuf.Message, Response: SwiftProtobuf.Message>(
        _ method: EtcdMethod<Request, Response>, _ request: Request, at member: Member, within time: Duration
    ) async throws(EtcdFailure) -> Response {
        var options = Self.options
        options.timeout = time
        do {
            return try await member.client.unary(
                request: ClientRequest(message: request, metadata: ["hasleader": "true"]),
                descriptor: method.descriptor, serializer: ProtobufSerializer<Request>(),
                deserializer: ProtobufDeserializer<Response>(), options: options
            ) { try $0.message }
        } catch let error as RPCError {
            throw EtcdFailure(error, at: member.endpoint)
        } catch {
            throw EtcdFailure(endpoint: member.endpoint, code: .unknown, message: "\(error)")
        }
    }

    /// Prefers the next member, unless somebody has done so since.
    private func pass(by number: Int) {
        preferred.withLock { if $0 == number { $0 = (number + 1) % members.count } }
    }

    // MARK: - Watches

    /// Watches a range of keys from now on, until the stream ends or fails.
    func watch(
        _ request: Etcdserverpb_WatchCreateRequest, _ body: @escaping @Sendable (Etcdserverpb_WatchResponse) -> Void
    ) async {
        let number = preferred.withLock { $0 }
        let creation = Etcdserverpb_WatchRequest.with { $0.createRequest = request }
        do {
            try await members[number].client.bidirectionalStreaming(
                request: StreamingClientRequest(metadata: ["hasleader": "true"]) { writer in
                    try await writer.write(creation)
                    // etcd ends the watch when the client has nothing more to say.
                    while !Task.isCancelled { try await Task.sleep(for: .seconds(3600)) }
                },
                descriptor: EtcdMethod<Etcdserverpb_WatchRequest, Etcdserverpb_WatchResponse>.watch.descriptor,
                serializer: ProtobufSerializer<Etcdserverpb_WatchRequest>(),
                deserializer: ProtobufDeserializer<Etcdserverpb_WatchResponse>(), options: Self.options
            ) { response in
                for try await answer in response.messages {
                    if answer.canceled { return }
                    body(answer)
                }
            }
        } catch {
            pass(by: number)
        }
    }

    // MARK: - Connections

    /// The options of each call: an answer may be as large as a page of the largest entries.
    private static var options: CallOptions {
        var options = CallOptions.defaults
        options.maxResponseMessageBytes = EtcdLimits.answerBytes
        // grpc-swift-nio-transport 2.9 compares the size of an answer with the limit of requests.
        options.maxRequestMessageBytes = EtcdLimits.answerBytes
        return options
    }

    private static func transport(
        to endpoint: EtcdEndpoint, _ certificates: EtcdSettings.Certificates?
    ) throws -> HTTP2ClientTransport.Posix {
        var security = HTTP2ClientTransport.Posix.TransportSecurity.plaintext
        if let certificates {
            security = .mTLS(
                certificateChain: [.file(path: certificates.certificate, format: .pem)],
                privateKey: .file(path: certificates.key, format: .pem)
            ) {
                $0.trustRoots = .certificates([.file(path: certificates.authorities, format: .pem)])
            }
        }
        let configuration = HTTP2ClientTransport.Posix.Config.defaults {
            $0.backoff = .init(initial: .milliseconds(100), max: .seconds(1), multiplier: 1.6, jitter: 0.2)
            // A connection whose other end has gone without a word. etcd allows one ping in five seconds.
            $0.connection.keepalive = .init(time: .seconds(6), timeout: .seconds(2), allowWithoutCalls: false)
            $0.connection.maxIdleTime = nil
        }
        return try HTTP2ClientTransport.Posix(
            target: target(of: endpoint), transportSecurity: security, config: configuration)
    }

    private static func target(of endpoint: EtcdEndpoint) -> any ResolvableTarget {
        if endpoint.host.contains(":") { return .ipv6(address: endpoint.host, port: endpoint.port) }
        let parts = endpoint.host.split(separator: ".", omittingEmptySubsequences: false)
        if parts.count == 4, parts.allSatisfy({ UInt8($0) != nil }) {
            return .ipv4(address: endpoint.host, port: endpoint.port)
        }
        return .dns(host: endpoint.host, port: endpoint.port)
    }
}
