internal import Foundation
internal import NIOCore
internal import NIOPosix

/// An address to listen at: a host with a port, or a socket in the file system.
public enum ListenAddress: Hashable, Sendable, CustomStringConvertible {
    /// A host, an address of IPv6 without brackets, and a port; 0: any free one.
    case host(String, port: Int)
    /// The path of a socket, which local programs such as a proxy connect to.
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

    /// The longest path of a socket: `sun_path` has 108 bytes, the last of which is zero.
    private static let maxPathBytes = 107

    /// The host as a URL has it. A request over a socket names `localhost`, as `curl --unix-socket` does.
    public var urlHost: String {
        switch self {
        case .host(let host, _): host.contains(":") ? "[\(host)]" : host
        case .socket: "localhost"
        }
    }

    /// Returns the address as the ready line has it.
    ///
    /// - Parameter port: The port that the listener has.
    public func text(port: Int) -> String {
        switch self {
        case .host: "http://\(urlHost):\(port)"
        case .socket: description
        }
    }

    /// The address as the configuration has it.
    public var description: String {
        switch self {
        case .host(_, let port): "\(urlHost):\(port)"
        case .socket(let path): "unix:\(path)"
        }
    }

    /// Returns whether a program listens at the socket. The file alone does not show it: that of a killed program stays.
    func hasListener() async -> Bool {
        guard case .socket(let path) = self else { return false }
        let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        guard let connection = try? await bootstrap.connect(unixDomainSocketPath: path).get() else { return false }
        try? await connection.close()
        return true
    }

    /// Lets every local user connect to the socket, as to a port of loopback: what somebody may do depends on tokens. Who
    /// can reach the socket at all is up to its directory.
    func openToLocalUsers() throws {
        guard case .socket(let path) = self else { return }
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: path)
    }
}
