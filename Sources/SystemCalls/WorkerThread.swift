import Dispatch
import Synchronization

/// A thread that does one job after another, and ends with the last reference to it.
///
/// glibc gives each thread memory of a pool that it keeps to itself: a thread a job would leave large pools behind,
/// here one, there another.
package final class WorkerThread: Sendable {
    /// What the thread and who gives it jobs share. The thread doesn't hold the one whose end is its own.
    private final class Exchange: Sendable {
        let begun = DispatchSemaphore(value: 0)
        let job = Mutex<(@Sendable () -> Void)?>(nil)
    }

    private let exchange = Exchange()

    /// Starts the thread.
    ///
    /// - Parameter niceness: as of setpriority(2): a higher one gives way to other threads.
    /// - Throws: `ThreadError` when the system has no more threads.
    package init(niceness: Int32) throws(ThreadError) {
        try DedicatedThread.start { [exchange] in
            // Of this thread alone, as Linux has it.
            if niceness != 0 { _ = setpriority(Int32(PRIO_PROCESS.rawValue), 0, niceness) }
            while true {
                exchange.begun.wait()
                guard let job = exchange.job.withLock({ $0.take() }) else { return }
                job()
            }
        }
    }

    deinit {
        // Without a job: it ends.
        exchange.begun.signal()
    }

    /// Begins a job, and returns at once. The one before must have ended.
    package func begin(_ job: @escaping @Sendable () -> Void) {
        exchange.job.withLock { $0 = job }
        exchange.begun.signal()
    }
}
