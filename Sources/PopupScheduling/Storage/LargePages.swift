private import SystemCalls

/// Memory for tables. One of some megabytes is asked for in pages of 2 MiB where the system has them: a table of ids is
/// looked into anywhere, and with small pages nearly each look misses the processor's list of pages, too.
enum LargePages {
    /// In bytes: that of x86-64 and of most ARM systems.
    private static let size = 2 << 20

    /// Uninitialized memory for so many elements; `deallocate` frees it.
    static func allocate<Element: BitwiseCopyable>(_ capacity: Int) -> UnsafeMutablePointer<Element> {
        let bytes = capacity * MemoryLayout<Element>.stride
        guard bytes >= 2 * size else { return .allocate(capacity: capacity) }
        let memory = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: size)
        #if os(Linux)
            // A wish: where it isn't granted the pages are small ones.
            _ = madvise(memory, bytes, MADV_HUGEPAGE)
        #endif
        return memory.bindMemory(to: Element.self, capacity: capacity)
    }
}
