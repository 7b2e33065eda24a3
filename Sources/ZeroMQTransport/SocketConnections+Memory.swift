import PopupBroker
import ZeroMQ

// While memory is exhausted, the connections that use most of it are cut. The memory that libzmq uses for a connection
// cannot be queried. Visible is which connections do not finish a message, do not read what is sent to them, or have
// sent the most.
extension SocketConnections {
    /// The time in ms after which a subscriber that does not read counts as slow.
    private static let behindAfter: Int64 = 1000
    /// The time in ms after which it counts as slow if no other is: memory may be exhausted before a second has passed.
    private static let brieflyBehindAfter: Int64 = 250
    /// The number of bytes since memory became short below which a connection is not cut.
    private static let modestBytes: Int64 = 1 << 20
    /// The number of successive checks at which bytes wait to be read before a connection is cut that cannot be judged by
    /// its bytes.
    private static let backlogChecks: Int64 = 8
    /// The part of the candidates that is cut at each check, at least one. The next check shows whether that was
    /// enough.
    private static let share = 8

    /// Returns the part of the connections with unfinished messages, or of those that do not read, that is cut at a check:
    /// an eighth, a quarter, half of them, all. What is kept for them grows by the memory's whole speed until they are cut.
    private static func share(atCheck number: Int) -> Int { max(1, share >> (number - 1)) }

    /// Cuts the connections that go on sending without a whole message, although everything received has been checked:
    /// first those that sent most since their last one.
    ///
    /// - Parameter number: The number of checks in a row at which memory was exhausted, from 1.
    /// - Returns: The number of cut connections.
    mutating func cutUnfinished(atCheck number: Int) -> Int {
        let looks = looks
        let reason = "memory is exhausted, and it sends a message without an end"
        return cut(one: Self.share(atCheck: number), because: reason) { connection in
            guard let since = connection.watchedAt, looks >= since + 2, connection.proof.hasSentWhileWatched,
                let bytes = connection.accepted.bytesRead
            else { return nil }
            return connection.proof.unprovenBytes(of: bytes)
        }
    }

    /// Cuts the connections whose read bytes the system does not count, from which bytes waited at each of several
    /// checks while no message became whole, although everything received has been checked.
    ///
    /// - Returns: The number of cut connections.
    mutating func cutUncounted() -> Int {
        let looks = looks
        let reason = "memory is exhausted, and it seems to send a message without an end"
        return cut(one: Self.share, because: reason) { connection in
            guard let backlog = connection.backlog, backlog.checks >= Self.backlogChecks, looks >= backlog.since + 2
            else { return nil }
            return backlog.checks
        }
    }

    /// Returns the connections that may hold a part of an unfinished message: those with bytes since the last known
    /// whole message. They may be silent good ones: see `UnprovenBytes`.
    func unproven() -> [(id: ConnectionID, bytes: Int64)] {
        connections.compactMap { connection in
            guard let connection, !connection.isCut, let bytes = connection.accepted.bytesRead else { return nil }
            return (connection.id, connection.proof.unprovenBytes(of: bytes))
        }
    }

    /// Cuts a connection that `UnprovenBytes` has chosen.
    mutating func cutUnproven(_ id: ConnectionID) {
        cut(id, because: "memory is exhausted, and it may have sent a message without an end")
    }

    /// Cuts the connections that have been slow for the longest time. Of those that have been so only briefly, and may be
    /// busy and nothing worse, an eighth is cut at each check, if there are no others.
    ///
    /// - Parameter number: The number of checks in a row at which memory was exhausted, from 1.
    /// - Returns: The number of cut connections.
    mutating func cutBehind(at now: Int64, check number: Int) -> Int {
        let long = cut(one: Self.share(atCheck: number), behindFor: Self.behindAfter, at: now)
        return long > 0 ? long : cut(one: Self.share, behindFor: Self.brieflyBehindAfter, at: now)
    }

    private mutating func cut(one share: Int, behindFor least: Int64, at now: Int64) -> Int {
        let reason = "memory is exhausted, and it does not take what is sent to it"
        return cut(one: share, because: reason, isSlow: true) { connection in
            guard let since = connection.behindSince, now - since >= least else { return nil }
            return now - since
        }
    }

    /// Cuts the connections that sent most since memory became short.
    ///
    /// - Returns: The number of cut connections.
    mutating func cutLargestSenders() -> Int {
        cut(one: Self.share, because: "memory is exhausted, and it sends most") { connection in
            guard let bytes = connection.accepted.bytesRead, bytes - connection.readBefore >= Self.modestBytes
            else { return nil }
            return bytes - connection.readBefore
        }
    }

    /// Cuts one of so many connections that have a weight, the heaviest first.
    private mutating func cut(
        one share: Int, because reason: String, isSlow: Bool = false, of weight: (Connection) -> Int64?
    ) -> Int {
        let candidates = connections.compactMap { connection -> (id: ConnectionID, weight: Int64)? in
            guard let connection, !connection.isCut, let weight = weight(connection) else { return nil }
            return (connection.id, weight)
        }
        guard !candidates.isEmpty else { return 0 }
        let count = max(1, candidates.count / share)
        for candidate in candidates.sorted(by: { $0.weight > $1.weight }).prefix(count) {
            cut(candidate.id, because: reason, isSlow: isSlow)
        }
        return count
    }
}
