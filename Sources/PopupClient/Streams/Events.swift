public import PopupProtocol

/// What happens to the popups of groups, each event once and in order.
///
/// It is read by one loop; it unsubscribes when that ends. It throws `ClientError` when the connection closes or the
/// reader fell behind.
public struct Events: AsyncSequence, Sendable {
    /// Something that happened to a popup.
    public typealias Element = WireEvent

    let box: EventBox
    let subscription: Subscription

    /// The loop over the events.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let subscription: Subscription
        var base: AsyncThrowingStream<WireEvent, any Error>.Iterator

        /// The next event; nil when the task is cancelled.
        public mutating func next() async throws -> WireEvent? {
            try await base.next()
        }
    }

    /// Begins to read.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(subscription: subscription, base: box.stream.makeAsyncIterator())
    }
}

final class EventBox: Subscriber {
    let prefixes: [String]
    let stream: AsyncThrowingStream<WireEvent, any Error>
    private let filter: GroupFilter
    private let limit: Int
    private let input: AsyncThrowingStream<WireEvent, any Error>.Continuation

    init(filter: GroupFilter, limit: Int) {
        self.filter = filter
        self.limit = limit
        prefixes = filter.prefixes(of: .events)
        (stream, input) = AsyncThrowingStream.makeStream(bufferingPolicy: .bufferingOldest(limit))
    }

    func receive(_ message: EgressMessage, at now: ContinuousClock.Instant) {
        guard case .event(let event) = message, filter.matches(event.group) else { return }
        if case .dropped = input.yield(event) { finish(.fellBehind(limit: limit)) }
    }

    func finish(_ error: ClientError?) {
        input.finish(throwing: error)
    }
}
