import Dispatch
import Synchronization

/// A thread that executes one job after another, and ends when its last reference is released.
///
/// glibc allocates the memory of each thread from a pool of its own, which it keeps. With a new thread per job, large
/// pools would remain.
package final class WorkerThread: Sendable {
    /// The part that the thread shares with the owner. The thread does not hold the owner, whose deinitialization ends
    /// it.
    private final class Exchange: Sendable {
        let begun = DispatchSemaphore(value: 0)
        let job = Mutex<(@Sendable () -> Void)?>(nil)
    }

    private let exchange = Exchange()

    /// Starts the thread.
    ///
    /// - Parameter niceness: The niceness of setpriority(2): with a higher value, other threads have precedence.
    /// - Throws: `ThreadError` if the system allows no more threads.
    package init(niceness: Int32) throws(ThreadError) {
        try DedicatedThread.start { [exchange] in
            // On Linux, this applies to the calling thread alone.
            if niceness != 0 { _ = setpriority(Int32(PRIO_PROCESS.rawValue), 0, niceness) }
            while true {
                exchange.begun.wait()
                guard let job = exchange.job.withLock({ $0.take() }) else { return }
                job()
            }
        }
    }

    deinit {
        // A signal without a job ends the thread.
        exchange.begun.signal()
    }

    /// Starts a job, and returns at once. The previous job must have ended.
    package func begin(_ job: @escaping @Sendable () -> Void) {
        exchange.job.withLock { $0 = job }
        exchange.begun.signal()
    }
}
