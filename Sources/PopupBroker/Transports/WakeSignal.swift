import Dispatch
import Synchronization

/// A signal that wakes the thread that waits for a mailbox. Any thread may signal.
///
/// First add to the mailbox, then `signal()`; after `wait`, read the mailbox. So nothing is missed. Repeated signals
/// before the wait cost no system call.
final class WakeSignal: Sendable {
    private let isPending = Atomic(false)
    private let semaphore = DispatchSemaphore(value: 0)

    /// Ends the current or the next wait.
    func signal() {
        if !isPending.exchange(true, ordering: .acquiringAndReleasing) { semaphore.signal() }
    }

    /// Waits for a signal, and resets it. Returns whether there was one before the deadline.
    @discardableResult
    func wait(until deadline: DispatchTime) -> Bool {
        guard semaphore.wait(timeout: deadline) == .success else { return false }
        _ = isPending.exchange(false, ordering: .acquiringAndReleasing)
        return true
    }
}
