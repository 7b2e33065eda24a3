import ExampleSupport
import PopupClient
import Synchronization

/// A destination of popups. It never delays the reading of lines.
protocol PopupSink: Sendable {
    /// Takes the popup of a line, at a time since the start.
    func send(_ popup: Popup, ofLine line: Int, at time: Duration) async

    /// Waits until everything is on its way, for at most `patience` without progress.
    func close(patience: Duration) async
}

extension PopupSink {
    /// Returns a number of popups with its verb: "1 popup was", "2 popups were".
    static func popups(_ count: Int) -> String { count == 1 ? "1 popup was" : "\(count) popups were" }
}

/// A sink that writes popups to stdout, in the format of `popup-broker simulate`.
struct JSONSink: PopupSink {
    func send(_ popup: Popup, ofLine line: Int, at time: Duration) async {
        let json = String(decoding: PopupCommand(.show(popup)).json, as: UTF8.self)
        Output.line("{\"at\":\(Int64(time / .milliseconds(1))),\(json.dropFirst())")
    }

    func close(patience: Duration) async {}
}

/// A sink that writes popups to an outbox, a file from which they go to a broker. No broker needs to run. What the outbox
/// cannot take, because it is full or the disk fails, is dropped and counted.
final class OutboxSink: PopupSink {
    /// The longest time for which the end waits for a broker. The popups are safe without one.
    private static let connectionWait: Duration = .seconds(1)

    private let producer: Producer
    private let outbox: String
    private let report: @Sendable (String) -> Void
    private let dropped = Mutex(0)

    /// Creates a sink.
    ///
    /// - Parameter report: What is done with a line for the user.
    init(
        _ endpoints: BrokerEndpoints, outbox: String, limits: ClientLimits = ClientLimits(),
        report: @escaping @Sendable (String) -> Void = Output.error
    ) throws {
        producer = try Producer(endpoints, outbox: outbox, limits: limits)
        self.outbox = outbox
        self.report = report
    }

    func send(_ popup: Popup, ofLine line: Int, at time: Duration) async {
        do {
            try await producer.submit([popup])
        } catch ClientError.tooLarge(let bytes, let limit) {
            // This is about the one popup, and the next one may be smaller.
            report("line-producer: line \(line): \(ClientError.tooLarge(bytes: bytes, limit: limit))")
        } catch {
            let isFirst = dropped.withLock { dropped in
                dropped += 1
                return dropped == 1
            }
            guard isFirst, !Task.isCancelled else { return }
            report(
                "line-producer: line \(line): \(SafeText.line("\(error)")); going on: what the outbox cannot take is dropped"
            )
        }
    }

    func close(patience: Duration) async {
        await flush(for: min(patience, Self.connectionWait))
        if producer.connection.isConnected { await flush(for: patience) }
        await producer.close()
        if let waiting = try? OutboxStatus(of: outbox).recovered, waiting > 0 {
            report(
                "line-producer: \(waiting == 1 ? "1 popup waits" : "\(waiting) popups wait") in \(SafeText.line(outbox)); "
                    + "the next run with it sends them")
        }
        let dropped = dropped.withLock(\.self)
        if dropped > 0 { report("line-producer: \(Self.popups(dropped)) not kept in the outbox") }
    }

    /// Waits until the broker has accepted everything, and reports what it refuses.
    private func flush(for time: Duration) async {
        do {
            try await producer.connection.flush(timeout: time)
        } catch let error as ClientError {
            switch error {
            case .refused, .partiallyRejected: report("line-producer: \(SafeText.line("\(error)"))")
            // What is not acknowledged is in the outbox.
            default: break
            }
        } catch {
            // The task is cancelled; the outbox keeps the popups.
        }
    }
}
