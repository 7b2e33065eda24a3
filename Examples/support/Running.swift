import UnixSignals

/// Why something that could have gone on for ever ended.
public enum End: Equatable, Sendable {
    /// It was done.
    case finished
    /// The time given for it was over.
    case timeUp
    /// A signal (SIGINT, SIGTERM or SIGHUP) asked for it.
    case signalled
}

/// Runs `work` until it ends by itself, its time is over or a signal asks for the end; then cancels it and waits for it.
///
/// - Parameter time: nil: no limit.
/// - Throws: what `work` throws.
@discardableResult
public func running(
    for time: Duration? = nil, _ work: @escaping @Sendable () async throws -> Void
) async throws -> End {
    // Caught from here on: `work` may tell that it is ready, and a signal may be the answer.
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
