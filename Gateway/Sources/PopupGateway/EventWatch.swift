import PopupProtocol
import Synchronization

/// The pending events of one stream. A reader that is too slow learns how many events it missed.
final class EventWatch: PatternReader {
    /// An item to be sent.
    enum Item {
        case broker(isConnected: Bool)
        case event(EncodedEvent)
        /// Events are missing here; 0: an unknown number.
        case gap(dropped: Int)
        case ping
        case retry(milliseconds: Int)
    }

    fileprivate struct State {
        var queue: [EncodedEvent] = []
        var next = 0
        /// The number of events at the beginning of the queue that the reader had missed before it came.
        var replayed = 0
        var dropped: Int?
        var broker: Bool?
        var isPingDue = false
        var retry: Int?
        var isEnding = false
        var hasFailed = false
        var sent: ContinuousClock.Instant
    }

    let patterns: [GroupPattern]
    /// The signal that there are items to take. It ends with the stream.
    let signal = Signal()
    private let times: Watch.Times
    private let state: Mutex<State>

    init(_ patterns: [GroupPattern], _ times: Watch.Times, at now: ContinuousClock.Instant) {
        self.patterns = patterns
        self.times = times
        state = Mutex(State(sent: now))
    }

    /// Records the events that a new reader has missed. The limit of unsent events does not count them: as many are sent as
    /// were kept.
    func replay(_ events: [EncodedEvent]) {
        state.withLock { state in
            state.queue = events
            (state.next, state.replayed) = (0, events.count)
        }
        signal.send()
    }

    /// Records an event.
    func offer(_ event: EncodedEvent) {
        state.withLock { state in
            if state.queue.count - max(state.next, state.replayed) >= Self.maxUnsent {
                state.dropped = (state.dropped ?? 0) + state.queue.count - state.next
                state.clearQueue()
            }
            state.queue.append(event)
        }
        signal.send()
    }

    /// Records that events are missing.
    func lose(_ count: Int) {
        state.withLock { $0.dropped = ($0.dropped ?? 0) + count }
        signal.send()
    }

    /// Records that the broker was lost, is back or has restarted.
    func setConnected(_ isConnected: Bool) {
        state.withLock { $0.broker = isConnected }
        signal.send()
    }

    /// Checks whether a ping or the end of the stream is due.
    func tick(at now: ContinuousClock.Instant) {
        let (isPingDue, ends) = state.withLock { state in
            if now - state.sent >= times.heartbeat { state.isPingDue = true }
            return (state.isPingDue, now >= times.end)
        }
        if ends { end(retry: nil) } else if isPingDue { signal.send() }
    }

    /// Takes the next item; `nil` if there is none.
    func take(at now: ContinuousClock.Instant) -> Item? {
        state.withLock { state in
            let item = state.take()
            if item != nil { (state.sent, state.isPingDue) = (now, false) }
            return item
        }
    }

    static let maxUnsent = 256
}

extension EventWatch: EndableStream {
    var endsAt: ContinuousClock.Instant { times.end }
    var hasFailed: Bool { state.withLock { $0.hasFailed } }

    /// Ends the stream: its events cannot be followed any more.
    func fail() {
        state.withLock { $0.hasFailed = true }
        end(retry: 10_000)
    }

    func end(retry: Int?) {
        state.withLock { state in
            guard !state.isEnding else { return }
            state.clearQueue()
            (state.broker, state.dropped) = (nil, nil)
            (state.retry, state.isEnding) = (retry, true)
        }
        signal.end()
    }
}

extension EventWatch.State {
    fileprivate mutating func clearQueue() { (queue, next, replayed) = ([], 0, 0) }

    fileprivate mutating func take() -> EventWatch.Item? {
        if let isConnected = broker {
            broker = nil
            return .broker(isConnected: isConnected)
        }
        if let count = dropped {
            dropped = nil
            return .gap(dropped: count)
        }
        if next < queue.count {
            defer {
                next += 1
                if next == queue.count { clearQueue() }
            }
            return .event(queue[next])
        }
        if let milliseconds = retry {
            retry = nil
            return .retry(milliseconds: milliseconds)
        }
        return isPingDue && !isEnding ? .ping : nil
    }
}
