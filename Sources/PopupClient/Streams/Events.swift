import PopupProtocol
@_spi(Wire) public import PopupValues
import Synchronization

/// A stream of the events of groups, each event once and in order.
///
/// One loop reads the stream; when the loop ends, the subscription ends. The stream throws `ClientError` if the connection
/// closes, the loop is too slow, or the user lacks the right `events` for a group: `refused` (`PERMISSION_DENIED`), after
/// `limits.syncTimeout`, because the broker answers no such subscription.
public struct Events: AsyncSequence, Sendable {
    /// An event in the life of a popup.
    public typealias Element = PopupEvent

    let box: EventBox
    let subscription: Subscription

    /// The loop over the events.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let box: EventBox
        let subscription: Subscription
        var rings: AsyncThrowingStream<Void, any Error>.Iterator

        /// Returns the next event; `nil` if the task is cancelled.
        public mutating func next() async throws -> PopupEvent? {
            while !Task.isCancelled {
                if let event = box.take() { return event }
                if try await rings.next() == nil { break }
            }
            return nil
        }
    }

    /// Returns the iterator.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(box: box, subscription: subscription, rings: box.signal.rings.makeAsyncIterator())
    }

    /// Returns the unread events that have arrived, without waiting.
    public func takeAvailable() -> [PopupEvent] {
        box.takeAll()
    }
}

/// The unread events, in order, up to a limit.
final class EventBox: Subscriber {
    private struct State {
        var unread: [PopupEvent] = []
        var next = 0
        var hasOverflown = false
        /// The time of the next check of its right; `nil` when that is known.
        var checkDue: ContinuousClock.Instant?
        /// The time between two checks. It is longer after each, because a broker that hangs answers none.
        var checkPause = Duration.zero
    }

    let prefixes: [String]
    let signal = Signal()
    private let filter: GroupFilter
    private let limit: Int
    private let checkInterval: Duration
    private let silenceCheck: SilenceCheck?
    private let state = Mutex(State())

    var patterns: [GroupPattern]? { filter.patterns }

    /// Creates an empty box.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of unread events.
    ///   - checkInterval: The time after which its right is checked, with each connection until the broker answers.
    ///   - silenceCheck: The check of its right.
    init(
        filter: GroupFilter, limit: Int, checkInterval: Duration = ClientLimits().syncTimeout,
        silenceCheck: SilenceCheck? = nil, at now: ContinuousClock.Instant = .now
    ) {
        self.filter = filter
        self.limit = limit
        self.checkInterval = checkInterval
        self.silenceCheck = silenceCheck
        prefixes = filter.prefixes(of: .events)
        planFirstCheck(after: now)
    }

    private func planFirstCheck(after now: ContinuousClock.Instant) {
        guard silenceCheck != nil else { return }
        state.withLock { state in
            state.checkPause = checkInterval
            state.checkDue = now + checkInterval
        }
    }

    var deadline: ContinuousClock.Instant? { state.withLock { $0.checkDue } }

    func changes(at now: ContinuousClock.Instant, mayAsk: Bool) -> [SubscriptionChange] {
        guard let silenceCheck, let due = deadline, due <= now else { return [] }
        // The answer comes on another thread. The next check finds it.
        let isAnswered = silenceCheck.isAnswered
        let isAsked = !isAnswered && silenceCheck.ask(for: self)
        state.withLock { state in
            if isAsked { state.checkPause = min(state.checkPause * 2, max(checkInterval, StateSync.maxTimeout)) }
            state.checkDue = isAnswered ? nil : now + state.checkPause
        }
        return []
    }

    func reconnected(at now: ContinuousClock.Instant) {
        silenceCheck?.reconnected()
        planFirstCheck(after: now)
    }

    func receive(_ message: EgressMessage, at now: ContinuousClock.Instant) {
        guard case .event(let event) = message, filter.matches(event.group) else { return }
        let isTaken = state.withLock { state in
            guard !state.hasOverflown, state.unread.count - state.next < limit else {
                state.hasOverflown = true
                return false
            }
            state.unread.append(PopupEvent(wire: event))
            return true
        }
        if isTaken {
            signal.ring()
        } else {
            signal.finish(.slowConsumer(limit: limit))
        }
    }

    func finish(_ error: ClientError?) {
        signal.finish(error)
    }

    func take() -> PopupEvent? {
        state.withLock { state in
            guard state.next < state.unread.count else { return nil }
            let event = state.unread[state.next]
            state.next += 1
            if state.next == state.unread.count || state.next > 1024 {
                state.unread.removeFirst(state.next)
                state.next = 0
            }
            return event
        }
    }

    func takeAll() -> [PopupEvent] {
        state.withLock { state in
            defer {
                state.unread.removeAll()
                state.next = 0
            }
            return Array(state.unread[state.next...])
        }
    }
}
