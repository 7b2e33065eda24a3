internal import NIOCore

/// An address to listen at: a host with a port, or a Unix socket.
public enum ListenAddress: Hashable, Sendable, CustomStringConvertible {
    /// A host, an address of IPv6 without brackets, and a port; 0: any free one.
    case host(String, port: Int)
    /// The path of a Unix socket, which local programs such as a proxy connect to.
    case socket(path: String)

    /// Creates the address of `HOST:PORT`, with an address of IPv6 in brackets, or of `unix:/PATH`; `nil` for another
    /// text.
    public init?(_ text: String) {
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst("unix:".count))
            guard path.hasPrefix("/"), path.utf8.count <= Self.maxPathBytes else { return nil }
            self = .socket(path: path)
            return
        }
        guard let colon = text.lastIndex(of: ":"), colon > text.startIndex,
            let port = Int(text[text.index(after: colon)...]), (0...65_535).contains(port)
        else { return nil }
        let name = text[..<colon]
        let isBracketed = name.first == "[" && name.last == "]"
        guard isBracketed == name.contains(":") else { return nil }
        self = .host(String(isBracketed ? name.dropFirst().dropLast() : name), port: port)
    }

    /// Creates the address of a socket that listens already; `nil` for one without a name.
    init?(_ address: SocketAddress?) {
        switch address {
        case .v4?, .v6?:
            guard let address, let host = address.ipAddress, let port = address.port else { return nil }
            self = .host(host, port: port)
        case .unixDomainSocket?:
            guard let path = address?.pathname, !path.isEmpty else { return nil }
            self = .socket(path: path)
        case nil: return nil
        }
    }

    /// The longest path of a socket: `sun_path` has 108 bytes, the last of which is zero.
    private static let maxPathBytes = 107

    /// The host as a URL has it. A request over a Unix socket names `localhost`, as `curl --unix-socket` does.
    public var urlHost: String {
        switch self {
        case .host(let host, _): host.contains(":") ? "[\(host)]" : host
        case .socket: "localhost"
        }
    }

    /// The address as the ready line has it.
    public var url: String {
        switch self {
        case .host(_, let port): "http://\(urlHost):\(port)"
        case .socket: description
        }
    }

    /// The names of this machine that a request to an address of loopback may have; `nil` for an address that others reach,
    /// and for a Unix socket, which no browser does.
    var localHosts: Set<String>? {
        guard case .host(let host, _) = self, host == "localhost" || IPAddress(host)?.isLoopback == true else {
            return nil
        }
        return ["localhost", "127.0.0.1", "[::1]", urlHost.lowercased()]
    }

    /// Whether two listeners cannot have both addresses.
    func conflicts(with other: ListenAddress) -> Bool {
        if case .host(_, port: 0) = self { return false }
        return self == other
    }

    /// The address as the configuration has it.
    public var description: String {
        switch self {
        case .host(_, let port): "\(urlHost):\(port)"
        case .socket(let path): "unix:\(path)"
        }
    }
}
