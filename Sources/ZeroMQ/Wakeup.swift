import CZeroMQ
import Synchronization
import SystemCalls

/// Interrupts a thread that waits in `Poller.wait`: the bell of its mailbox. Any thread may ring.
///
/// Put into the mailbox, then `signal()`; after waking, `drain()`, then look into the mailbox: so nothing is overlooked.
/// Ringing again before it is heard costs no system call.
public final class Wakeup: Sendable {
    /// Becomes readable with a signal.
    public let fileDescriptor: Int32
    private let isPending = Atomic(false)

    /// Makes a wake-up that has not been signalled.
    ///
    /// - Throws: `ZeroMQError` when the process has no file descriptors left.
    public init() throws(ZeroMQError) {
        fileDescriptor = czmq_eventfd()
        guard fileDescriptor >= 0 else { throw .last(.createWakeup) }
    }

    deinit {
        close(fileDescriptor)
    }

    /// Wakes the waiting thread, or lets its next wait return at once.
    public func signal() {
        guard !isPending.exchange(true, ordering: .acquiringAndReleasing) else { return }
        var one: UInt64 = 1
        while write(fileDescriptor, &one, MemoryLayout.size(ofValue: one)) < 0, zmq_errno() == EINTR {}
    }

    /// Takes the signal back. The file descriptor is emptied before the flag falls: a signal in between finds the flag
    /// up and is covered by the look into the mailbox that follows.
    public func drain() {
        var count: UInt64 = 0
        while read(fileDescriptor, &count, MemoryLayout.size(ofValue: count)) < 0, zmq_errno() == EINTR {}
        _ = isPending.exchange(false, ordering: .acquiringAndReleasing)
    }
}
