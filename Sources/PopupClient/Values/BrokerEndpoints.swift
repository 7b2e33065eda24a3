/// Where a broker is.
public struct BrokerEndpoints: Hashable, Sendable {
    /// Where commands go in.
    public var ingress: String
    /// Where states, events and replies come out.
    public var egress: String

    /// Those of a broker on this machine, as it is without configuration.
    public static let standard = BrokerEndpoints(ingress: "tcp://127.0.0.1:5570", egress: "tcp://127.0.0.1:5571")

    /// Names the variable of the environment that holds the ingress endpoint.
    public static let ingressVariable = "POPUP_BROKER_INGRESS"
    /// Names the variable of the environment that holds the egress endpoint.
    public static let egressVariable = "POPUP_BROKER_EGRESS"

    /// Endpoints as ZeroMQ writes them: `tcp://host:port` or `ipc://path`.
    public init(ingress: String, egress: String) {
        self.ingress = ingress
        self.egress = egress
    }

    /// The standard ones, where an environment does not name others.
    public init(environment: [String: String]) {
        ingress = environment[Self.ingressVariable] ?? Self.standard.ingress
        egress = environment[Self.egressVariable] ?? Self.standard.egress
    }
}
