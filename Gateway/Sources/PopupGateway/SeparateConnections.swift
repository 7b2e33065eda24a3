internal import PopupAccess
internal import PopupClient
internal import Synchronization

/// The connections to the broker of tokens that have one of their own. For the broker, each is a producer of its own,
/// with its own quotas.
final class SeparateConnections: Sendable {
    private let connect: @Sendable () throws(ClientError) -> BrokerConnection
    private let connections = Mutex<[UserName: BrokerConnection]>([:])

    /// Creates an empty table.
    ///
    /// - Parameter connect: Makes a connection.
    init(_ connect: @escaping @Sendable () throws(ClientError) -> BrokerConnection) {
        self.connect = connect
    }

    /// Returns the connection of a token; `nil` for a token without one.
    func connection(of token: AccessToken) -> BrokerConnection? {
        guard token.isSeparate else { return nil }
        return connections.withLock { $0[token.name] }
    }

    /// Opens the connections of tokens that need one, and closes those of tokens that do not any more.
    ///
    /// - Throws: `ClientError` if one cannot be made. Then all stay as they were.
    func update(for table: TokenTable) throws(ClientError) {
        let names = table.separateNames
        let ended = try connections.withLock { connections throws(ClientError) in
            var next = connections.filter { names.contains($0.key) }
            for name in names where next[name] == nil { next[name] = try connect() }
            defer { connections = next }
            return connections.filter { !names.contains($0.key) }.map(\.value)
        }
        for connection in ended { Task { await connection.close() } }
    }

    /// Closes all connections.
    func close() async {
        let all = connections.withLock { connections in
            defer { connections = [:] }
            return Array(connections.values)
        }
        for connection in all { await connection.close() }
    }
}
