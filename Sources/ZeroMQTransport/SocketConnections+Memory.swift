import PopupBroker
import ZeroMQ

// While memory is exhausted, the connections that use most of it are cut. The memory that libzmq uses for a connection
// cannot be queried. Visible is which connections do not finish a message, do not read what is sent to them, or have
// sent the most.
extension SocketConnections {
    /// The time in ms after which a subscriber that does not read counts as slow.
    private static let behindAfter: Int64 = 1000
    /// The number of bytes since memory became short below which a connection is not cut.
    private static let mostOfModest: Int64 = 1 << 20
    /// The part of the candidates that is cut at each check, at least one. The next check shows whether that was
    /// enough.
    private static let share = 8

    /// Cuts the connections that sent most since their last whole message, although everything received has been
    /// checked.
    ///
    /// - Returns: The number of cut connections.
    mutating func cutUnfinished() -> Int {
        let looks = looks
        return cut(because: "memory is exhausted, and it sends a message without an end") { connection in
            guard let since = connection.watchedAt, looks >= since + 2, let bytes = connection.accepted.bytesRead
            else { return nil }
            return connection.proof.unprovenBytes(of: bytes)
        }
    }

    /// Cuts the connections that have been slow for the longest time.
    ///
    /// - Returns: The number of cut connections.
    mutating func cutBehind(at now: Int64) -> Int {
        cut(because: "memory is exhausted, and it does not take what is sent to it") { connection in
            guard let since = connection.behindSince, now - since >= Self.behindAfter else { return nil }
            return now - since
        }
    }

    /// Cuts the connections that sent most since memory became short.
    ///
    /// - Returns: The number of cut connections.
    mutating func cutLargestSenders() -> Int {
        cut(because: "memory is exhausted, and it sends most") { connection in
            guard let bytes = connection.accepted.bytesRead, bytes - connection.readBefore >= Self.mostOfModest
            else { return nil }
            return bytes - connection.readBefore
        }
    }

    private mutating func cut(because reason: String, of weight: (Connection) -> Int64?) -> Int {
        let candidates = connections.compactMap { connection -> (id: ConnectionID, weight: Int64)? in
            guard let connection, !connection.isCut, let weight = weight(connection) else { return nil }
            return (connection.id, weight)
        }
        guard !candidates.isEmpty else { return 0 }
        let count = max(1, candidates.count / Self.share)
        for candidate in candidates.sorted(by: { $0.weight > $1.weight }).prefix(count) {
            cut(candidate.id, because: reason)
        }
        return count
    }
}
