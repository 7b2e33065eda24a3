internal import PopupClient
import Synchronization

/// The traffic of all streams since the start of the gateway.
final class StreamTraffic: Sendable {
    /// The kind of a message.
    enum Kind: String, CaseIterable {
        case hello, state, synced, event, gap, broker, ping, retry
    }

    private struct State {
        var messages: [Kind: UInt64] = [:]
        var bytes: [Kind: UInt64] = [:]
        var conflated: UInt64 = 0
        var dropped: UInt64 = 0
        var resyncs: UInt64 = 0
        var deliveries = DurationCounts()
    }

    private let state = Mutex(State())

    /// Counts a message of a stream.
    func count(_ kind: Kind, bytes: Int) {
        state.withLock { state in
            state.messages[kind, default: 0] += 1
            state.bytes[kind, default: 0] += UInt64(bytes)
        }
    }

    /// Counts a state that a newer one of its group replaced before a stream carried it.
    func countConflated() { state.withLock { $0.conflated += 1 } }

    /// Counts events that are missing on a stream.
    func countDropped(_ count: Int) { state.withLock { $0.dropped += UInt64(count) } }

    /// Counts a stream that gets all states again after a reconnect of the broker.
    func countResync() { state.withLock { $0.resyncs += 1 } }

    /// Counts the state that a stream takes, with the time since it came from the broker.
    func countDelivery(after time: Duration) { state.withLock { $0.deliveries.count(time) } }

    /// Adds the metrics.
    func add(to text: inout PrometheusText) {
        let state = state.withLock { $0 }
        text.add(
            "popup_gateway_stream_messages_total", .counter, "Messages of streams, by kind.",
            Kind.allCases.map { ("kind", $0.rawValue, state.messages[$0] ?? 0) })
        text.add(
            "popup_gateway_stream_bytes_total", .counter, "Bytes of the messages of streams, by kind.",
            Kind.allCases.map { ("kind", $0.rawValue, state.bytes[$0] ?? 0) })
        text.add(
            "popup_gateway_states_conflated_total", .counter,
            "States that newer ones replaced before a stream carried them.", state.conflated)
        text.add(
            "popup_gateway_events_dropped_total", .counter, "Events that are missing on streams, as far as known.",
            state.dropped)
        text.add(
            "popup_gateway_resyncs_total", .counter,
            "Streams that got all states again because the broker was lost.", state.resyncs)
        let delivery = "popup_gateway_delivery_seconds"
        text.addHead(delivery, .histogram, "Time from a state's arrival to its writing to a stream, for each stream.")
        state.deliveries.add(delivery, [], to: &text)
    }
}

extension Watch.Item {
    /// The kind of its message.
    var kind: StreamTraffic.Kind {
        switch self {
        case .broker: .broker
        case .state: .state
        case .synced: .synced
        case .ping: .ping
        case .retry: .retry
        }
    }
}

extension EventWatch.Item {
    /// The kind of its message.
    var kind: StreamTraffic.Kind {
        switch self {
        case .broker: .broker
        case .event: .event
        case .gap: .gap
        case .ping: .ping
        case .retry: .retry
        }
    }
}
