import DequeModule
import Dispatch
public import PopupAccess
import Synchronization

/// A client of an `InProcessTransport`. Its subscriptions end with it.
public final class InProcessClient: Sendable {
    /// One message of the broker.
    public struct Message: Sendable, Hashable {
        /// The topic.
        public var topic: String
        /// The body.
        public var body: [UInt8]
    }

    /// The user of the client; `nil` for a client without a key.
    public let user: UserName?
    private let id: Int
    private let transport: InProcessTransport
    private let mailbox: Mailbox

    init(id: Int, user: UserName?, transport: InProcessTransport, mailbox: Mailbox) {
        self.id = id
        self.user = user
        self.transport = transport
        self.mailbox = mailbox
    }

    deinit {
        transport.remove(client: id)
    }

    /// Sends a command frame. Returns whether the queue had space for it.
    @discardableResult
    public func send(_ frame: [UInt8]) -> Bool { transport.send([frame], by: id, from: user) }

    /// Sends a message of several frames. Returns whether the queue had space for it.
    @discardableResult
    public func send(frames: [[UInt8]]) -> Bool { transport.send(frames, by: id, from: user) }

    /// Subscribes to topics that begin with `prefix`. Takes effect when the broker has received it, if the user may
    /// read all of them. Returns whether the queue had space for it, and the client was not disconnected.
    @discardableResult
    public func subscribe(to prefix: String) -> Bool {
        let prefix = Array(prefix.utf8)
        return mailbox.add(prefix) { transport.reportSubscription(of: prefix, by: id) }
    }

    /// Withdraws one subscription of `prefix`.
    public func unsubscribe(from prefix: String) {
        let prefix = Array(prefix.utf8)
        mailbox.remove(prefix) { transport.reportWithdrawal(of: prefix, by: id) }
    }

    /// Returns the next message. Waits for it at most the given time in ms. Call it from one thread at a time.
    public func receive(waitMilliseconds: Int = 0) -> Message? {
        mailbox.take(waitMilliseconds: waitMilliseconds)
    }

    /// The messages for a client, and its subscriptions.
    final class Mailbox: Sendable {
        private struct Subscription {
            /// The number of subscriptions to the prefix.
            var count = 0
            /// Whether the broker has received the subscription, and not denied it.
            var isEffective = false
        }

        private struct State {
            var prefixes: [[UInt8]: Subscription] = [:]
            var messages: Deque<Message> = []
        }

        private let capacity: Int
        private let wakeSignal = WakeSignal()
        private let state = Mutex(State())

        init(capacity: Int) { self.capacity = capacity }

        /// Adds a subscription. The first of its prefix is reported to the broker, and only added if the queue has
        /// space for the report. Returns whether it was added.
        func add(_ prefix: [UInt8], report: () -> Bool) -> Bool {
            state.withLock { state in
                guard state.prefixes[prefix] != nil || report() else { return false }
                state.prefixes[prefix, default: Subscription()].count += 1
                return true
            }
        }

        /// Removes one subscription. The last of its prefix is reported to the broker.
        func remove(_ prefix: [UInt8], report: () -> Void) {
            state.withLock { state in
                guard let count = state.prefixes[prefix]?.count else { return }
                state.prefixes[prefix]?.count -= 1
                guard count == 1 else { return }
                state.prefixes[prefix] = nil
                report()
            }
        }

        /// Records the decision of the broker on the subscription of a prefix, unless it was withdrawn.
        func decide(_ prefix: [UInt8], isEffective: Bool) {
            state.withLock { $0.prefixes[prefix]?.isEffective = isEffective }
        }

        /// Keeps a message if a subscription matches the beginning of its first frame.
        func offer(_ topic: [UInt8], _ body: [UInt8], of frame: [UInt8]) {
            let isTaken = state.withLock { state in
                guard state.messages.count < capacity,
                    state.prefixes.contains(where: { $0.value.isEffective && frame.starts(with: $0.key) })
                else { return false }
                state.messages.append(Message(topic: String(decoding: topic, as: UTF8.self), body: body))
                return true
            }
            if isTaken { wakeSignal.signal() }
        }

        func take(waitMilliseconds: Int) -> Message? {
            if let message = next() { return message }
            guard waitMilliseconds > 0 else { return nil }
            let deadline = DispatchTime.now() + .milliseconds(waitMilliseconds)
            // The signal may be for a message that was taken without waiting.
            while wakeSignal.wait(until: deadline) {
                if let message = next() { return message }
            }
            return next()
        }

        private func next() -> Message? { state.withLock { $0.messages.popFirst() } }
    }
}
