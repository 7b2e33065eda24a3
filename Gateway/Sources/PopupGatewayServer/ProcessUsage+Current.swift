import Foundation
import PopupGateway

#if canImport(Glibc)
    import Glibc
#endif

extension ProcessUsage {
    /// The resource usage of this process; `nil` if `/proc` does not have it.
    static var current: ProcessUsage? {
        guard let stat = text("/proc/self/stat"), let memory = text("/proc/self/statm"),
            let files = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        else { return nil }
        // The second field is the name of the program in parentheses, which may have spaces.
        let fields = stat[(stat.lastIndex(of: ")") ?? stat.startIndex)...].split(separator: " ")
        guard fields.count > 20, let user = Double(fields[12]), let system = Double(fields[13]),
            let start = Double(fields[20]), let pages = UInt64(memory.split(separator: " ").dropFirst().first ?? ""),
            let boot = bootTime
        else { return nil }
        let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return ProcessUsage(
            cpuSeconds: (user + system) / ticks, residentBytes: pages * UInt64(sysconf(Int32(_SC_PAGESIZE))),
            openFiles: UInt64(files.count), maxFiles: UInt64(limit.rlim_cur), startTime: boot + start / ticks)
    }

    /// The time at which the machine started, in seconds since 1970.
    private static var bootTime: Double? {
        text("/proc/stat")?.split(separator: "\n").first { $0.hasPrefix("btime ") }.flatMap { Double($0.dropFirst(6)) }
    }

    private static func text(_ path: String) -> String? {
        try? String(contentsOfFile: path, encoding: .utf8)
    }
}
