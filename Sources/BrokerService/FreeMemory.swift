import SystemCalls

/// The return of freed memory to the system.
///
/// glibc keeps freed memory: at the end of each thread's pool as much as was ever freed there at once, and before that
/// every block with one in use after it. After a flood that is nearly all memory of the flood.
enum FreeMemory {
    /// The bytes that may stay free in the pools.
    private static let kept = 32 << 20
    /// The threshold of `mmap` in bytes: a larger block is mapped on its own, and returned as soon as it is freed.
    private static let mmapThreshold: Int32 = 1 << 20
    /// The threshold of trimming in bytes: free memory beyond it at the end of a pool is returned at once.
    private static let trimThreshold: Int32 = 16 << 20
    /// The time between two checks, in s.
    private static let interval: UInt32 = 2

    /// Sets the thresholds of the allocator. Called before anything large is allocated.
    static func configure() {
        Allocator.configure(mmapThreshold: mmapThreshold, trimThreshold: trimThreshold)
    }

    /// Starts a thread that checks the memory regularly, until the process ends.
    ///
    /// - Throws: `ThreadError` if the system has no more threads.
    static func watch() throws(ThreadError) {
        try DedicatedThread.start {
            var freeBefore = 0
            while true {
                sleep(interval)
                let free = Allocator.freeBytes
                // Memory that was free before, too, will probably not be used soon.
                if min(free, freeBefore) > kept {
                    Allocator.trim()
                    freeBefore = 0
                } else {
                    freeBefore = free
                }
            }
        }
    }
}
