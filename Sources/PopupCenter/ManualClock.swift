import Synchronization

/// A clock that stands until it is advanced: for tests and for trying rules without waiting.
///
///     let clock = ManualClock()
///     let center = PopupCenter<String>(clock: clock)
///     clock.advance(by: .seconds(3))
public final class ManualClock: Clock, Sendable {
    /// An instant of the clock.
    public struct Instant: InstantProtocol {
        /// The time since the clock's beginning.
        public var offset: Duration

        /// Returns the instant that is later by `duration`.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

        /// Returns the time from this instant to another.
        public func duration(to other: Instant) -> Duration { other.offset - offset }

        /// Whether an instant is before another.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        var number: Int
        var deadline: Instant
        var continuation: CheckedContinuation<Void, any Error>
    }

    private struct Storage {
        var now = Instant(offset: .zero)
        var lastSleeper = 0
        var sleepers: [Sleeper] = []
    }

    private let storage = Mutex(Storage())

    /// Creates a clock.
    public init() {}

    /// The present instant.
    public var now: Instant { storage.withLock { $0.now } }

    /// The shortest time that it can measure.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// The number of tasks that sleep.
    package var sleeperCount: Int { storage.withLock { $0.sleepers.count } }

    /// The number of times that a task has begun to sleep.
    package var sleepCount: Int { storage.withLock { $0.lastSleeper } }

    /// Moves the clock on, and wakes the tasks whose time has come.
    public func advance(by duration: Duration) {
        let due = storage.withLock { storage in
            storage.now = storage.now.advanced(by: duration)
            let due = storage.sleepers.filter { $0.deadline <= storage.now }
            storage.sleepers.removeAll { $0.deadline <= storage.now }
            return due
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    /// Waits until the clock has come to an instant.
    ///
    /// - Throws: `CancellationError`.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let number = storage.withLock { storage in
            storage.lastSleeper += 1
            return storage.lastSleeper
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result: Result<Void, any Error>? = storage.withLock { storage in
                    // The handler below runs after the task is marked as cancelled: one of both sees it.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if deadline <= storage.now { return .success(()) }
                    storage.sleepers.append(Sleeper(number: number, deadline: deadline, continuation: continuation))
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            let sleeper = storage.withLock { storage in
                storage.sleepers.firstIndex { $0.number == number }.map { storage.sleepers.remove(at: $0) }
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }
}
