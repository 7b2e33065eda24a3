import Synchronization

/// What groups show, as it changes. A slow reader misses intermediate screens, never the newest of a group.
///
/// It is read by one loop; it unsubscribes when that ends. It throws `ClientError` when the connection closes or there
/// are too many groups.
public struct Screens: AsyncSequence, Sendable {
    /// What is on screen in one group now.
    public typealias Element = Screen

    let box: ScreenBox
    let subscription: Subscription

    /// The loop over the screens.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let box: ScreenBox
        let subscription: Subscription
        var rings: AsyncThrowingStream<Void, any Error>.Iterator

        /// The next screen; nil when the task is cancelled.
        public mutating func next() async throws -> Screen? {
            while !Task.isCancelled {
                if let screen = box.take() { return screen }
                if try await rings.next() == nil { break }
            }
            return nil
        }
    }

    /// Begins to read.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(box: box, subscription: subscription, rings: box.bell.rings.makeAsyncIterator())
    }
}

/// The newest unread screen of each group, in the order in which the groups changed.
final class ScreenBox: Subscriber {
    private struct State {
        var freshness = Freshness()
        var unread: [String: Screen] = [:]
        var order: [String] = []
        var next = 0
    }

    let prefixes: [String]
    let bell = Bell()
    private let filter: GroupFilter
    private let limit: Int
    private let state = Mutex(State())

    init(filter: GroupFilter, limit: Int) {
        self.filter = filter
        self.limit = limit
        prefixes = filter.prefixes(of: .state)
    }

    func receive(_ message: EgressMessage, at now: ContinuousClock.Instant) {
        guard case .state(let wire) = message, filter.matches(wire.group) else { return }
        let isOverLimit = state.withLock { state in
            guard state.freshness.accept(wire) else { return false }
            if state.unread.updateValue(Screen(wire, received: now), forKey: wire.group) == nil {
                state.order.append(wire.group)
            }
            return state.freshness.groups > limit
        }
        if isOverLimit {
            finish(.tooManyGroups(limit: limit))
        } else {
            bell.ring()
        }
    }

    func finish(_ error: ClientError?) {
        bell.finish(error)
    }

    func take() -> Screen? {
        state.withLock { state in
            guard state.next < state.order.count else { return nil }
            defer {
                state.next += 1
                if state.next == state.order.count || state.next > 1024 {
                    state.order.removeFirst(state.next)
                    state.next = 0
                }
            }
            return state.unread.removeValue(forKey: state.order[state.next])
        }
    }
}
