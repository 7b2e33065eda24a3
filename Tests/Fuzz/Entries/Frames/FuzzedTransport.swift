import PopupAccess
import PopupBroker
import PopupProtocol
import SwiftProtobuf

/// The ports of a broker in the process: what the input sends comes in, and what goes out is looked at.
final class FuzzedTransport: Transport {
    private struct Change {
        var connection: ConnectionID
        var user: UserName?
        var change: SubscriptionChange
        var prefix: [UInt8]
    }

    private struct Subscription {
        var connection: ConnectionID
        var user: UserName
        var prefix: [UInt8]
    }

    /// Who sends and subscribes; `nil`: a client without a key.
    var user: UserName?
    private let mayRead: (_ user: UserName, _ topic: String) -> Bool
    private var frames: [(user: UserName?, frame: [UInt8])] = []
    private var changes: [Change] = []
    /// Those of users that take effect.
    private var subscriptions: [Subscription] = []
    /// The first message that can't be read.
    private(set) var unreadable: String?
    /// The first message that went to a user who may not read it.
    private(set) var betrayed: String?

    init(mayRead: @escaping (_ user: UserName, _ topic: String) -> Bool = { _, _ in true }) {
        self.mayRead = mayRead
    }

    func send(_ frame: [UInt8]) { frames.append((user, frame)) }

    /// Tells a change of a connection's subscriptions.
    func tell(_ change: SubscriptionChange, _ prefix: [UInt8], of connection: UInt64) {
        changes.append(Change(connection: ConnectionID(connection), user: user, change: change, prefix: prefix))
    }

    // MARK: - Transport

    var wake: @Sendable () -> Void { {} }

    func open() throws -> BrokerEndpoints { BrokerEndpoints(ingress: "fuzzed", egress: "fuzzed") }

    func wait(milliseconds: Int?) throws {}

    func receive(_ take: (_ user: UserName?, _ frame: RawSpan) -> Void) throws -> Reception {
        guard !frames.isEmpty else { return .nothing }
        let (user, frame) = frames.removeFirst()
        take(user, frame.span.bytes)
        return .frame
    }

    func receiveSubscription(_ take: SubscriptionTaker) throws -> Bool {
        guard !changes.isEmpty else { return false }
        let next = changes.removeFirst()
        let takesEffect = take(next.connection, next.user, next.change, next.prefix.span.bytes)
        switch next.change {
        case .subscribed:
            if takesEffect, let user = next.user {
                subscriptions.append(Subscription(connection: next.connection, user: user, prefix: next.prefix))
            }
        case .withdrawn:
            subscriptions.removeAll { $0.connection == next.connection && $0.prefix == next.prefix }
        case .ended: subscriptions.removeAll { $0.connection == next.connection }
        }
        return true
    }

    func disconnect(_ connection: ConnectionID, because reason: String) {
        changes.removeAll { $0.connection == connection }
        subscriptions.removeAll { $0.connection == connection }
        changes.append(Change(connection: connection, user: nil, change: .ended, prefix: []))
    }

    func takeCutConnections() -> [CutConnection] { [] }

    func publish(topic: RawSpan, body: RawSpan) throws {
        check(topic.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }, body.withUnsafeBytes { Array($0) })
    }

    func publish(frame: RawSpan) throws {
        guard let (topic, body) = StateFrame.split(frame.withUnsafeBytes { Array($0) }) else {
            unreadable = unreadable ?? "a frame without a topic"
            return
        }
        check(String(decoding: topic, as: UTF8.self), Array(body))
    }

    private func check(_ topic: String, _ body: [UInt8]) {
        for reader in subscriptions where topic.utf8.starts(with: reader.prefix) && !mayRead(reader.user, topic) {
            betrayed = betrayed ?? "\(topic) to \(reader.user)"
        }
        if unreadable == nil, !Self.isReadable(topic, body) {
            unreadable = "\(topic) \(String(decoding: body, as: UTF8.self))"
        }
    }

    func close() {}

    private static func isReadable(_ text: String, _ body: [UInt8]) -> Bool {
        do {
            switch Topic(text) {
            case .state(let group, let encoding):
                return try encoding.decode(body, as: WireGroupState.self).group == group.text
            case .stateFrame(let group): return try WireGroupState(serializedBytes: body).group == group.text
            case .events(let group, let encoding):
                return try encoding.decode(body, as: WireEvent.self).group == group.text
            case .feed: _ = try WireFeed(serializedBytes: body)
            case .heartbeat: _ = try WireHeartbeat(serializedBytes: body)
            case .acks(_, let encoding): _ = try encoding.decode(body, as: WireAck.self)
            case .sync(_, _, _, let encoding): _ = try encoding.decode(body, as: WireSync.self)
            case .replies(_, _, let encoding): _ = try encoding.decode(body, as: WireReply.self)
            // A command that names no group has its events under none.
            case nil: return text.hasPrefix("events")
            }
            return true
        } catch {
            return false
        }
    }
}
