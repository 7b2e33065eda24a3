/// The endpoints of a broker.
public struct BrokerEndpoints: Hashable, Sendable {
    /// The endpoint for commands.
    public var ingress: String
    /// The endpoint for states, events and replies.
    public var egress: String

    /// The default endpoints, on this machine.
    public static let standard = BrokerEndpoints(ingress: "tcp://127.0.0.1:5570", egress: "tcp://127.0.0.1:5571")

    /// The environment variable for the ingress endpoint.
    public static let ingressVariable = "POPUP_BROKER_INGRESS"
    /// The environment variable for the egress endpoint.
    public static let egressVariable = "POPUP_BROKER_EGRESS"

    /// Creates endpoints in the form of ZeroMQ: `tcp://host:port` or `ipc://path`.
    public init(ingress: String, egress: String) {
        self.ingress = ingress
        self.egress = egress
    }

    /// Creates the endpoints that an environment names, otherwise the default ones.
    public init(environment: [String: String]) {
        ingress = environment[Self.ingressVariable] ?? Self.standard.ingress
        egress = environment[Self.egressVariable] ?? Self.standard.egress
    }
}
