public import PopupClient
internal import PopupGateway
public import PopupProtocol
internal import Yams

/// The configuration of a gateway: a file of YAML, then the environment.
public struct GatewayConfiguration: Sendable {
    /// A mistake in the configuration, as a sentence.
    public struct Mistake: Error, CustomStringConvertible {
        /// The sentence: what is wrong, where, and what to do.
        public var description: String

        init(_ description: String) {
            self.description = description
        }

        /// Returns the mistake with the file in which it is; without one, as it is.
        public func within(_ path: String?) -> Mistake {
            Mistake(path.map { "\($0): \(description)" } ?? description)
        }
    }

    /// The public listener. A socket that the service manager has opened takes its place.
    public var listen = Self.standardListen
    /// Whether the public listener must be a socket that the service manager has opened.
    public var needsInheritedSocket = false
    /// The listener for health and metrics.
    public var admin = ListenAddress("127.0.0.1:8571")!
    /// The accepted hosts besides the listener's own.
    public var hosts: [String] = []
    /// The origins whose pages may read answers.
    public var origins: [String] = []
    /// The hosts from which the overlay loads icons.
    public var imageHosts: [String] = []
    /// The directory of the overlay's themes; empty: none.
    public var themes = ""
    /// The addresses of trusted proxies, whose `X-Forwarded-For` counts.
    public var proxies: [IPAddress] = []
    /// Whether everybody who connects to a Unix socket is a trusted proxy.
    public var hasLocalProxy = false
    /// The endpoints and keys of the broker.
    public var broker: BrokerEndpoints
    /// The file of the access tokens.
    public var tokens = "/etc/popup-gateway/tokens.yaml"
    /// The maximum number of streams.
    public var streams = 20_000
    /// The maximum number of streams from one address of another machine.
    public var streamsPerAddress = 200
    /// The maximum number of connections; `nil`: 32,768, or as many as the limit of open files allows.
    public var connections: Int?
    /// The maximum number of connections from one address of another machine.
    public var connectionsPerAddress = 256
    /// The maximum number of streams that are renderers.
    public var renderers = 1000
    /// The number of groups with popups that are followed beyond which no further pattern is.
    public var groups = 100_000
    /// The maximum number of requests of a token in a second.
    public var requests = 20
    /// The maximum number of requests without a known token from one address of another machine in a second.
    public var requestsPerAddress = 50
    /// The maximum number of requests that are held until something changes, or send several commands.
    public var heldRequests = 2000
    /// The groups that have metrics of their own.
    public var metricGroups: [GroupName] = []
    /// The time after which a stream that takes no bytes is closed, in ms.
    public var stallMs = 15_000
    /// The broker's data directory, for comparisons of policies; empty: none.
    public var dataDirectory = ""
    /// The program that compares policies: the path of `popup-broker`, or its name in the directories of `PATH`.
    public var program = "popup-broker"
    /// The time over which streams end on SIGTERM, in ms.
    public var drainMs = 5000

    /// Reads a configuration.
    ///
    /// - Parameters:
    ///   - yaml: The text of the file; `nil`: no file.
    ///   - environment: The variables; `POPUP_GATEWAY_HTTP_LISTEN` stands for `http.listen`.
    /// - Throws: `Mistake`.
    public init(yaml: String?, environment: [String: String]) throws(Mistake) {
        broker = BrokerEndpoints(environment: environment)
        for (key, value) in try Self.settings(in: yaml ?? "") { try set(key, to: value) }
        for key in Self.keys {
            if let value = environment[Self.variable(of: key)] {
                try set(key, to: value.split(separator: ",").map(String.init))
            }
        }
    }

    /// Returns a sentence for each variable of an environment that is nearly one of a setting: probably a misspelt one.
    public static func warnings(about environment: [String: String]) -> [String] {
        BrokerEndpoints.warnings(about: environment, besides: keys.map(variable))
    }

    private static func variable(of key: String) -> String {
        variablePrefix + key.uppercased().replacing(".", with: "_")
    }

    private static let variablePrefix = "POPUP_GATEWAY_"

    /// The keys of the file.
    public static let keys = [
        "http.listen", "http.hosts", "admin.listen", "broker.ingress", "broker.egress", "broker.keyFile",
        "broker.serverKeyFile", "tokens", "proxies", "cors.origins", "overlay.imageHosts", "overlay.themes",
        "limits.streams", "limits.streamsPerAddress", "limits.connections", "limits.connectionsPerAddress",
        "limits.renderers", "limits.groups", "limits.requests", "limits.requestsPerAddress", "limits.heldRequests",
        "limits.stallMs", "metrics.groups", "whatIf.dataDirectory", "whatIf.program", "drainMs",
    ]

    /// Sets a key, as a flag of the command line does.
    ///
    /// - Throws: `Mistake`.
    public mutating func set(_ key: String, to values: [String]) throws(Mistake) {
        switch key {
        case "http.hosts": hosts = try values.map { value throws(Mistake) in try Self.host(key, value) }
        case "cors.origins": origins = try values.map { value throws(Mistake) in try Self.origin(key, value) }
        case "overlay.imageHosts":
            imageHosts = try values.map { value throws(Mistake) in try Self.imageHost(key, value) }
        case "overlay.themes": themes = try one(key, values)
        case "proxies":
            hasLocalProxy = values.contains(Self.localProxy)
            let addresses = values.filter { $0 != Self.localProxy }
            proxies = try addresses.map { value throws(Mistake) in try ipAddress(key, value) }
        case "http.listen":
            needsInheritedSocket = values == [Self.serviceManager]
            listen = try needsInheritedSocket ? Self.standardListen : address(key, values)
        case "admin.listen": admin = try address(key, values)
        case "broker.ingress": broker.ingress = try endpoints(key, values)
        case "broker.egress": broker.egress = try endpoints(key, values)
        case "broker.keyFile": broker.keyFile = try one(key, values)
        case "broker.serverKeyFile": broker.serverKeyFile = try one(key, values)
        case "tokens": tokens = try one(key, values)
        case "limits.streams": streams = try number(key, values, 1...100_000)
        case "limits.streamsPerAddress": streamsPerAddress = try number(key, values, 1...100_000)
        case "limits.connections": connections = try number(key, values, 16...1_000_000)
        case "limits.connectionsPerAddress": connectionsPerAddress = try number(key, values, 1...100_000)
        case "limits.renderers": renderers = try number(key, values, 1...100_000)
        case "limits.groups": groups = try number(key, values, 1...1_000_000)
        case "limits.requests": requests = try number(key, values, 1...1_000_000)
        case "limits.requestsPerAddress": requestsPerAddress = try number(key, values, 1...1_000_000)
        case "limits.heldRequests": heldRequests = try number(key, values, 1...100_000)
        case "limits.stallMs": stallMs = try number(key, values, 100...600_000)
        case "metrics.groups": metricGroups = try groups(key, values)
        case "whatIf.dataDirectory": dataDirectory = try one(key, values)
        case "whatIf.program": program = try one(key, values)
        case "drainMs": drainMs = try number(key, values, 0...60_000)
        default: throw Mistake("`\(key)` is unknown; the keys are \(Self.keys.joined(separator: ", "))")
        }
    }

    /// The settings of the gateway itself.
    var gatewaySettings: Gateway.Settings {
        Gateway.Settings(
            hosts: Set(hosts + [listen.urlHost.lowercased(), "localhost"]), origins: Set(origins),
            imageHosts: imageHosts, streams: streams, streamsPerAddress: streamsPerAddress,
            connections: connections ?? max(Self.mostConnections, streams + Self.connectionsForRequests),
            connectionsPerAddress: connectionsPerAddress,
            renderers: renderers, groups: groups, requests: requests, requestsPerAddress: requestsPerAddress,
            heldRequests: heldRequests, metricGroups: metricGroups, stall: .milliseconds(stallMs))
    }

    /// Checks what several keys say together, and the endpoints of the broker, also those of the environment.
    ///
    /// - Throws: `Mistake`.
    public func check() throws(Mistake) {
        for (key, list) in [("broker.ingress", broker.ingress), ("broker.egress", broker.egress)] {
            for endpoint in list.split(separator: ",", omittingEmptySubsequences: !list.isEmpty) {
                let reversed = endpoint.drop { $0 == " " }.reversed().drop { $0 == " " }
                let endpoint = String(reversed.reversed())
                guard Self.isEndpoint(endpoint) else {
                    throw Mistake(
                        "`\(key)` has `\(endpoint)`; it must be tcp://HOST:PORT, or ipc://PATH with a path of at most "
                            + "\(Self.longestPath) bytes")
                }
            }
        }
        guard needsInheritedSocket || !listen.conflicts(with: admin) else {
            throw Mistake("`http.listen` and `admin.listen` are both \(listen); each needs an address of its own")
        }
    }

    /// Returns this configuration with the keys of another one that a running gateway changes.
    func reloaded(from other: GatewayConfiguration) -> GatewayConfiguration {
        var next = self
        (next.hosts, next.origins) = (other.hosts, other.origins)
        (next.imageHosts, next.themes) = (other.imageHosts, other.themes)
        (next.streams, next.streamsPerAddress) = (other.streams, other.streamsPerAddress)
        (next.connections, next.connectionsPerAddress) = (other.connections, other.connectionsPerAddress)
        (next.requests, next.requestsPerAddress) = (other.requests, other.requestsPerAddress)
        (next.renderers, next.groups) = (other.renderers, other.groups)
        (next.heldRequests, next.stallMs) = (other.heldRequests, other.stallMs)
        return next
    }

    /// Returns the keys that differ from another configuration and that a running gateway does not change.
    func fixedKeys(differingFrom other: GatewayConfiguration) -> [String] {
        let pairs: [(String, Bool)] = [
            ("http.listen", listen == other.listen && needsInheritedSocket == other.needsInheritedSocket),
            ("admin.listen", admin == other.admin),
            ("broker", broker == other.broker), ("tokens", tokens == other.tokens),
            ("proxies", proxies == other.proxies && hasLocalProxy == other.hasLocalProxy),
            ("metrics.groups", metricGroups == other.metricGroups),
            ("whatIf", dataDirectory == other.dataDirectory && program == other.program),
            ("drainMs", drainMs == other.drainMs),
        ]
        return pairs.filter { !$0.1 }.map(\.0)
    }

    /// The comparison of policies; `nil` without a data directory.
    var policyTrial: SimulateProgram? {
        dataDirectory.isEmpty ? nil : SimulateProgram(program: program, dataDirectory: dataDirectory)
    }

    private func groups(_ key: String, _ values: [String]) throws(Mistake) -> [GroupName] {
        guard values.count <= Self.mostMetricGroups else {
            throw Mistake("`\(key)` has \(values.count) groups; it can have \(Self.mostMetricGroups)")
        }
        return try values.map { value throws(Mistake) in
            guard let group = GroupName(value) else {
                throw Mistake("`\(key)` has `\(value)`, which is not the name of a group; patterns are not possible")
            }
            return group
        }
    }

    private static let mostMetricGroups = 100
    private static let mostConnections = 32_768
    /// The number of connections that streams leave to other requests, by default.
    private static let connectionsForRequests = 4096

    private static let standardListen = ListenAddress("127.0.0.1:8570")!
    /// The word for a socket that the service manager has opened.
    private static let serviceManager = "systemd"

    /// The name of the proxies that connect to a Unix socket, which have no address.
    private static let localProxy = "unix"

    private func ipAddress(_ key: String, _ text: String) throws(Mistake) -> IPAddress {
        guard let address = IPAddress(text) else {
            throw Mistake(
                "`\(key)` has `\(text)`; each must be an address such as 192.0.2.7, without a port, or `unix`")
        }
        return address
    }

    /// Whether a client can connect to an endpoint, as libzmq judges it before the name of the host is looked up.
    private static func isEndpoint(_ text: String) -> Bool {
        if text.hasPrefix("ipc://") { return 1...longestPath ~= text.utf8.count - "ipc://".utf8.count }
        guard let parts = text.wholeMatch(of: /tcp:\/\/[A-Za-z0-9\[:][A-Za-z0-9.:%;\[\]_*-]*:([0-9]{1,5})/) else {
            return false
        }
        return UInt16(parts.1).map { $0 > 0 } == true
    }

    /// The maximum number of bytes of a path in a socket's address of this family, without the closing zero.
    private static let longestPath = 107

    /// Returns a host as it is compared with that of a request, whose port does not count.
    private static func host(_ key: String, _ text: String) throws(Mistake) -> String {
        guard text.wholeMatch(of: /[A-Za-z0-9_.-]+|\[[0-9A-Fa-f:.]+\]/) != nil else {
            throw Mistake(
                "`\(key)` has `\(text)`; each must be a host such as popups.example or [2001:db8::1], without a port, "
                    + "and no URL")
        }
        return text.lowercased()
    }

    /// Returns an origin as browsers send it.
    private static func origin(_ key: String, _ text: String) throws(Mistake) -> String {
        let origin = text.lowercased()
        guard origin != "*" else { return origin }
        let pattern = /([a-z][a-z0-9+.-]*):\/\/(?:[a-z0-9_.-]+|\[[0-9a-f:.]+\])(?::([0-9]{1,5}))?/
        guard let parts = origin.wholeMatch(of: pattern),
            parts.2.map({ UInt16($0) != nil && $0 != defaultPorts[String(parts.1)] }) ?? true
        else {
            throw Mistake(
                "`\(key)` has `\(text)`; each must be an origin as browsers send it, such as https://pages.example or "
                    + "http://pages.example:8080, without a path and the default port, or `*`")
        }
        return origin
    }

    /// The ports that browsers leave out of an origin, by scheme.
    private static let defaultPorts: [String: Substring] = ["http": "80", "https": "443"]

    /// Returns a host as a page compares it with that of a URL.
    ///
    /// - Parameter key: The key or option that has it.
    /// - Throws: `Mistake`.
    public static func imageHost(_ key: String, _ text: String) throws(Mistake) -> String {
        guard text.wholeMatch(of: /([A-Za-z0-9_.-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?/) != nil else {
            throw Mistake(
                "`\(key)` has `\(text)`; each must be a host such as icons.example, or with its port, and no URL")
        }
        return text.lowercased()
    }

    private func one(_ key: String, _ values: [String]) throws(Mistake) -> String {
        guard values.count == 1, !values[0].isEmpty else { throw Mistake("`\(key)` must be one text") }
        return values[0]
    }

    /// Returns the endpoint of the broker, or those of all nodes of a fleet as one text.
    private func endpoints(_ key: String, _ values: [String]) throws(Mistake) -> String {
        guard !values.isEmpty, !values.contains("") else {
            throw Mistake("`\(key)` must be an endpoint, or a list of the endpoints of all nodes")
        }
        return values.joined(separator: ",")
    }

    private func address(_ key: String, _ values: [String]) throws(Mistake) -> ListenAddress {
        let text = try one(key, values)
        guard let address = ListenAddress(text) else {
            throw Mistake(
                "`\(key)` is `\(text)`; it must be a host and a port, such as 127.0.0.1:8570, or a Unix socket, "
                    + "such as unix:/run/popup-gateway/http.sock")
        }
        return address
    }

    private func number(_ key: String, _ values: [String], _ range: ClosedRange<Int>) throws(Mistake) -> Int {
        let text = try one(key, values)
        guard let number = Int(text), range.contains(number) else {
            throw Mistake(
                "`\(key)` is `\(text)`; it must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// Returns the values of each key, with the names of sections before a dot.
    private static func settings(in yaml: String) throws(Mistake) -> [(String, [String])] {
        let root: Node?
        do { root = try Yams.compose(yaml: yaml) } catch { throw Mistake("the file is not valid YAML: \(error)") }
        guard let root, root.scalar?.string != "" else { return [] }
        guard let sections = root.mapping else { throw Mistake("the file must be a mapping of keys to values") }
        var settings: [(String, [String])] = []
        for (key, value) in sections {
            guard let section = value.mapping else {
                settings.append((key.string ?? "", try texts(value, of: key.string ?? "")))
                continue
            }
            for (name, value) in section {
                let path = "\(key.string ?? "").\(name.string ?? "")"
                settings.append((path, try texts(value, of: path)))
            }
        }
        return settings
    }

    private static func texts(_ node: Node, of key: String) throws(Mistake) -> [String] {
        if let scalar = node.scalar { return [scalar.string] }
        guard let sequence = node.sequence else { throw Mistake("`\(key)` must be a text or a list of texts") }
        var texts: [String] = []
        for element in sequence {
            guard let scalar = element.scalar else { throw Mistake("`\(key)` must be a list of texts") }
            texts.append(scalar.string)
        }
        return texts
    }
}
