#if canImport(Glibc)
    import CGlibc

    /// The allocator of the C library: its statistics and its settings.
    package enum Allocator {
        /// Counts the memory: that which is allocated, and that which was freed and is kept in the allocator's pools,
        /// in bytes. Locks the pools meanwhile.
        package static func count() -> (used: Int, free: Int) {
            let info = mallinfo2()
            return (Int(clamping: info.uordblks) + Int(clamping: info.hblkhd), Int(clamping: info.fordblks))
        }

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
        /// Counts the memory: it is not known, 0.
        package static func count() -> (used: Int, free: Int) { (0, 0) }

        /// Does nothing.
        package static func configure(mmapThreshold: Int32, trimThreshold: Int32) {}

        /// Does nothing.
        package static func trim() {}
    }
#endif
