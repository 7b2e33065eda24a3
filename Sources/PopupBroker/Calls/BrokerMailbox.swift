import PopupProtocol
import Synchronization

/// The calls of other threads to the broker's thread.
final class BrokerMailbox: Sendable {
    /// A call that waits to be performed.
    enum Call: Sendable {
        /// Apply the policies, defaults, quotas and rights of this configuration, and these time zones.
        case reconfigure(BrokerConfiguration, LoadedTimeZones, @Sendable (Result<Void, any Error>) -> Void)
        /// Perform a command.
        case command(WireCommand, @Sendable (CommandRefusal?) -> Void)

        /// Refuses the call, since the broker stopped before it began.
        func reject() {
            let refusal = CommandRefusal(.overload, "the broker has stopped; start it again")
            switch self {
            case .reconfigure(_, _, let done): done(.failure(refusal))
            case .command(_, let done): done(refusal)
            }
        }
    }

    private struct State {
        var calls: [Call] = []
        var isStopping = false
        var isClosed = false
    }

    private let capacity: Int
    private let wake: @Sendable () -> Void
    private let state = Mutex(State())

    init(capacity: Int, wake: @escaping @Sendable () -> Void) {
        self.capacity = capacity
        self.wake = wake
    }

    /// Adds a call.
    ///
    /// - Throws: `OVERLOAD` if too many calls wait, or if the broker has stopped.
    func add(_ call: Call) throws(CommandRefusal) {
        let refusal: CommandRefusal? = state.withLock { state in
            if state.isClosed { return CommandRefusal(.overload, "the broker has stopped; start it again") }
            guard state.calls.count < capacity else {
                return .tooManyCalls(capacity)
            }
            state.calls.append(call)
            return nil
        }
        if let refusal { throw refusal }
        wake()
    }

    /// Requests the broker to stop.
    func stop() {
        state.withLock { $0.isStopping = true }
        wake()
    }

    /// Whether the broker is requested to stop.
    var isStopping: Bool { state.withLock { $0.isStopping } }

    /// Removes and returns the waiting calls, and returns whether the broker has to stop.
    func take() -> (calls: [Call], isStopping: Bool) {
        state.withLock { state in
            guard !state.calls.isEmpty else { return ([], state.isStopping) }
            defer { state.calls.removeAll() }
            return (state.calls, state.isStopping)
        }
    }

    /// Closes the mailbox. Returns the waiting calls.
    func close() -> [Call] {
        state.withLock { state in
            state.isClosed = true
            defer { state.calls.removeAll() }
            return state.calls
        }
    }
}
