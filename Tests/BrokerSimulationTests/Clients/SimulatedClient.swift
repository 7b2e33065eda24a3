import PopupProtocol
import PopupScheduling
import SwiftProtobuf

/// Somebody at the other end of a line. It decides on its own, from the seed and what it receives.
protocol SimulatedClient: AnyObject {
    var name: String { get }
    /// What it subscribes to when it is connected.
    var prefixes: [String] { get }
    /// A message has arrived.
    func receive(_ topic: String, _ body: [UInt8], at now: Milliseconds, _ hand: inout Hand)
    /// A time has come that it asked for.
    func wake(at now: Milliseconds, _ hand: inout Hand)
    /// The broker is there, perhaps again.
    func connected(at now: Milliseconds, _ hand: inout Hand)
}

extension SimulatedClient {
    func connected(at now: Milliseconds, _ hand: inout Hand) {}
}

/// Somebody whom the script has send commands.
protocol SimulatedSender: SimulatedClient {
    /// What it does not know to have happened, or to be refused.
    var unsettled: [String] { get }
    func send(_ commands: [WireCommand], at now: Milliseconds, _ hand: inout Hand)
}

/// What a client wants done.
struct Hand {
    /// Messages to send, each of one or two frames.
    private(set) var messages: [[[UInt8]]] = []
    /// When to wake it.
    private(set) var alarms: [Milliseconds] = []
    /// What to be subscribed to beside its prefixes, and what no more, in order.
    private(set) var subscriptions: [(topic: String, isSubscription: Bool)] = []

    mutating func send(_ frames: [[UInt8]]) { messages.append(frames) }
    mutating func wake(at time: Milliseconds) { alarms.append(time) }
    mutating func subscribe(_ topic: String) { subscriptions.append((topic, true)) }
    mutating func unsubscribe(_ topic: String) { subscriptions.append((topic, false)) }
}

/// How a client writes commands: producers differ.
enum Handwriting {
    case binary
    case json
    /// Behind a topic, as clients do that always send one.
    case withTopic

    func frames(_ commands: [WireCommand]) -> [[UInt8]] {
        let binary: [UInt8]? =
            if commands.count == 1 {
                try? commands[0].serializedBytes()
            } else {
                try? WireBatch.with { $0.commands = commands }.serializedBytes()
            }
        switch self {
        case .binary: return [binary ?? []]
        case .withTopic: return [Array("commands".utf8), binary ?? []]
        case .json:
            let json: [UInt8]? =
                if commands.count == 1 {
                    try? commands[0].jsonUTF8Bytes()
                } else {
                    try? WireBatch.with { $0.commands = commands }.jsonUTF8Bytes()
                }
            return [json ?? []]
        }
    }
}
