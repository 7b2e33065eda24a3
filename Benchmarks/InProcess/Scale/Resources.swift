import Glibc

/// What the process and the thread have used.
enum Resources {
    /// The memory that the process holds, by /proc.
    static func residentBytes() throws -> Int {
        guard let file = fopen("/proc/self/statm", "r") else { throw WrongWork(description: "no /proc/self/statm") }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        guard fgets(&line, Int32(line.count), file) != nil else {
            throw WrongWork(description: "/proc/self/statm is empty")
        }
        let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        let fields = text.split(separator: " ")
        guard fields.count > 1, let pages = Int(fields[1]) else {
            throw WrongWork(description: "/proc/self/statm has no resident pages")
        }
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }

    /// The processor's time that this thread has taken.
    static func threadNanoseconds() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}
