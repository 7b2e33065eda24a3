#if canImport(Glibc)
    import CGlibc
#endif

/// The writing of changed pages from the system's cache to the disk, before an fsync asks for it.
package enum Writeback {
    // SYNC_FILE_RANGE_WAIT_BEFORE, _WRITE and _WAIT_AFTER of <linux/fs.h>.
    private static let writeAndWait: UInt32 = 1 | 2 | 4

    /// Writes the pages of a file that are changed by now, and waits until the disk has them. This makes nothing
    /// durable: the file's size, its blocks and the disk's own cache are left to an fsync, which then has little to
    /// write. Without glibc, it does nothing.
    package static func write(_ descriptor: Int32) {
        #if canImport(Glibc)
            _ = sync_file_range(descriptor, 0, 0, writeAndWait)
        #endif
    }
}
