import PopupProtocol
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
        last.map { max(.zero, now - $0.time) }
    }

    /// The last heartbeat; `nil` if none has come yet.
    public var last: Beat? { box.last }

    /// One heartbeat.
    public struct Beat: Sendable, Equatable {
        /// The epoch of the broker. It is greater after each start, and in a fleet with each owner.
        public let epoch: UInt64
        /// The time of its arrival.
        public let time: ContinuousClock.Instant

        /// Creates a heartbeat.
        public init(epoch: UInt64, time: ContinuousClock.Instant) {
            (self.epoch, self.time) = (epoch, time)
        }
    }
}

/// The last heartbeat.
final class HeartbeatBox: Subscriber {
    let prefixes = [Channel.heartbeat.prefix]
    private let beat = Mutex<BrokerHeartbeat.Beat?>(nil)

    var last: BrokerHeartbeat.Beat? { beat.withLock { $0 } }

    func receive(_ message: EgressMessage, at now: ContinuousClock.Instant) {
        guard case .heartbeat(let heartbeat) = message else { return }
        beat.withLock { $0 = BrokerHeartbeat.Beat(epoch: heartbeat.epoch, time: now) }
    }

    func finish(_ error: ClientError?) {}
}
