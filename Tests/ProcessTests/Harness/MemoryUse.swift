import Foundation

/// The memory of a process, as /proc tells it, in bytes.
enum MemoryUse {
    /// What it has in memory now.
    static func resident(of process: Int32) throws -> Int { try value("VmRSS", of: process) }

    /// The most that it ever had in memory.
    static func peak(of process: Int32) throws -> Int { try value("VmHWM", of: process) }

    private static func value(_ name: String, of process: Int32) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
        guard
            let kilobytes = line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap({
                Int($0)
            })
        else { throw NotInTime(description: "/proc/\(process)/status has no \(name)") }
        return kilobytes * 1024
    }
}
