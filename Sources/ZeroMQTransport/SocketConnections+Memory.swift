import PopupBroker
import ZeroMQ

// While memory is exhausted, those are cut off for whom most of it is kept. What libzmq keeps for one connection can't be
// read; what can be seen is who does not finish a message, who does not take what is sent, and who has sent most.
extension SocketConnections {
    /// In ms: a subscriber is behind when it did not take what is sent for so long.
    private static let behindAfter: Int64 = 1000
    /// In bytes: who has sent less since memory became short keeps its place.
    private static let mostOfModest: Int64 = 1 << 20
    /// Of those that may be cut off one in so many is at a look, and one at least: then it is seen whether that was enough.
    private static let share = 8

    /// Cuts off those who sent most since their last whole message, though all that came has been looked at.
    ///
    /// - Returns: How many.
    mutating func cutUnfinished() -> Int {
        let looks = looks
        return cut(because: "memory is exhausted, and it sends a message without an end") { connection in
            guard let since = connection.watchedAt, looks >= since + 2, let bytes = connection.accepted.bytesRead
            else { return nil }
            return connection.proof.unprovenBytes(of: bytes)
        }
    }

    /// Cuts off those who have been behind longest.
    ///
    /// - Returns: How many.
    mutating func cutBehind(at now: Int64) -> Int {
        cut(because: "memory is exhausted, and it does not take what is sent to it") { connection in
            guard let since = connection.behindSince, now - since >= Self.behindAfter else { return nil }
            return now - since
        }
    }

    /// Cuts off those who sent most since memory became short.
    ///
    /// - Returns: How many.
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
