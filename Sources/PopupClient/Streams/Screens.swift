import PopupProtocol
import Synchronization

/// What groups show, as it changes. A slow reader misses intermediate screens, never the newest of a group. What a
/// restarted broker no longer shows turns into an empty screen (`ClientLimits.staleScreenTimeout`).
///
/// It is read by one loop; it unsubscribes when that ends. It throws `ClientError` when the connection closes or there
/// are too many groups.
public struct Screens: AsyncSequence, Sendable {
    /// What is on screen in one group now.
    public typealias Element = Screen

    let box: ScreenBox
    let subscription: Subscription
    /// The broker is told what the reader has.
    let isHandedOver: Bool

    /// The loop over the screens.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let box: ScreenBox
        let subscription: Subscription
        let isHandedOver: Bool
        var rings: AsyncThrowingStream<Void, any Error>.Iterator

        /// The next screen; nil when the task is cancelled.
        public mutating func next() async throws -> Screen? {
            while !Task.isCancelled {
                if let screen = box.take() {
                    if isHandedOver { subscription.handOver(screen) }
                    return screen
                }
                if try await rings.next() == nil { break }
            }
            return nil
        }
    }

    /// Begins to read.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(
            box: box, subscription: subscription, isHandedOver: isHandedOver,
            rings: box.bell.rings.makeAsyncIterator())
    }
}

/// The newest unread screen of each group, in the order in which the groups changed.
final class ScreenBox: Subscriber {
    private struct State {
        var freshness = Freshness()
        var succession: Succession
        var unread: [String: Screen] = [:]
        var order: [String] = []
        var next = 0
    }

    let prefixes: [String]
    let bell = Bell()
    private let filter: GroupFilter
    private let limit: Int
    private let state: Mutex<State>

    init(filter: GroupFilter, limits: ClientLimits) {
        self.filter = filter
        limit = limits.groups
        prefixes = filter.prefixes(of: .state) + [Channel.heads.prefix]
        state = Mutex(State(succession: Succession(timeout: limits.staleScreenTimeout)))
    }

    func receive(_ message: EgressMessage, at now: ContinuousClock.Instant) {
        switch message {
        case .state(let wire) where filter.matches(wire.group):
            accept([wire], at: now)
        case .heads(let epoch):
            accept(state.withLock { $0.succession.heartbeat(epoch: epoch, at: now) }, at: now)
        default:
            break
        }
    }

    private func accept(_ states: [WireGroupState], at now: ContinuousClock.Instant) {
        let isOverLimit = state.withLock { state in
            for wire in states where state.freshness.accept(wire) {
                state.succession.note(wire, at: now)
                if state.unread.updateValue(Screen(wire, received: now), forKey: wire.group) == nil {
                    state.order.append(wire.group)
                }
            }
            return state.freshness.groups > limit
        }
        if isOverLimit {
            finish(.tooManyGroups(limit: limit))
        } else if !states.isEmpty {
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
