/// The time since its creation by any clock.
struct TimeSource: Sendable {
    private let elapsed: @Sendable () -> Duration
    private let sleep: @Sendable (Duration) async throws -> Void

    init<C: Clock>(_ clock: C) where C.Duration == Duration {
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
    }

    var now: Milliseconds { elapsed().milliseconds }

    /// Waits, and returns whether the time has come: `false` if the task was cancelled.
    func sleep(until time: Milliseconds) async -> Bool {
        do {
            try await sleep(.milliseconds(time))
            return !Task.isCancelled
        } catch {
            return false
        }
    }
}
