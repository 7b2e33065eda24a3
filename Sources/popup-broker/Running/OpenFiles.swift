import Logging
import SystemCalls

/// How many files and connections the process may have open. Each client takes two, and systems begin with 1024 unless they
/// are asked for more.
enum OpenFiles {
    /// More than any broker has clients.
    private static let most: rlim_t = 1 << 20

    /// Asks for as many as the system allows without further rights.
    static func raiseLimit(logger: Logger) {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return }
        let wanted = max(limit.rlim_cur, min(limit.rlim_max, most))
        guard wanted > limit.rlim_cur else { return }
        limit.rlim_cur = wanted
        if setrlimit(resource, &limit) != 0 {
            logger.warning(
                "the limit of open files stays as it is", metadata: ["why": "\(String(cString: strerror(errno)))"])
        }
    }
}
