import SystemCalls

/// The limit of open files and connections of the process. Systems begin with 1024 unless a process asks for more.
public enum OpenFiles {
    /// The highest limit that is requested; no process has as many clients.
    private static let maxCount: rlim_t = 1 << 20

    /// Raises the limit to the highest value that needs no privileges.
    ///
    /// - Returns: The limit in force; `nil` if the system does not tell it.
    /// - Throws: `SupervisionError.openFiles` if the system refuses a higher one.
    @discardableResult
    public static func raiseLimit() throws(SupervisionError) -> UInt64? {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return nil }
        let wanted = max(limit.rlim_cur, min(limit.rlim_max, maxCount))
        guard wanted > limit.rlim_cur else { return UInt64(limit.rlim_cur) }
        limit.rlim_cur = wanted
        guard setrlimit(resource, &limit) == 0 else { throw .openFiles(errno) }
        return UInt64(wanted)
    }
}
