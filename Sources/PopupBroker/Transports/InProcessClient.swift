import Synchronization
import ZeroMQ

/// A client of an `InProcessTransport`. Its subscriptions end with it.
public final class InProcessClient: Sendable {
    /// One message of the broker.
    public struct Message: Sendable, Hashable {
        /// The first frame.
        public var topic: String
        /// The second frame.
        public var body: [UInt8]
    }

    private let id: Int
    private let transport: InProcessTransport
    private let mailbox: Mailbox

    init(id: Int, transport: InProcessTransport, mailbox: Mailbox) {
        self.id = id
        self.transport = transport
        self.mailbox = mailbox
    }

    deinit {
        transport.remove(client: id)
    }

    /// Sends a command frame. Returns whether there was room for it.
    @discardableResult
    public func send(_ frame: [UInt8]) -> Bool { transport.send([frame]) }

    /// Sends a message of several frames. Returns whether there was room for it.
    @discardableResult
    public func send(frames: [[UInt8]]) -> Bool { transport.send(frames) }

    /// Receives messages whose topic begins with `prefix` from now on.
    public func subscribe(to prefix: String) {
        let prefix = Array(prefix.utf8)
        if mailbox.add(prefix) { transport.tell(.subscribed, prefix, of: id) }
    }

    /// Withdraws one subscription of `prefix`.
    public func unsubscribe(from prefix: String) {
        let prefix = Array(prefix.utf8)
        if mailbox.remove(prefix) { transport.tell(.withdrawn, prefix, of: id) }
    }

    /// The next message, if there is one; waits up to so many ms for it.
    public func receive(waitMilliseconds: Int = 0) -> Message? {
        mailbox.take(waitMilliseconds: waitMilliseconds)
    }

    /// What is on its way to a client.
    final class Mailbox: Sendable {
        private struct State {
            var prefixes: [[UInt8]] = []
            var messages: [Message] = []
        }

        private let capacity: Int
        private let bell: Wakeup
        private let state = Mutex(State())

        init(capacity: Int, bell: Wakeup) {
            self.capacity = capacity
            self.bell = bell
        }

        /// Adds a subscription. Returns whether it is the first of its prefix.
        func add(_ prefix: [UInt8]) -> Bool {
            state.withLock { state in
                defer { state.prefixes.append(prefix) }
                return !state.prefixes.contains(prefix)
            }
        }

        /// Takes one subscription back. Returns whether it was the last of its prefix.
        func remove(_ prefix: [UInt8]) -> Bool {
            state.withLock { state in
                guard let index = state.prefixes.firstIndex(of: prefix) else { return false }
                state.prefixes.remove(at: index)
                return !state.prefixes.contains(prefix)
            }
        }

        func offer(_ topic: [UInt8], _ body: [UInt8]) {
            let isTaken = state.withLock { state in
                guard state.messages.count < capacity, state.prefixes.contains(where: topic.starts) else {
                    return false
                }
                state.messages.append(Message(topic: String(decoding: topic, as: UTF8.self), body: body))
                return true
            }
            if isTaken { bell.signal() }
        }

        func take(waitMilliseconds: Int) -> Message? {
            if let message = next() { return message }
            guard waitMilliseconds > 0 else { return nil }
            var poller = Poller()
            _ = poller.add(bell)
            _ = try? poller.wait(timeoutMilliseconds: waitMilliseconds)
            bell.drain()
            return next()
        }

        private func next() -> Message? {
            state.withLock { $0.messages.isEmpty ? nil : $0.messages.removeFirst() }
        }
    }
}
