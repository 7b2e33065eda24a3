#if canImport(Glibc)
    import CGlibc

    /// The allocator of the C library: its statistics and its settings.
    package enum Allocator {
        /// The allocated memory in bytes.
        package static var usedBytes: Int {
            let info = mallinfo2()
            return Int(clamping: info.uordblks) + Int(clamping: info.hblkhd)
        }

        /// The memory in bytes that was freed, and that the allocator keeps in its pools.
        package static var freeBytes: Int { Int(clamping: mallinfo2().fordblks) }

        /// Sets fixed thresholds for returning freed memory to the system. Otherwise, the allocator raises them over time
        /// (mallopt(3)).
        ///
        /// - Parameters:
        ///   - mmapThreshold: The size in bytes from which a block is mapped separately, and returned when it is freed.
        ///   - trimThreshold: The maximum of free memory at the end of the heap, in bytes; more is returned.
        package static func configure(mmapThreshold: Int32, trimThreshold: Int32) {
            mallopt(M_MMAP_THRESHOLD, mmapThreshold)
            mallopt(M_TRIM_THRESHOLD, trimThreshold)
        }

        /// Returns all free memory to the system.
        package static func trim() { malloc_trim(0) }
    }
#else
    /// The allocator of the C library: without glibc, it has no statistics and settings.
    package enum Allocator {
        /// The allocated memory: not known, 0.
        package static var usedBytes: Int { 0 }

        /// The memory that was freed and is kept: not known, 0.
        package static var freeBytes: Int { 0 }

        /// Does nothing.
        package static func configure(mmapThreshold: Int32, trimThreshold: Int32) {}

        /// Does nothing.
        package static func trim() {}
    }
#endif
