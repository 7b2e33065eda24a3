public import ArgumentParser
public import PopupClient

/// The options for the endpoints of the broker and for the keys.
public struct EndpointOptions: ParsableArguments, Sendable {
    /// The endpoint for commands.
    @Option(
        help: ArgumentHelp(
            "Where the broker takes commands (default: $\(BrokerEndpoints.ingressVariable), else \(BrokerEndpoints.standard.ingress)).",
            valueName: "endpoint"))
    public var ingress: String?

    /// The endpoint for states and events.
    @Option(
        help: ArgumentHelp(
            "Where it sends states and events (default: $\(BrokerEndpoints.egressVariable), else \(BrokerEndpoints.standard.egress)).",
            valueName: "endpoint"))
    public var egress: String?

    /// The file of the client's own secret key.
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

    /// Creates empty options, as the parser needs them.
    public init() {}

    /// Returns the endpoints and keys: those of the command line, otherwise of the environment, otherwise the default
    /// ones.
    public func endpoints(environment: [String: String]) -> BrokerEndpoints {
        var endpoints = BrokerEndpoints(environment: environment)
        if let ingress { endpoints.ingress = ingress }
        if let egress { endpoints.egress = egress }
        if let key { endpoints.keyFile = key }
        if let serverKey { endpoints.serverKeyFile = serverKey }
        return endpoints
    }
}
