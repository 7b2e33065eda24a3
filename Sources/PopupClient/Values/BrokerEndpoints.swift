import PopupProtocol
import ZeroMQ

/// The endpoints of a broker, and the files of the keys for CURVE.
///
/// For a fleet, `ingress` and `egress` are lists separated by commas: the endpoints of all nodes, of which one is the
/// broker at a time.
public struct BrokerEndpoints: Hashable, Sendable {
    /// The endpoint for commands, or those of all nodes.
    public var ingress: String
    /// The endpoint for states, events and replies, or those of all nodes.
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

extension BrokerEndpoints {
    /// Returns a sentence for each variable of an environment that is nearly one of a client: probably a misspelt one.
    ///
    /// - Parameters:
    ///   - environment: The variables to look at, such as those of the process.
    ///   - others: The other variables that the program reads.
    public static func warnings(about environment: [String: String], besides others: [String] = []) -> [String] {
        let known = [ingressVariable, egressVariable, keyVariable, serverKeyVariable, ShardDirectory.variable] + others
        return environment.keys.sorted().compactMap { name in
            let distances = known.map { (name: $0, distance: Suggestion.distance(name, $0)) }
            // A greater distance than that of a slip is that of a setting of the broker.
            guard let meant = distances.min(by: { $0.distance < $1.distance }), 1...2 ~= meant.distance else {
                return nil
            }
            return "the environment variable \(name) is not known; did you mean `\(meant.name)`?"
        }
    }

    /// Returns the endpoints in a list separated by commas.
    static func list(_ text: String) -> [String] {
        let parts = text.split(separator: ",").map { $0.drop { $0 == " " } }.map { part in
            String(part.reversed().drop { $0 == " " }.reversed())
        }
        let endpoints = parts.filter { !$0.isEmpty }
        // An empty text is told as an endpoint that cannot be used.
        return endpoints.isEmpty ? [text] : endpoints
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

    /// Returns the options of a socket that connects to endpoints. Transports other than TCP use no keys.
    func options(for endpoints: [String]) -> [SocketOption] {
        endpoints.contains { $0.hasPrefix("tcp://") } ? [.curveClient(own, server: server)] : []
    }
}
