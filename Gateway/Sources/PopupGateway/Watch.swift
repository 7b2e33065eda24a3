import PopupProtocol
import Synchronization

/// The pending states of one stream: the newest state of each changed group, never a queue of states.
final class Watch: PatternReader {
    /// An item to be sent.
    enum Item {
        case broker(isConnected: Bool)
        case state(EncodedState)
        /// `isResumed`: the reader had this state of its only group before it came.
        case synced(epoch: UInt64, states: Int, isResumed: Bool)
        case ping
        case retry(milliseconds: Int)
    }

    /// The times of a stream.
    struct Times {
        /// The silence after which a ping is sent.
        var heartbeat: Duration
        /// The time when the stream ends.
        var end: ContinuousClock.Instant
    }

    fileprivate struct State {
        var pending: [String: EncodedState] = [:]
        var order: [String] = []
        var next = 0
        /// The number of pending states of groups without popups. The others are those that groups have now.
        var emptied = 0
        /// The version of the state that the reader had before it came.
        var known: String?
        var isResumed = false
        var broker: Bool?
        /// The patterns whose present states have not all arrived; `nil` when the reader has learned that they are
        /// complete.
        var unsynced: Set<GroupPattern>?
        var epoch: UInt64 = 0
        var sentStates = 0
        var isPingDue = false
        var retry: Int?
        var isEnding = false
        var hasFailed = false
        var hasOverflown = false
        var sent: ContinuousClock.Instant
    }

    let patterns: [GroupPattern]
    /// The signal that there are items to take. It ends with the stream.
    let signal = Signal()
    private let times: Times
    private let traffic: StreamTraffic?
    private let state: Mutex<State>

    /// Creates a watch of patterns.
    ///
    /// - Parameters:
    ///   - known: The version of the state that the reader of one group had before; `nil`: not known.
    ///   - traffic: The counts to which replaced states are added; `nil` for a held request.
    init(
        _ patterns: [GroupPattern], _ times: Times, at now: ContinuousClock.Instant, after known: String? = nil,
        traffic: StreamTraffic? = nil
    ) {
        self.patterns = patterns
        self.times = times
        self.traffic = traffic
        state = Mutex(State(known: known, unsynced: Set(patterns), sent: now))
    }

    /// Records the newest state of a group. Until the stream is synced, an empty group needs no state.
    func offer(_ encoded: EncodedState) {
        let hasOverflown = state.withLock { state in
            guard !state.isEnding else { return false }
            state.epoch = max(state.epoch, encoded.epoch)
            if state.unsynced != nil, !encoded.isOccupied, state.pending[encoded.group] == nil, state.sentStates == 0 {
                return false
            }
            if !encoded.isOccupied { state.emptied += 1 }
            if let replaced = state.pending.updateValue(encoded, forKey: encoded.group) {
                if !replaced.isOccupied { state.emptied -= 1 }
                // After a reconnect of the broker, the same states come again.
                if (replaced.epoch, replaced.revision) != (encoded.epoch, encoded.revision) {
                    traffic?.countConflated()
                }
            } else {
                state.order.append(encoded.group)
            }
            if state.emptied > Self.mostEmptied { state.hasOverflown = true }
            return state.hasOverflown
        }
        if hasOverflown { end(retry: .random(in: 1000...5000)) } else { signal.send() }
    }

    /// Records that all present states of a pattern have been offered.
    ///
    /// - Parameter epoch: The epoch of the broker that has them.
    func sync(_ pattern: GroupPattern, epoch: UInt64) {
        state.withLock { state in
            state.epoch = max(state.epoch, epoch)
            state.unsynced?.remove(pattern)
        }
        signal.send()
    }

    /// Records that the broker was lost, is back or has restarted. If it is there, all states come again.
    func setConnected(_ isConnected: Bool) {
        state.withLock { state in
            guard !state.isEnding else { return }
            state.broker = isConnected
            guard isConnected else { return }
            state.unsynced = Set(patterns)
            traffic?.countResync()
        }
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

    /// Signals without an item to take.
    func wake() {
        signal.send()
    }

    /// Takes the next item; `nil` if there is none.
    func take(at now: ContinuousClock.Instant) -> Item? {
        state.withLock { state in
            let item = state.take()
            // The states before are those that were present at the start.
            if case .state(let encoded)? = item, state.unsynced == nil {
                traffic?.countDelivery(after: encoded.received.duration(to: now))
            }
            if item != nil {
                state.sent = now
                state.isPingDue = false
            }
            return item
        }
    }
}

extension Watch: EndableStream {
    var endsAt: ContinuousClock.Instant { times.end }
    var hasFailed: Bool { state.withLock { $0.hasFailed } }
    var hasOverflown: Bool { state.withLock { $0.hasOverflown } }
    var isBehind: Bool { state.withLock { $0.emptied > Self.mostEmptiedOfStalled } }

    /// The number of unsent groups that have become empty beyond which a stalled stream is closed: its reader gets what
    /// there is when it comes again. The number of the other unsent groups is limited, too: these have popups now.
    static let mostEmptiedOfStalled = 256
    /// The number of unsent groups that have become empty beyond which any stream ends. A reader that takes bytes may get
    /// thousands at once, when everything is cleared.
    static let mostEmptied = 16_384

    /// Ends the stream: its states cannot be followed any more.
    func fail() {
        state.withLock { $0.hasFailed = true }
        end(retry: 10_000)
    }

    func end(retry: Int?) {
        state.withLock { state in
            guard !state.isEnding else { return }
            (state.pending, state.order, state.next, state.emptied) = ([:], [], 0, 0)
            (state.broker, state.unsynced) = (nil, nil)
            state.retry = retry
            state.isEnding = true
        }
        signal.end()
    }
}

extension Watch.State {
    fileprivate mutating func take() -> Watch.Item? {
        if let isConnected = broker {
            broker = nil
            return .broker(isConnected: isConnected)
        }
        if next < order.count {
            defer {
                next += 1
                if next == order.count || next > 1024 {
                    order.removeFirst(next)
                    next = 0
                }
            }
            if let encoded = pending.removeValue(forKey: order[next]) {
                if !encoded.isOccupied { emptied -= 1 }
                if unsynced != nil {
                    sentStates += 1
                    isResumed = encoded.version == known
                }
                return .state(encoded)
            }
        }
        if let waiting = unsynced, waiting.isEmpty {
            defer { (unsynced, sentStates, known, isResumed) = (nil, 0, nil, false) }
            return .synced(epoch: epoch, states: sentStates, isResumed: isResumed)
        }
        if let milliseconds = retry {
            retry = nil
            return .retry(milliseconds: milliseconds)
        }
        return isPingDue && !isEnding ? .ping : nil
    }
}
