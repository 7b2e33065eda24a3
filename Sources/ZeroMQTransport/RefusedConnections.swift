import PopupBroker

/// The connections that were refused since the loop asked last: the first ones, and the number of further ones.
struct RefusedConnections {
    /// The maximum number of connections that are kept one by one.
    static let maxCount = 1024

    private var first: [CutConnection] = []
    private var further = 0

    /// Adds a connection.
    mutating func add(_ connection: @autoclosure () -> CutConnection) {
        if first.count < Self.maxCount { first.append(connection()) } else { further += 1 }
    }

    /// Removes and returns the connections. The last one stands for those that were not kept.
    mutating func take() -> [CutConnection] {
        defer { self = RefusedConnections() }
        guard further > 0 else { return first }
        let others = CutConnection(
            socket: "CURVE", peer: nil, reason: "their public keys are not those of users", count: further)
        return first + [others]
    }
}
