import Dispatch
import PopupBroker
import Synchronization
import SystemCalls

/// A writer of lines to a stream that may be slow, or not be read. A thread of its own writes them, so that no caller
/// waits for the stream.
///
/// Lines wait in a queue of bounded size. What does not fit, or cannot be written, is counted, and the number is written in a
/// line of its own as soon as possible.
final class LineWriter: Sendable {
    private struct State {
        var capacity: Int
        /// Whole lines that the thread has not taken yet.
        var pending: [UInt8] = []
        /// The bytes that are not written yet, including those that the thread has taken.
        var held = 0
        /// The bytes of all lines that were ever taken.
        var taken: UInt64 = 0
        /// The end of the last critical line among them.
        var criticalEnd: UInt64 = 0
        /// Whether a critical line did not fit, or could not be written.
        var isCriticalLost = false
        /// Whether a critical line is not written yet.
        var waitsForCritical: Bool { taken - UInt64(held) < criticalEnd }
        /// The number of lost lines that is not reported yet.
        var unwritten: UInt64 = 0
        /// Whether the last attempt to write failed.
        var isFailing = false
        /// The semaphore that is signalled when the queue is empty.
        var flushed: DispatchSemaphore?
    }

    private let descriptor: Int32
    private let describe: @Sendable (UInt64) -> String
    private let state: Mutex<State>
    private let begun = DispatchSemaphore(value: 0)

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - capacity: The size of the queue in bytes.
    ///   - describe: Returns the line that reports the number of lines that were not written.
    /// - Throws: `ThreadError` if the system has no more threads.
    init(
        _ descriptor: Int32, capacity: Int, describe: @escaping @Sendable (UInt64) -> String
    ) throws(ThreadError) {
        self.descriptor = descriptor
        self.describe = describe
        state = Mutex(State(capacity: capacity))
        try DedicatedThread.start { [self] in
            while true {
                begun.wait()
                while let (lines, told) = take() { write(lines, telling: told) }
            }
        }
    }

    /// Queues a line without its end. Returns at once.
    ///
    /// - Parameter isCritical: Whether the line may use the eighth of the queue that is reserved for critical lines.
    func write(_ line: String, isCritical: Bool = false) {
        let size = line.utf8.count + 1
        let begins = state.withLock { state in
            guard state.held + size <= state.capacity - (isCritical ? 0 : state.capacity / 8) else {
                state.unwritten += 1
                if isCritical { state.isCriticalLost = true }
                return false
            }
            defer { state.held += size }
            state.taken += UInt64(size)
            if isCritical { state.criticalEnd = state.taken }
            state.pending += line.utf8
            state.pending.append(UInt8(ascii: "\n"))
            return state.pending.count == size
        }
        if begins { begun.signal() }
    }

    /// Whether all critical lines so far are written. Remains false if one of them was lost.
    var hasWrittenCritical: Bool {
        state.withLock { !$0.isCriticalLost && !$0.waitsForCritical }
    }

    /// Changes the size of the queue.
    func change(capacity: Int) {
        state.withLock { $0.capacity = capacity }
    }

    /// Waits until all lines are written, at most until `deadline`.
    func flush(before deadline: DispatchTime) {
        let flushed = DispatchSemaphore(value: 0)
        state.withLock { $0.flushed = flushed }
        begun.signal()
        _ = flushed.wait(timeout: deadline)
    }

    /// Returns all queued lines and, at the end, a line that reports this number of lost lines; `nil` if there are none.
    private func take() -> (lines: [UInt8], told: UInt64)? {
        state.withLock { state in
            var lines: [UInt8] = []
            swap(&lines, &state.pending)
            guard !lines.isEmpty || state.unwritten > 0 && !state.isFailing else {
                state.flushed.take()?.signal()
                return nil
            }
            let told = state.unwritten
            if told > 0 {
                let line = Array(describe(told).utf8) + [UInt8(ascii: "\n")]
                lines += line
                state.held += line.count
                state.taken += UInt64(line.count)
                state.unwritten = 0
            }
            return (lines, told)
        }
    }

    private func write(_ lines: [UInt8], telling told: UInt64) {
        var position = 0
        while position < lines.count {
            let count = lines[position...].withUnsafeBytes { SystemCalls.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                position += count
                state.withLock { $0.held -= count }
            } else if count < 0, errno == EAGAIN {
                // Other processes that share the stream do not wait for it.
                var item = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&item, 1, -1)
            } else if count == 0 || errno != EINTR {
                break
            }
        }
        let rest = lines[position...]
        let lost = UInt64(rest.count { $0 == UInt8(ascii: "\n") })
        state.withLock { state in
            if !rest.isEmpty, state.waitsForCritical { state.isCriticalLost = true }
            state.held -= rest.count
            state.isFailing = lost > 0
            // The last line is the one that tells, if any does.
            if lost > 0 { state.unwritten += told > 0 ? lost - 1 + told : lost }
        }
    }
}
