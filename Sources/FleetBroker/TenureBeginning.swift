internal import Dispatch
public import PopupBroker
public import PopupFleet
internal import PopupJournal
internal import Synchronization

/// The beginning of a node's tenure, for which its broker waits.
public final class TenureBeginning: Sendable {
    private let beginning = Mutex<TenureStart?>(nil)
    private let ahead = Atomic<Int64>(0)
    private let isKnown = DispatchGroup()

    /// Creates a beginning that is not known yet. `set` must be called once.
    public init() { isKnown.enter() }

    /// Records the state with which the tenure begins; `nil`: the node has ended before.
    public func set(_ start: TenureStart?) {
        if let start {
            ahead.store(start.time - start.boot, ordering: .releasing)
            beginning.withLock { $0 = start }
        }
        isKnown.leave()
    }

    /// Waits until it is known, and returns it; `nil`: there is none. Its state is returned once, and then empty.
    public func take() -> TenureStart? {
        isKnown.wait()
        return beginning.withLock { beginning in
            defer { beginning?.state.state = [] }
            return beginning
        }
    }

    /// The time at which the tenure began; `nil` for a standby.
    public var begins: Int64? { beginning.withLock { $0?.begins } }

    /// The time of the log by which it is ahead of the machine's clock, in ms.
    var aheadOfClock: Int64 { ahead.load(ordering: .acquiring) }
}

/// The clock of a broker that owns a shared log: the time of the log.
public struct TenureTime: BrokerClock {
    private let beginning: TenureBeginning
    private let moment: @Sendable () -> FleetMoment

    /// Creates the clock of a tenure. It is right as soon as that has begun.
    ///
    /// - Parameters:
    ///   - beginning: Tells by how much the log is ahead of the machine's clock.
    ///   - moment: Returns the time by the machine's clocks.
    public init(
        _ beginning: TenureBeginning, moment: @escaping @Sendable () -> FleetMoment = SystemClocks.moment
    ) {
        self.beginning = beginning
        self.moment = moment
    }

    /// Returns the time of the log, in ms.
    public func now() -> Int64 { moment().boot + beginning.aheadOfClock }

    /// Returns the time in ms by which this machine's wall clock is ahead of the log.
    public func wallClockLead() -> Int64 {
        let moment = moment()
        return moment.wall - moment.boot - beginning.aheadOfClock
    }
}
