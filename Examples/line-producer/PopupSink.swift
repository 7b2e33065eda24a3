import ExampleSupport
import PopupClient

/// Where popups go.
protocol PopupSink: Sendable {
    /// Hands over a popup of a time since the start.
    func send(_ popup: Popup, at time: Duration) async throws

    /// Waits until everything is on its way.
    func close() async
}

/// To a broker.
struct BrokerSink: PopupSink {
    private let producer: Producer
    private let hasOutbox: Bool

    /// Connects before anything is read: a broker that isn't there is told at once. With an outbox it need not be there.
    init(_ endpoints: BrokerEndpoints, outbox: String?) async throws {
        producer = try Producer(endpoints, outbox: outbox)
        hasOutbox = outbox != nil
        if !hasOutbox { try await producer.connected() }
    }

    func send(_ popup: Popup, at time: Duration) async throws {
        if hasOutbox { try await producer.submit([popup]) } else { try await producer.show(popup) }
    }

    func close() async {
        await producer.close()
    }
}

/// To stdout, in the simulation's format.
struct JSONSink: PopupSink {
    func send(_ popup: Popup, at time: Duration) async throws {
        var command = WireCommand()
        command.show = popup
        let json = String(decoding: try WireEncoding.json.encode(command), as: UTF8.self)
        Output.line("{\"at\":\(Int64(time / .milliseconds(1))),\(json.dropFirst())")
    }

    func close() async {}
}
