import PopupClient

/// The knowledge of the streams about the broker.
///
/// A broker that restarts within half a second is never seen to be away. Its next heartbeat has another epoch; in a fleet,
/// that of another owner, too.
struct ReportedBroker {
    /// The epoch of the broker that the streams know; `nil` while it is not connected.
    private(set) var epoch: UInt64?
    /// The time at which it was found to be lost; `nil`: it has never been there.
    private var lost: ContinuousClock.Instant?

    /// Whether it is connected and not silent, as the streams know it.
    var isConnected: Bool { epoch != nil }

    /// Whether a heartbeat is one of the broker that is there now. One from before the broker was lost says nothing of it.
    func counts(_ beat: BrokerHeartbeat.Beat) -> Bool { isConnected || lost.map { beat.time > $0 } ?? true }

    /// Records what is known now.
    ///
    /// - Parameter beat: The last heartbeat of a broker that is connected and not silent; `nil` for another one.
    /// - Returns: Whether the streams have to learn of it: the broker was lost, is back or has restarted.
    mutating func record(_ beat: BrokerHeartbeat.Beat?, at now: ContinuousClock.Instant) -> Bool {
        guard let beat else {
            guard isConnected else { return false }
            (epoch, lost) = (nil, now)
            return true
        }
        guard counts(beat) else { return false }
        let isNews = epoch.map { beat.epoch > $0 } ?? true
        epoch = max(epoch ?? 0, beat.epoch)
        return isNews
    }
}
