public import ArgumentParser
public import PopupClient

/// Where the broker is, as the examples take it from the command line.
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

    /// Needed by the parser.
    public init() {}

    /// The endpoints: of the command line, else of the environment, else the standard ones.
    public func endpoints(environment: [String: String]) -> BrokerEndpoints {
        var endpoints = BrokerEndpoints(environment: environment)
        if let ingress { endpoints.ingress = ingress }
        if let egress { endpoints.egress = egress }
        return endpoints
    }
}
