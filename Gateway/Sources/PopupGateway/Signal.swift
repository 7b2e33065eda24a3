import Synchronization

/// A signal that there may be something to take, until it ends. It has one listener, which may come later.
final class Signal: Sendable {
    /// A function that is called for a signal, on the thread that sends it. `hasEnded`: it was the last one.
    typealias Listener = @Sendable (_ hasEnded: Bool) -> Void

    private struct State {
        var listener: Listener?
        /// Whether there was a signal before there was a listener.
        var isPending = false
        var hasEnded = false
    }

    private let state = Mutex(State())

    /// Whether the last signal was sent.
    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// Signals that there may be something to take.
    func send() { send(isLast: false) }

    /// Signals for the last time. Later calls have no effect.
    func end() { send(isLast: true) }

    private func send(isLast: Bool) {
        let listener = state.withLock { state in
            guard !state.hasEnded else { return Listener?.none }
            state.hasEnded = isLast
            if state.listener == nil { state.isPending = true }
            defer { if isLast { state.listener = nil } }
            return state.listener
        }
        listener?(isLast)
    }

    /// Sets the listener instead of an earlier one. It is called at once if there was a signal before.
    func listen(_ listener: @escaping Listener) {
        let (isPending, hasEnded) = state.withLock { state in
            defer {
                state.isPending = false
                state.listener = state.hasEnded ? nil : listener
            }
            return (state.isPending || state.hasEnded, state.hasEnded)
        }
        if isPending { listener(hasEnded) }
    }

    /// Returns the signals as a sequence that ends with them, and becomes the listener. Signals that nobody waits for are one.
    func sequence() -> AsyncStream<Void> {
        let (sequence, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        listen { hasEnded in
            continuation.yield()
            if hasEnded { continuation.finish() }
        }
        return sequence
    }
}
