import SystemCalls

/// How much memory the process uses, beside how much it may.
///
/// What the tables hold has limits of its own. What libzmq keeps for connections has none in bytes, is not told, and is
/// measured by what the process has in all.
struct MemoryGauge: ~Copyable {
    /// How much is left.
    enum State {
        /// Enough.
        case ample
        /// Less than a quarter.
        case short
        /// Nothing.
        case exhausted
    }

    private let limit: Int
    private let file: Int32
    private let pageBytes = sysconf(Int32(_SC_PAGESIZE))

    /// A gauge that says `exhausted` beyond so many bytes.
    init(limit: Int) {
        self.limit = limit
        file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
    }

    deinit {
        if file >= 0 { close(file) }
    }

    /// Looks at it. What is freed and not yet given back counts only as long as there is enough without it.
    func look() -> State {
        let resident = residentBytes
        if resident <= limit / 4 * 3 { return .ample }
        // Beyond the limit of what is resident it is worth going through what is free.
        if resident <= limit { return .short }
        let used = Allocator.usedBytes
        return used > limit ? .exhausted : used > limit / 4 * 3 ? .short : .ample
    }

    /// What the process has in memory; 0 where the system doesn't tell.
    private var residentBytes: Int {
        var text: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0, 0)
        return withUnsafeMutableBytes(of: &text) { buffer in
            let count = pread(file, buffer.baseAddress, buffer.count, 0)
            guard count > 0 else { return 0 }
            // Pages: all, then those that are resident.
            let words = buffer.prefix(count).split(separator: UInt8(ascii: " "))
            guard words.count > 1, let pages = Int(String(decoding: words[1], as: UTF8.self)) else { return 0 }
            return pages * pageBytes
        }
    }
}
