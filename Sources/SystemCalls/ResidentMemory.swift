/// The resident memory of the process. Its file stays open, so a process without a free descriptor can read it, too.
package struct ResidentMemory: ~Copyable {
    private let file: Int32
    private let pageBytes = sysconf(Int32(_SC_PAGESIZE))

    /// Opens the file in which the system reports the memory.
    package init() {
        file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
    }

    deinit {
        if file >= 0 { close(file) }
    }

    /// The resident memory in bytes; 0 if the system does not report it.
    package var bytes: Int {
        var text: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0, 0)
        return withUnsafeMutableBytes(of: &text) { buffer in
            let count = pread(file, buffer.baseAddress, buffer.count, 0)
            guard count > 0 else { return 0 }
            // The numbers are in pages: the total first, then the resident ones.
            let words = buffer.prefix(count).split(separator: UInt8(ascii: " "))
            guard words.count > 1, let pages = Int(String(decoding: words[1], as: UTF8.self)) else { return 0 }
            return pages * pageBytes
        }
    }
}
