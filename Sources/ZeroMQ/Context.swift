import CZeroMQ
import SystemCalls

/// The context of sockets: the I/O threads of libzmq and the `inproc` names.
///
/// Each socket keeps its context alive, and the context ends with the last of them. It does not block: sockets drop what
/// they have not sent (`LINGER` 0), unless they have the option `linger`.
public final class Context: Sendable {
    // libzmq's context is safe to use from any thread.
    nonisolated(unsafe) let handle: UnsafeMutableRawPointer

    /// Creates a context.
    ///
    /// - Parameters:
    ///   - ioThreads: The number of I/O threads. One can move about a gigabyte per second.
    ///   - maxSockets: The maximum number of open sockets.
    /// - Throws: `ZeroMQError` if the process has no file descriptors left or a value is out of range.
    public init(ioThreads: Int32 = 1, maxSockets: Int32 = 1023) throws(ZeroMQError) {
        guard let handle = zmq_ctx_new() else { throw .last(.createContext) }
        self.handle = handle
        for (option, value) in [(ZMQ_BLOCKY, 0), (ZMQ_IO_THREADS, ioThreads), (ZMQ_MAX_SOCKETS, maxSockets)] {
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
