#if canImport(Glibc)
    import CMalloc

    /// What the C library's allocator can be told and asked.
    package enum Allocator {
        /// In bytes: what is in use.
        package static var usedBytes: Int {
            let info = mallinfo2()
            return Int(clamping: info.uordblks) + Int(clamping: info.hblkhd)
        }

        /// In bytes: what was freed, and is kept in the allocator's pools.
        package static var freeBytes: Int { Int(clamping: mallinfo2().fordblks) }

        /// Fixes what is given back to the system as soon as it is freed. Left to itself, the allocator raises both sizes.
        ///
        /// - Parameters:
        ///   - leastMapped: in bytes: a larger block is mapped by itself, and given back when it is freed.
        ///   - mostAtEnd: in bytes: what is free at the end of a pool beyond it is given back.
        package static func configure(leastMapped: Int32, mostAtEnd: Int32) {
            mallopt(M_MMAP_THRESHOLD, leastMapped)
            mallopt(M_TRIM_THRESHOLD, mostAtEnd)
        }

        /// Gives back to the system what is free.
        package static func trim() { malloc_trim(0) }
    }
#else
    /// What the C library's allocator can be told and asked: nothing but on glibc.
    package enum Allocator {
        /// In bytes: what is in use. It is not known: none.
        package static var usedBytes: Int { 0 }

        /// In bytes: what was freed, and is kept in the allocator's pools. It is not known: none.
        package static var freeBytes: Int { 0 }

        /// Does nothing.
        package static func configure(leastMapped: Int32, mostAtEnd: Int32) {}

        /// Does nothing.
        package static func trim() {}
    }
#endif
