internal import Dispatch
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
    func take() -> TenureStart? {
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
