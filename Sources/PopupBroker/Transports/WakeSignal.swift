import Dispatch
import Synchronization

/// Interrupts the thread that waits for a mailbox. Any thread may signal.
///
/// Put into the mailbox, then `signal()`; after `wait`, look into the mailbox: so nothing is overlooked. Signalling again
/// before it is seen costs no system call.
final class WakeSignal: Sendable {
    private let isPending = Atomic(false)
    private let semaphore = DispatchSemaphore(value: 0)

    /// Ends the present or the next wait.
    func signal() {
        if !isPending.exchange(true, ordering: .acquiringAndReleasing) { semaphore.signal() }
    }

    /// Waits for a signal, and takes it back. Returns whether there was one before the deadline.
    @discardableResult
    func wait(until deadline: DispatchTime) -> Bool {
        guard semaphore.wait(timeout: deadline) == .success else { return false }
        _ = isPending.exchange(false, ordering: .acquiringAndReleasing)
        return true
    }
}
