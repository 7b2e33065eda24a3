import ZeroMQ

/// The endpoints of a broker, and the files of the keys for CURVE.
public struct BrokerEndpoints: Hashable, Sendable {
    /// The endpoint for commands.
    public var ingress: String
    /// The endpoint for states, events and replies.
    public var egress: String

    /// The file of the client's secret key; `nil` for plain TCP endpoints. See `serverKeyFile`.
    public var keyFile: String?
    /// The file of the broker's public key. With it and `keyFile`, TCP endpoints speak CURVE.
    public var serverKeyFile: String?

    /// The default endpoints, on this machine.
    public static let standard = BrokerEndpoints(ingress: "tcp://127.0.0.1:5570", egress: "tcp://127.0.0.1:5571")

    /// The environment variable for the ingress endpoint.
    public static let ingressVariable = "POPUP_BROKER_INGRESS"
    /// The environment variable for the egress endpoint.
    public static let egressVariable = "POPUP_BROKER_EGRESS"

    /// The environment variable for the file of the client's secret key.
    public static let keyVariable = "POPUP_BROKER_KEY"
    /// The environment variable for the file of the broker's public key.
    public static let serverKeyVariable = "POPUP_BROKER_SERVER_KEY"

    /// Creates endpoints in the form of ZeroMQ: `tcp://host:port` or `ipc://path`.
    public init(ingress: String, egress: String, keyFile: String? = nil, serverKeyFile: String? = nil) {
        self.ingress = ingress
        self.egress = egress
        self.keyFile = keyFile
        self.serverKeyFile = serverKeyFile
    }

    /// Creates the endpoints and key files that an environment names, otherwise the default endpoints without keys.
    public init(environment: [String: String]) {
        ingress = environment[Self.ingressVariable] ?? Self.standard.ingress
        egress = environment[Self.egressVariable] ?? Self.standard.egress
        keyFile = environment[Self.keyVariable]
        serverKeyFile = environment[Self.serverKeyVariable]
    }
}

/// The keys of a connection.
struct ClientKeys {
    private let own: CurveKeyPair
    private let server: CurvePublicKey

    /// Reads the keys from their files; `nil` without files.
    ///
    /// - Throws: `ClientError.keyFile`, `incompleteKeys`.
    init?(_ endpoints: BrokerEndpoints) throws(ClientError) {
        switch (endpoints.keyFile, endpoints.serverKeyFile) {
        case (nil, nil), ("", ""), (nil, ""), ("", nil): return nil
        case (let keyFile?, let serverKeyFile?) where !keyFile.isEmpty && !serverKeyFile.isEmpty:
            do throws(KeyFile.Failure) {
                own = try KeyFile(keyFile).keyPair()
                server = try KeyFile(serverKeyFile).publicKey()
            } catch {
                throw .keyFile(error)
            }
        default: throw .incompleteKeys
        }
    }

    /// Returns the options of a socket that connects to an endpoint. Transports other than TCP use no keys.
    func options(for endpoint: String) -> [SocketOption] {
        endpoint.hasPrefix("tcp://") ? [.curveClient(own, server: server)] : []
    }
}
