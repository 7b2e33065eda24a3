internal import Dispatch
public import PopupBroker
public import PopupFleet
internal import Synchronization

/// The proof of a node's tenure to the broker, for several threads.
public final class TenureProof: Tenure {
    private let moment: @Sendable () -> FleetMoment
    private let confirmedUntil = Atomic<Int64>(.min)
    private let horizonOfHead = Atomic<Int64>(.min)
    private let isEnded = Atomic<Bool>(false)
    /// The time at which the loop of the broker turned last.
    private let turnTime = Atomic<Int64>(.min)
    /// The time at which it was woken last, so that it turns.
    private let wakeTime = Atomic<Int64>(.min)
    private let wake = Mutex<(@Sendable () -> Void)?>(nil)
    private let running = DispatchGroup()

    /// Creates the proof of a node that owns nothing.
    ///
    /// - Parameter moment: Returns the time by the machine's clocks.
    public init(moment: @escaping @Sendable () -> FleetMoment = SystemClocks.moment) {
        self.moment = moment
        running.enter()
    }

    /// Whether the node owns the log now.
    public var standing: TenureStanding {
        if isEnded.load(ordering: .acquiring) { return .lost }
        let proved = confirmedUntil.load(ordering: .acquiring)
        if proved == .min { return .awaited }
        return moment().boot <= proved ? .held : .unconfirmed
    }

    /// The time until which timers may be handled without a batch.
    public var horizon: Int64 { horizonOfHead.load(ordering: .acquiring) }

    /// Sets the function to call when the standing or the horizon changes.
    public func notify(_ wake: @escaping @Sendable () -> Void) { self.wake.withLock { $0 = wake } }

    /// Records that the broker's loop goes on.
    public func recordTurn() { turnTime.store(moment().boot, ordering: .releasing) }

    /// Returns the time at which the broker's loop turned last; `nil` before its first turn. Wakes a loop that has not
    /// turned for a while: if it only has nothing to do, it turns then.
    ///
    /// - Parameters:
    ///   - boot: The time now.
    ///   - pause: The time after its last turn, and after the last wake, at which it is woken.
    public func lastTurn(at boot: Int64, wakingAfter pause: Int64) -> Int64? {
        let last = turnTime.load(ordering: .acquiring)
        guard last != .min else { return nil }
        if boot - max(last, wakeTime.load(ordering: .relaxed)) >= pause {
            wakeTime.store(boot, ordering: .relaxed)
            wake.withLock { $0 }?()
        }
        return last
    }

    /// Waits until the node has ended, or a time has passed. Returns whether it has ended.
    @discardableResult
    public func waitForEnd(milliseconds: Int) -> Bool {
        running.wait(timeout: .now() + .milliseconds(milliseconds)) == .success
    }

    /// Waits in the same way, and blocks no thread of Swift's cooperative pool.
    @discardableResult
    public func end(withinMilliseconds time: Int) async -> Bool {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: self.waitForEnd(milliseconds: time)) }
        }
    }

    /// Records a proof; `nil` for a standby.
    func set(confirmedUntil proved: Int64?, horizon: Int64?) {
        confirmedUntil.store(proved ?? .min, ordering: .releasing)
        let before = horizonOfHead.exchange(horizon ?? .min, ordering: .acquiringAndReleasing)
        if before != horizon ?? .min { wake.withLock { $0 }?() }
    }

    /// Records that the node has ended.
    func end() {
        guard !isEnded.exchange(true, ordering: .acquiringAndReleasing) else { return }
        wake.withLock { $0 }?()
        running.leave()
    }
}
