import CZeroMQ
import SystemCalls

/// The home of sockets: libzmq's I/O threads and the `inproc` names.
///
/// Each socket keeps its context alive; the context terminates with the last of them. It does not block: sockets drop
/// what they have not sent (`LINGER` 0) unless they ask for more time.
public final class Context: Sendable {
    // libzmq's context is safe to use from any thread.
    nonisolated(unsafe) let handle: UnsafeMutableRawPointer

    /// Makes a context.
    ///
    /// - Parameters:
    ///   - ioThreads: threads that move bytes; one serves about a gigabyte a second.
    ///   - maximumSockets: how many sockets may be open at a time.
    /// - Throws: `ZeroMQError` when the process has no file descriptors left or a value is out of range.
    public init(ioThreads: Int32 = 1, maximumSockets: Int32 = 1023) throws(ZeroMQError) {
        guard let handle = zmq_ctx_new() else { throw .last(.createContext) }
        self.handle = handle
        for (option, value) in [(ZMQ_BLOCKY, 0), (ZMQ_IO_THREADS, ioThreads), (ZMQ_MAX_SOCKETS, maximumSockets)] {
            guard zmq_ctx_set(handle, option, value) == 0 else { throw .last(.createContext) }
        }
    }

    deinit {
        while zmq_ctx_term(handle) != 0, zmq_errno() == EINTR {}
    }

    /// Makes every blocking call on the context's sockets return at once with `ETERM`.
    public func shutdown() {
        zmq_ctx_shutdown(handle)
    }
}
