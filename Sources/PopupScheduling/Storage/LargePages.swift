private import SystemCalls

/// The memory of tables. Several megabytes are requested in pages of 2 MiB if the system supports them: accesses to a
/// table of ids are random, and with small pages nearly each access misses the processor's TLB as well.
enum LargePages {
    /// The size of a large page in bytes on x86-64 and most ARM systems.
    private static let size = 2 << 20

    /// Returns uninitialized memory for `capacity` elements, to be freed by `deallocate`.
    static func allocate<Element: BitwiseCopyable>(_ capacity: Int) -> UnsafeMutablePointer<Element> {
        let bytes = capacity * MemoryLayout<Element>.stride
        guard bytes >= 2 * size else { return .allocate(capacity: capacity) }
        let memory = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: size)
        #if os(Linux)
            // This is a hint: if it has no effect, the pages are small.
            _ = madvise(memory, bytes, MADV_HUGEPAGE)
        #endif
        return memory.bindMemory(to: Element.self, capacity: capacity)
    }
}
