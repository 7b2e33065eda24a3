import SystemCalls

/// Gives memory back to the system that the process has freed and doesn't use again.
///
/// glibc keeps what is freed: at the end of each thread's pool as much as was ever freed there at once, and before that
/// whatever has a block in use behind it. After a flood that is nearly all that the flood took.
enum FreeMemory {
    /// In bytes: so much may stay free in the pools, for what comes next.
    private static let kept = 32 << 20
    /// In bytes: a larger block is mapped by itself, and given back as soon as it is freed.
    private static let leastMapped: Int32 = 1 << 20
    /// In bytes: what is free at the end of a pool beyond it is given back at once.
    private static let mostAtEnd: Int32 = 16 << 20
    /// In s: so often it is looked at.
    private static let interval: UInt32 = 2

    /// Fixes how the allocator keeps memory, before anything large is allocated.
    static func configure() {
        Allocator.configure(leastMapped: leastMapped, mostAtEnd: mostAtEnd)
    }

    /// Looks now and then, on a thread of its own that ends with the process.
    ///
    /// - Throws: `ThreadError` when the system has no more threads.
    static func watch() throws(ThreadError) {
        try DedicatedThread.start {
            var freeBefore = 0
            while true {
                sleep(interval)
                let free = Allocator.freeBytes
                // What was free before, too, isn't about to be used again.
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
