import Foundation
import Glibc

extension ChildProcess {
    /// Its memory that is in use, as the system counts it.
    func residentBytes() throws -> Int {
        let pages = try String(contentsOfFile: "/proc/\(output.processID)/statm", encoding: .utf8).split(separator: " ")
        return (pages.count > 1 ? Int(pages[1]) ?? 0 : 0) * sysconf(Int32(_SC_PAGESIZE))
    }
}
