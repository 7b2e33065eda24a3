import ExampleSupport
import PopupClient

/// A destination of popups. It never delays the reading of lines.
protocol PopupSink: Sendable {
    /// Takes the popup of a line, at a time since the start.
    func send(_ popup: Popup, ofLine line: Int, at time: Duration) async

    /// Waits until everything is on its way, for at most `patience` without progress.
    func close(patience: Duration) async
}

/// A sink that writes popups to stdout, in the format of `popup-broker simulate`.
struct JSONSink: PopupSink {
    func send(_ popup: Popup, ofLine line: Int, at time: Duration) async {
        var command = PopupCommand()
        command.show = popup
        guard let bytes = try? MessageEncoding.json.encode(command) else { return }
        let json = String(decoding: bytes, as: UTF8.self)
        Output.line("{\"at\":\(Int64(time / .milliseconds(1))),\(json.dropFirst())")
    }

    func close(patience: Duration) async {}
}

/// A sink that writes popups to an outbox, a file from which they go to a broker. No broker needs to run.
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
