/// The broker in the process of a node, as far as the node knows it.
struct LocalBroker {
    /// The time at which its loop turned last; `nil` before its first turn.
    private(set) var turned: Int64?
    /// The time until which it has handled timers.
    private(set) var handled: Int64 = 0
    /// Whether it was asked to stop, since an operator wants a hand-over.
    private(set) var isStopping = false

    /// Records a turn of its loop.
    mutating func recordTurn(at boot: Int64) { turned = max(turned ?? boot, boot) }

    /// Records that it has handled all timers until a time.
    mutating func recordHandled(until time: Int64) { handled = max(handled, time) }

    /// Records that it was asked to stop.
    mutating func recordStop() { isStopping = true }
}
