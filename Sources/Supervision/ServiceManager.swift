import Synchronization
import SystemCalls

/// The service manager that has started this process and waits for its notifications, as systemd does: sd_notify(3).
///
/// A notification is a datagram to the socket that the environment names. No library of systemd is needed.
public final class ServiceManager: Sendable {
    private let socket: Int32
    private let address: sockaddr_un
    private let addressLength: socklen_t
    /// The time at which the last beat was sent, in µs of the monotonic clock.
    private let lastBeat = Atomic<UInt64>(0)
    /// The time at which the time for the start was extended last, in µs of the monotonic clock.
    private let lastExtension = Atomic<UInt64>(0)

    /// The longest time between two beats after which the service manager regards the process as hung, in µs; `nil` if
    /// it does not expect any.
    public let watchdogMicroseconds: UInt64?

    /// The longest time for which a notification that must arrive waits for the service manager, in s.
    private static let longestWait = 5
    /// The time between two extensions of a start that makes progress, in µs.
    private static let extensionInterval: UInt64 = 1_000_000
    /// The time that a start without a sign of progress is given, in µs: opening a journal shows none.
    private static let extensionMicroseconds: UInt64 = 600_000_000

    /// Creates the service manager that the environment names.
    ///
    /// - Parameter environment: The variables of systemd: `NOTIFY_SOCKET`, `WATCHDOG_USEC`, `WATCHDOG_PID`. A watchdog
    ///   for another process is not served.
    /// - Returns: `nil` without `NOTIFY_SOCKET`.
    /// - Throws: `SupervisionError` if the socket's name cannot be used, or no socket can be made.
    public init?(environment: [String: String]) throws(SupervisionError) {
        guard let name = environment["NOTIFY_SOCKET"], !name.isEmpty else { return nil }
        guard let (address, length) = Self.address(name) else { throw .address(name) }
        self.address = address
        addressLength = length
        watchdogMicroseconds = Self.watchdog(environment)
        socket = Self.makeSocket()
        guard socket >= 0 else { throw .socket(errno) }
        var wait = timeval(tv_sec: Self.longestWait, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &wait, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(socket) }

    // MARK: - Notifications

    /// Tells that the process starts, and what it does. Extends the time for the start.
    public func notifyStarting(_ status: String) {
        lastExtension.store(MonotonicTime.microseconds, ordering: .relaxed)
        send("STATUS=\(Self.line(status))\nEXTEND_TIMEOUT_USEC=\(Self.extensionMicroseconds)")
    }

    /// Tells that a start goes on, at most once per second, so that its time is extended. Never waits.
    public func notifyStartGoesOn() {
        let now = MonotonicTime.microseconds
        guard now &- lastExtension.load(ordering: .relaxed) >= Self.extensionInterval else { return }
        lastExtension.store(now, ordering: .relaxed)
        send("EXTEND_TIMEOUT_USEC=\(Self.extensionMicroseconds)", waits: false)
    }

    /// Tells that the process serves, after its start or a reload.
    public func notifyReady(_ status: String) { send("READY=1\nSTATUS=\(Self.line(status))") }

    /// Tells that the process reads its configuration again. `notifyReady` must follow.
    public func notifyReloading() {
        send("RELOADING=1\nMONOTONIC_USEC=\(MonotonicTime.microseconds)\nSTATUS=Reading the configuration again")
    }

    /// Tells that the process is about to end.
    public func notifyStopping() { send("STOPPING=1\nSTATUS=Stopping") }

    /// Tells the watchdog that the process is not hung, at most thrice in the time that it allows. Never waits.
    public func beat() {
        guard let watchdogMicroseconds else { return }
        let now = MonotonicTime.microseconds
        guard now &- lastBeat.load(ordering: .relaxed) >= watchdogMicroseconds / 3 else { return }
        // A beat that could not be sent is tried again by the next call.
        if send("WATCHDOG=1", waits: false) { lastBeat.store(now, ordering: .relaxed) }
    }

    /// Sends a datagram. Returns whether the service manager received it: one that has gone is no reason to end.
    @discardableResult
    private func send(_ text: String, waits: Bool = true) -> Bool {
        var address = address
        let flags = Int32(MSG_NOSIGNAL) | (waits ? 0 : Int32(MSG_DONTWAIT))
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                Array(text.utf8).withUnsafeBytes { bytes in
                    var sent = sendto(socket, bytes.baseAddress, bytes.count, flags, address, addressLength)
                    while sent < 0, errno == EINTR {
                        sent = sendto(socket, bytes.baseAddress, bytes.count, flags, address, addressLength)
                    }
                    return sent == bytes.count
                }
            }
        }
    }

    // MARK: - The environment

    /// Returns the address of a socket: a path, or a name of Linux's abstract namespace after an `@`.
    private static func address(_ name: String) -> (sockaddr_un, socklen_t)? {
        var address = sockaddr_un()
        let bytes = Array(name.utf8)
        let isAbstract = bytes[0] == UInt8(ascii: "@")
        // A path ends with a zero byte, and an abstract name begins with one.
        guard isAbstract || bytes[0] == UInt8(ascii: "/"), bytes.count > 1,
            bytes.count < MemoryLayout.size(ofValue: address.sun_path)
        else { return nil }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { path in
            path.copyBytes(from: bytes)
            if isAbstract { path[0] = 0 }
        }
        let offset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 0
        return (address, socklen_t(offset + bytes.count + (isAbstract ? 0 : 1)))
    }

    private static func watchdog(_ environment: [String: String]) -> UInt64? {
        guard let time = environment["WATCHDOG_USEC"].flatMap({ UInt64($0) }), time > 0 else { return nil }
        if let other = environment["WATCHDOG_PID"].flatMap({ Int32($0) }), other != getpid() { return nil }
        return time
    }

    private static func makeSocket() -> Int32 {
        #if canImport(Darwin)
            let descriptor = SystemCalls.socket(AF_UNIX, SOCK_DGRAM, 0)
            if descriptor >= 0 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
            return descriptor
        #else
            SystemCalls.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        #endif
    }

    /// Returns a text as one line: a notification has one variable per line.
    private static func line(_ text: String) -> String { text.replacing(/\s+/, with: " ") }
}

/// The error that the service manager cannot be notified, or that what it gives cannot be used.
public enum SupervisionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of the socket is neither a path nor abstract, or too long.
    case address(String)
    /// The system makes no socket; an `errno`.
    case socket(Int32)
    /// The system refuses a higher limit of open files; an `errno`.
    case openFiles(Int32)
    /// The service manager has opened several sockets, where one is used.
    case sockets(Int)

    /// A sentence.
    public var description: String {
        switch self {
        case .address(let name): "NOTIFY_SOCKET=\(name) is neither a path nor an abstract name (@…), or is too long"
        case .sockets(let count):
            "LISTEN_FDS=\(count), but only one socket is used; the unit must have one ListenStream="
        case .openFiles(let code): "the limit of open files cannot be raised: \(String(cString: strerror(code)))"
        case .socket(let code): "no socket for notifications: \(String(cString: strerror(code)))"
        }
    }
}
