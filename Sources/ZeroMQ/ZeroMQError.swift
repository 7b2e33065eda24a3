import CZeroMQ
import SystemCalls

/// An error of libzmq: the operation, the endpoint and the reason.
public struct ZeroMQError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The operation that failed.
    public enum Operation: String, Sendable {
        /// Creating a context.
        case createContext = "create a context"
        /// Creating a socket.
        case createSocket = "create a socket"
        /// Setting an option.
        case setOption = "set an option"
        /// Reading an option.
        case readOption = "read an option"
        /// Binding to an endpoint.
        case bind
        /// Releasing a bound endpoint.
        case unbind
        /// Connecting to an endpoint.
        case connect
        /// Disconnecting from an endpoint.
        case disconnect
        /// Adding a subscription.
        case subscribe
        /// Cancelling a subscription.
        case unsubscribe
        /// Sending a frame.
        case send
        /// Receiving a frame.
        case receive
        /// Waiting for sockets and file descriptors.
        case poll
        /// Monitoring the connections of a socket.
        case monitor
        /// Creating a CURVE key, or deriving its public key.
        case makeKey = "create a key"
        /// Creating a wake-up.
        case createWakeup = "create a wake-up"
    }

    /// The error number, as `zmq_errno` gave it.
    public let code: Int32
    /// The operation that failed.
    public let operation: Operation
    /// The endpoint or option concerned.
    public let subject: String?

    /// Creates an error with a number of libzmq.
    public init(code: Int32, operation: Operation, subject: String? = nil) {
        self.code = code
        self.operation = operation
        self.subject = subject
    }

    /// Returns the error of the call that failed just now on this thread.
    @usableFromInline
    static func last(_ operation: Operation, _ subject: String? = nil) -> ZeroMQError {
        ZeroMQError(code: zmq_errno(), operation: operation, subject: subject)
    }

    /// One sentence that says what failed, why and, if known, what to do.
    public var description: String {
        let what = subject.map { "cannot \(operation.rawValue) \($0)" } ?? "cannot \(operation.rawValue)"
        return "\(what): \(reason)"
    }

    private var reason: String {
        switch code {
        case EADDRINUSE:
            "the address is in use; stop the process that uses it, or choose another port"
        case EADDRNOTAVAIL:
            "no interface of this machine has the address; use an address of this machine, or * for all of them"
        case ENOTSUP where operation == .makeKey:
            "libzmq was built without CURVE; install one that has it (Debian's libzmq3-dev)"
        case EINVAL where operation == .setOption:
            "the value is out of the option's range"
        case EINVAL:
            "the endpoint is not valid; write it like tcp://127.0.0.1:5570, with a port from 1 to 65535, or"
                + " ipc:///run/popups.sock"
        case EPROTONOSUPPORT:
            "the transport is not supported; use tcp, ipc or inproc"
        case EACCES:
            "permission denied; choose a port above 1023 or a path that this user may write"
        case ENODEV:
            "no such network interface; use an address or interface of this machine, or * for all of them"
        case EMFILE:
            "too many open sockets or files; raise the limit (ulimit -n) or close some"
        case ENOENT where operation == .unbind || operation == .disconnect:
            "the socket is not attached to it"
        default:
            String(cString: zmq_strerror(code))
        }
    }
}
