import SystemCalls

/// The sockets that the service manager has opened for this process: sd_listen_fds(3).
public enum InheritedSockets {
    /// The descriptor of the first one.
    private static let first: Int32 = 3

    /// Returns the listening socket for this process, which its children do not inherit; `nil` if there is none.
    ///
    /// - Parameter environment: The variables of systemd: `LISTEN_PID`, `LISTEN_FDS`. A socket for another process is left
    ///   alone.
    /// - Throws: `SupervisionError.sockets` if there are several.
    public static func listener(environment: [String: String]) throws(SupervisionError) -> Int32? {
        guard let process = environment["LISTEN_PID"].flatMap({ Int32($0) }), process == getpid(),
            let count = environment["LISTEN_FDS"].flatMap({ Int($0) }), count > 0
        else { return nil }
        guard count == 1 else { throw .sockets(count) }
        _ = fcntl(first, F_SETFD, FD_CLOEXEC)
        return first
    }
}
