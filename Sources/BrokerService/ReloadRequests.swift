import Synchronization

/// The requests to read the configuration again. Those that wait are answered together: one reading is as new as all of them.
final class ReloadRequests: Sendable {
    private let waiting = Mutex<[@Sendable (Bool) -> Void]>([])
    private let arriving: AsyncStream<Void>.Continuation

    /// The moments at which there is something to take.
    let arrivals: AsyncStream<Void>

    /// Creates requests, of which there are none yet.
    init() { (arrivals, arriving) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    /// Adds a request.
    ///
    /// - Parameter done: Is called with whether the configuration is in force; `nil`: no caller asks.
    func add(_ done: (@Sendable (Bool) -> Void)?) {
        if let done { waiting.withLock { $0.append(done) } }
        arriving.yield()
    }

    /// Removes and returns the functions to call after the next reading.
    func take() -> [@Sendable (Bool) -> Void] {
        waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
    }
}
