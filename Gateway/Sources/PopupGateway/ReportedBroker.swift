import PopupClient

/// What the streams know of the broker.
///
/// A broker that restarts within half a second is never seen to be away. Its next heartbeat has another epoch; in a fleet,
/// that of another owner, too.
struct ReportedBroker {
    private(set) var isConnected = false
    /// The epoch of the broker that the streams know; `nil` until the first heartbeat after they learned that it is there.
    private(set) var epoch: UInt64?
    /// The last heartbeat before that. It may be one from before the broker was lost.
    private var earlier: BrokerHeartbeat.Beat?

    /// Records what is known now.
    ///
    /// - Parameter beat: The last heartbeat.
    /// - Returns: Whether the streams have to learn of it: the broker was lost, is back or has restarted.
    mutating func record(isConnected: Bool, _ beat: BrokerHeartbeat.Beat?) -> Bool {
        if isConnected != self.isConnected {
            (self.isConnected, epoch, earlier) = (isConnected, nil, beat)
            return true
        }
        guard isConnected, let beat, beat != earlier else { return false }
        defer { epoch = max(epoch ?? 0, beat.epoch) }
        return epoch.map { beat.epoch > $0 } ?? false
    }
}
