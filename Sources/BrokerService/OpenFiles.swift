import Logging
import SystemCalls

/// The limit of open files and connections of the process. Each client needs two; systems begin with 1024 unless a process
/// asks for more.
enum OpenFiles {
    /// The highest limit that is requested; no broker has as many clients.
    private static let maxCount: rlim_t = 1 << 20

    /// Raises the limit to the highest value that needs no privileges.
    static func raiseLimit(logger: Logger) {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return }
        let wanted = max(limit.rlim_cur, min(limit.rlim_max, maxCount))
        guard wanted > limit.rlim_cur else { return }
        limit.rlim_cur = wanted
        if setrlimit(resource, &limit) != 0 {
            logger.warning(
                "cannot raise the limit of open files", metadata: ["why": "\(String(cString: strerror(errno)))"])
        }
    }
}
