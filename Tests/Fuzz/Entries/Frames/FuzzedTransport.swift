import PopupAccess
import PopupBroker
import PopupProtocol
import SwiftProtobuf

/// The ports of a broker in the process: what the input sends comes in, and what goes out is looked at.
final class FuzzedTransport: Transport {
    private var frames: [[UInt8]] = []
    private var changes: [(connection: ConnectionID, change: SubscriptionChange, prefix: [UInt8])] = []
    /// The first message that can't be read.
    private(set) var unreadable: String?

    func send(_ frame: [UInt8]) { frames.append(frame) }

    /// Tells a change of a connection's subscriptions.
    func tell(_ change: SubscriptionChange, _ prefix: [UInt8], of connection: UInt64) {
        changes.append((ConnectionID(connection), change, prefix))
    }

    // MARK: - Transport

    var wake: @Sendable () -> Void { {} }

    func open() throws -> BrokerEndpoints { BrokerEndpoints(ingress: "fuzzed", egress: "fuzzed") }

    func wait(milliseconds: Int?) throws {}

    func receive(_ take: (_ user: UserName?, _ frame: RawSpan) -> Void) throws -> Reception {
        guard !frames.isEmpty else { return .nothing }
        let frame = frames.removeFirst()
        take(nil, frame.span.bytes)
        return .frame
    }

    func receiveSubscription(_ take: SubscriptionTaker) throws -> Bool {
        guard !changes.isEmpty else { return false }
        let next = changes.removeFirst()
        _ = take(next.connection, nil, next.change, next.prefix.span.bytes)
        return true
    }

    func disconnect(_ connection: ConnectionID, because reason: String) {
        changes.removeAll { $0.connection == connection }
        changes.append((connection, .ended, []))
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
