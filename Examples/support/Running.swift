import UnixSignals

/// The reason why some work ended.
public enum End: Equatable, Sendable {
    /// The work was done.
    case finished
    /// The time limit was reached.
    case timeUp
    /// A signal (SIGINT, SIGTERM or SIGHUP) asked for the end.
    case signalled
}

/// Runs `work` until it ends by itself, its time is over or a signal asks for the end; then cancels it and waits for
/// it.
///
/// - Parameter time: The time limit; `nil`: none.
/// - Throws: The error of `work`.
@discardableResult
public func running(
    for time: Duration? = nil, _ work: @escaping @Sendable () async throws -> Void
) async throws -> End {
    // Signals are caught from here on: `work` may report that it is ready, and a signal may follow at once.
    let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup)
    return try await withThrowingTaskGroup(of: End.self) { group in
        group.addTask {
            do {
                try await work()
            } catch is CancellationError {
                // Another end came first.
            }
            return .finished
        }
        group.addTask {
            for await _ in signals { return .signalled }
            return .finished
        }
        if let time {
            group.addTask {
                try? await Task.sleep(for: time)
                return .timeUp
            }
        }
        defer { group.cancelAll() }
        return try await group.next()!
    }
}
