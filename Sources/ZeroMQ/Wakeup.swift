import CZeroMQ
import Synchronization
import SystemCalls

/// A signal that wakes a thread from `Poller.wait`. Any thread may send it.
///
/// The sender adds to a queue, then calls `signal()`. The receiver calls `drain()` after waking, then reads the queue: so
/// nothing is missed. A further signal before `drain()` costs no system call.
public final class Wakeup: Sendable {
    /// The file descriptor that becomes readable with a signal.
    public let fileDescriptor: Int32
    private let isPending = Atomic(false)

    /// Creates a wake-up without a signal.
    ///
    /// - Throws: `ZeroMQError` if the process has no file descriptors left.
    public init() throws(ZeroMQError) {
        fileDescriptor = czmq_eventfd()
        guard fileDescriptor >= 0 else { throw .last(.createWakeup) }
    }

    deinit {
        close(fileDescriptor)
    }

    /// Wakes the waiting thread, or makes its next wait return at once.
    public func signal() {
        guard !isPending.exchange(true, ordering: .acquiringAndReleasing) else { return }
        var one: UInt64 = 1
        while write(fileDescriptor, &one, MemoryLayout.size(ofValue: one)) < 0, zmq_errno() == EINTR {}
    }

    /// Clears the signal. It empties the file descriptor before it clears the flag: a signal in between finds the flag set,
    /// and the following read of the queue covers it.
    public func drain() {
        var count: UInt64 = 0
        while read(fileDescriptor, &count, MemoryLayout.size(ofValue: count)) < 0, zmq_errno() == EINTR {}
        _ = isPending.exchange(false, ordering: .acquiringAndReleasing)
    }
}
