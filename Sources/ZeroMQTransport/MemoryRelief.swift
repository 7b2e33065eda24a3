/// The order in which connections are cut while memory is exhausted: first those that misuse it.
///
///     messages without an end; slow subscribers; the subscribers that send most
///        └─▶ perhaps a message without an end ─▶ the producers that send most
///
/// Those that may have done nothing wrong are spared until the memory of the others is free.
struct MemoryRelief {
    /// The time in ms until the memory of a cut connection is free: libzmq's two threads take turns at its end.
    private static let freeingTime: Int64 = 1000

    /// The number of checks in a row at which memory was exhausted.
    private var checks = 0
    /// The time in ms before which no connection is cut that may have done nothing wrong.
    private var sparesUnprovenUntil: Int64?
    /// The time in ms before which no producer is cut that may have done nothing but send much.
    private var sparesSendersUntil: Int64?

    /// Records that memory is not exhausted.
    mutating func end() { self = MemoryRelief() }

    /// Cuts connections of both sockets at a check at which memory is exhausted.
    mutating func relieve(
        _ ingress: inout SocketConnections, _ egress: inout SocketConnections, memoryLimit: Int, at now: Int64
    ) {
        checks += 1
        // From the first check on, each whole message is recorded: a connection that completes one is not cut.
        let spared = sparesUnprovenUntil ?? now + Self.freeingTime
        sparesUnprovenUntil = spared
        let unfinished =
            ingress.cutUnfinished(atCheck: checks) + egress.cutUnfinished(atCheck: checks)
            + ingress.cutUncounted() + egress.cutUncounted()
        guard unfinished == 0, egress.cutBehind(at: now, check: checks) == 0, egress.cutLargestSenders() == 0 else {
            return spareSenders(at: now)
        }
        if now < spared { return }
        guard Self.cutUnproven(&ingress, &egress, memoryLimit: memoryLimit) == 0 else { return spareSenders(at: now) }
        if let sparesSendersUntil, now < sparesSendersUntil { return }
        _ = ingress.cutLargestSenders()
    }

    /// Spares the producers that send most until the memory of the connections that were cut is free.
    private mutating func spareSenders(at now: Int64) {
        sparesSendersUntil = sparesSendersUntil ?? now + Self.freeingTime
    }

    /// Cuts the connections of both sockets that may hold the most bytes of an unfinished message.
    ///
    /// - Returns: The number of cut connections.
    private static func cutUnproven(
        _ ingress: inout SocketConnections, _ egress: inout SocketConnections, memoryLimit: Int
    ) -> Int {
        let producers = ingress.unproven()
        let all = producers + egress.unproven()
        let chosen = UnprovenBytes.largest(of: all.map(\.bytes), memoryLimit: memoryLimit)
        for index in chosen {
            if index < producers.count { ingress.cutUnproven(all[index].id) } else { egress.cutUnproven(all[index].id) }
        }
        return chosen.count
    }
}
