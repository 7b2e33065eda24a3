public import ArgumentParser
public import PopupClient

/// Where the broker is and with which keys it is reached, as the examples take it from the command line.
public struct EndpointOptions: ParsableArguments, Sendable {
    /// Where commands go in.
    @Option(
        help: ArgumentHelp(
            "Where the broker takes commands (default: $\(BrokerEndpoints.ingressVariable), else \(BrokerEndpoints.standard.ingress)).",
            valueName: "endpoint"))
    public var ingress: String?

    /// Where states and events come out.
    @Option(
        help: ArgumentHelp(
            "Where it sends states and events (default: $\(BrokerEndpoints.egressVariable), else \(BrokerEndpoints.standard.egress)).",
            valueName: "endpoint"))
    public var egress: String?

    /// The file of one's own secret key.
    @Option(
        help: ArgumentHelp(
            "The file of your secret key, for a broker with keys (default: $\(BrokerEndpoints.keyVariable)).",
            valueName: "file"))
    public var key: String?

    /// The file of the broker's public key.
    @Option(
        help: ArgumentHelp(
            "The file of the broker's public key (default: $\(BrokerEndpoints.serverKeyVariable)).", valueName: "file"))
    public var serverKey: String?

    /// Needed by the parser.
    public init() {}

    /// The endpoints and keys: of the command line, else of the environment, else the standard ones.
    public func endpoints(environment: [String: String]) -> BrokerEndpoints {
        var endpoints = BrokerEndpoints(environment: environment)
        if let ingress { endpoints.ingress = ingress }
        if let egress { endpoints.egress = egress }
        if let key { endpoints.keyFile = key }
        if let serverKey { endpoints.serverKeyFile = serverKey }
        return endpoints
    }
}
