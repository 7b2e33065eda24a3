import PopupProtocol
import Synchronization

/// What groups show, as it changes, from what they show at the beginning. A slow reader misses intermediate screens,
/// never the newest of a group. A message that was lost, the last one included, is made up for within a second or two;
/// what a restarted broker no longer shows turns into an empty screen.
///
/// It is read by one loop; it unsubscribes when that ends. It throws `ClientError` when the connection closes or there
/// are too many groups.
public struct GroupStates: AsyncSequence, Sendable {
    /// What is on screen in one group now.
    public typealias Element = GroupState

    let box: GroupStateBox
    let subscription: Subscription
    /// The broker is told what the reader has.
    let isDelivered: Bool

    /// The loop over the screens.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let box: GroupStateBox
        let subscription: Subscription
        let isDelivered: Bool
        var rings: AsyncThrowingStream<Void, any Error>.Iterator

        /// The next screen; nil when the task is cancelled.
        public mutating func next() async throws -> GroupState? {
            while !Task.isCancelled {
                if let screen = box.take() {
                    if isDelivered { subscription.deliver(screen) }
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
            box: box, subscription: subscription, isDelivered: isDelivered,
            rings: box.signal.rings.makeAsyncIterator())
    }
}
