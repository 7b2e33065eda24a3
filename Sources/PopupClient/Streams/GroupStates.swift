import PopupProtocol
import Synchronization

/// A stream of what groups show, now and whenever it changes. A slow loop misses intermediate states, but never the newest
/// state of a group. A lost message, including the last one, is repaired within a second or two. A group whose popup a
/// restarted broker no longer shows becomes empty. If the broker is not heard for 5 s, each state comes again as one that is
/// not confirmed, and as a confirmed one with its next message: see `GroupState.isConfirmed`.
///
/// One loop reads the stream; when the loop ends, the subscription ends. The stream throws `ClientError` if the connection
/// closes, there are too many groups, or the user lacks the right `watch` for one of the names and patterns: `refused`
/// (`PERMISSION_DENIED`), after `limits.syncTimeout`, because the broker answers no such subscription.
public struct GroupStates: AsyncSequence, Sendable {
    /// The state of one group.
    public typealias Element = GroupState

    let box: GroupStateBox
    let subscription: Subscription
    /// Whether the broker learns which states the loop has received.
    let isDelivered: Bool

    /// The loop over the states.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let box: GroupStateBox
        let subscription: Subscription
        let isDelivered: Bool
        var rings: AsyncThrowingStream<Void, any Error>.Iterator

        /// Returns the next state; `nil` if the task is cancelled.
        public mutating func next() async throws -> GroupState? {
            while !Task.isCancelled {
                if let groupState = box.take() {
                    if isDelivered { subscription.deliver(groupState) }
                    return groupState
                }
                if try await rings.next() == nil { break }
            }
            return nil
        }
    }

    /// Returns the iterator.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(
            box: box, subscription: subscription, isDelivered: isDelivered,
            rings: box.signal.rings.makeAsyncIterator())
    }

    /// Returns the unread states that have arrived, without waiting. With `arrivals`, it replaces the loop for readers
    /// that must know when they have read everything that has arrived.
    public func takeAvailable() -> [GroupState] {
        var states: [GroupState] = []
        while let state = box.take() {
            if isDelivered { subscription.deliver(state) }
            states.append(state)
        }
        return states
    }

    /// Whether the present states of all groups have arrived since the connection was made and the broker was started: read
    /// before `takeAvailable`, it says that a group without a state shows nothing.
    public var isComplete: Bool { box.isComplete }

    /// The newest epoch of a broker that the states and heartbeats have named; 0 before the first.
    public var epoch: UInt64 { box.epoch }

    /// A signal whenever unread states have arrived, or `isComplete` has changed. It throws the errors of the stream.
    /// One loop reads it, instead of a loop over the states.
    public var arrivals: AsyncThrowingStream<Void, any Error> { box.signal.rings }
}
