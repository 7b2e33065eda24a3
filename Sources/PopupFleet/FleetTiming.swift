/// A moment, by two clocks of a machine, in ms.
public struct FleetMoment: Hashable, Sendable {
    /// The clock that never stops and never jumps, since the machine was started.
    public var boot: Int64
    /// The wall clock.
    public var wall: Int64

    /// Creates a moment.
    public init(boot: Int64, wall: Int64) {
        self.boot = boot
        self.wall = wall
    }
}

/// The durations that a node goes by, in ms.
public struct FleetTiming: Hashable, Sendable {
    /// The time for which a claim lasts without a renewal.
    public var lease: Int64
    /// The time between renewals of the claim, and between reads of the head by an idle owner.
    public var renewal: Int64
    /// The time between reads of the head, and between attempts to claim, by a standby.
    public var polling: Int64 = 2000
    /// The time between reads of what operators ask for. They are read at once when somebody sees that they change.
    public var ordersPolling: Int64 = 5000
    /// The time for which requests of operators that are forgotten after a while count since they were asked for: that until
    /// they are read again, and that of a call. An owner that does not reach the log must not follow old ones when it does.
    public var ordersLast: Int64 { ordersPolling + 1000 }
    /// The time after which a node offers a snapshot again that the log has left out.
    public var snapshotRetry: Int64 = 10_000
    /// The delay of a snapshot for each rank of a standby: the first one makes it, the others only compare theirs with it.
    public var snapshotDelay: Int64 = 500
    /// The delay of a snapshot of an owner. It makes one only if no standby has done so until then.
    public var ownerSnapshotDelay: Int64 = 10_000
    /// The time by which each append moves the horizon beyond its own.
    public var ahead: Int64 = 3000
    /// The time before a timer at which an owner asks for a later horizon.
    public var notice: Int64 = 1000
    /// The time for which a standby holds the claim at most without beginning to take over, such as while it cannot read
    /// the last entries. Then another one may claim.
    public var claimPatience: Int64 { lease }
    /// The delay of a claim for each rank of a standby.
    public var rankDelay: Int64 = 150
    /// The greatest step towards the wall clock at a take-over.
    public var wallStep: Int64 = 1000

    /// Creates durations; by default a lease of 4 s.
    public init(lease: Int64 = 4000) {
        self.lease = lease
        renewal = min(1000, lease / 4)
    }

    /// The same of each node, in seconds.
    public static var ordersLastSeconds: Int { Int(FleetTiming().ordersLast / 1000) }

    /// The maximum age of the latest proof of a tenure: three quarters of the lease.
    public var mute: Int64 { lease * 3 / 4 }

    /// The maximum time between two turns of a broker's loop: half of the lease. One that takes longer hangs, and its node
    /// lets the claim end.
    public var hang: Int64 { lease / 2 }
}
