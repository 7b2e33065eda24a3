import ExampleSupport
import PopupClient

/// Where popups go. It never holds up the reading of lines.
protocol PopupSink: Sendable {
    /// Hands over the popup of a line at a time since the start.
    func send(_ popup: Popup, ofLine line: Int, at time: Duration) async

    /// Waits, but not longer than `patience` without progress, until everything is on its way.
    func close(patience: Duration) async
}

/// To stdout, in the simulation's format.
struct JSONSink: PopupSink {
    func send(_ popup: Popup, ofLine line: Int, at time: Duration) async {
        var command = WireCommand()
        command.show = popup
        guard let bytes = try? WireEncoding.json.encode(command) else { return }
        let json = String(decoding: bytes, as: UTF8.self)
        Output.line("{\"at\":\(Int64(time / .milliseconds(1))),\(json.dropFirst())")
    }

    func close(patience: Duration) async {}
}

/// To an outbox, a file from which the popups go to a broker. No broker needs to run.
struct OutboxSink: PopupSink {
    private let producer: Producer

    init(_ endpoints: BrokerEndpoints, outbox: String) throws {
        producer = try Producer(endpoints, outbox: outbox)
    }

    func send(_ popup: Popup, ofLine line: Int, at time: Duration) async {
        do {
            try await producer.submit([popup])
        } catch {
            Output.error("line-producer: line \(line): \(SafeText.line("\(error)"))")
        }
    }

    func close(patience: Duration) async {
        await producer.close()
    }
}
