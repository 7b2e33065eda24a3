import SystemCalls

/// The return of freed memory to the system.
///
/// glibc keeps freed memory: at the end of each thread's pool as much as was ever freed there at once, and before that
/// every block with one in use after it. After a flood that is nearly all memory of the flood.
enum FreeMemory {
    /// The threshold of `mmap` in bytes: a larger block is mapped on its own, and returned as soon as it is freed.
    private static let mmapThreshold: Int32 = 1 << 20
    /// The threshold of trimming in bytes: free memory beyond it at the end of a pool is returned at once.
    private static let trimThreshold: Int32 = 16 << 20

    /// Sets the thresholds of the allocator. Called before anything large is allocated.
    static func configure() {
        Allocator.configure(mmapThreshold: mmapThreshold, trimThreshold: trimThreshold)
    }

    /// Starts a thread that checks the memory regularly, until the process ends.
    ///
    /// - Parameter limit: The limit of the process's memory in bytes.
    /// - Throws: `ThreadError` if the system has no more threads.
    static func watch(limit: Int) throws(ThreadError) {
        try DedicatedThread.start {
            let resident = ResidentMemory()
            var pace = MemoryReturnPace(limit: limit, unused: resident.bytes - Allocator.count().used)
            while true {
                sleep(MemoryReturnPace.interval)
                guard pace.isTimeToCount(work: ProcessorTime.microseconds, resident: resident.bytes) else { continue }
                let memory = Allocator.count()
                let unused = resident.bytes - memory.used
                guard pace.isTimeToReturn(unused: unused, free: memory.free, work: ProcessorTime.microseconds) else {
                    continue
                }
                Allocator.trim()
                let left = resident.bytes - Allocator.count().used
                pace.recordReturn(unused: left, work: ProcessorTime.microseconds)
            }
        }
    }
}
