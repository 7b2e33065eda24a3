import Synchronization

/// The heartbeat of a broker, which comes once a second as long as the broker runs.
///
/// A connection alone does not show that: it stays open to a broker that hangs.
public final class BrokerHeartbeat: Sendable {
    private let box: HeartbeatBox
    private let subscription: Subscription

    init(box: HeartbeatBox, subscription: Subscription) {
        self.box = box
        self.subscription = subscription
    }

    /// Returns the time since the last heartbeat; `nil` if none has come yet.
    public func age(at now: ContinuousClock.Instant = .now) -> Duration? {
        box.last.map { max(.zero, now - $0) }
    }
}

/// The time of the last heartbeat.
final class HeartbeatBox: Subscriber {
    let prefixes = [Channel.heartbeat.prefix]
    private let time = Mutex<ContinuousClock.Instant?>(nil)

    var last: ContinuousClock.Instant? { time.withLock { $0 } }

    func receive(_ message: EgressMessage, at now: ContinuousClock.Instant) {
        guard case .heartbeat = message else { return }
        time.withLock { $0 = now }
    }

    func finish(_ error: ClientError?) {}
}
