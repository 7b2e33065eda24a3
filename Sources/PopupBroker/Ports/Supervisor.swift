/// A watcher of the broker's progress, which restarts a broker that makes none, such as systemd.
///
/// The broker calls it on its own thread, and waits for it.
public protocol Supervisor: Sendable {
    /// The longest time between two calls of `recordTurn` in a running broker, in ms; `nil` if it does not matter.
    var turnInterval: Int64? { get }

    /// Records that a broker that starts has read and applied one more batch of its journal.
    func recordRecovery()

    /// Records that the loop of a running broker begins a turn.
    func recordTurn()
}
