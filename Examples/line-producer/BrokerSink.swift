import ExampleSupport
import PopupClient
import Synchronization

/// A sink that sends popups to a broker. While the broker is away, the newest popups wait, in order; if the source can
/// wait, it waits and none is dropped.
final class BrokerSink: PopupSink {
    /// The greatest number of waiting popups; beyond it, the oldest are dropped.
    static let capacity = 1000

    private struct Waiting {
        var popup: Popup
        var line: Int
    }

    private struct Counts {
        var waiting = 0
        var dropped = 0
        /// Whether the user knows that the broker does not answer.
        var isOutage = false
        /// Whether no further popups come.
        var isClosing = false
    }

    private let producer: Producer
    private let input: AsyncStream<Waiting>.Continuation
    private let counts = Mutex(Counts())
    private let sending: Mutex<Task<Void, Never>?>

    private let canWait: Bool

    /// Creates a sink.
    ///
    /// - Parameter canWait: Whether `send` may wait without delaying another program.
    init(_ endpoints: BrokerEndpoints, canWait: Bool) throws {
        self.canWait = canWait
        producer = try Producer(endpoints)
        let (popups, input) = AsyncStream.makeStream(of: Waiting.self, bufferingPolicy: .bufferingNewest(Self.capacity))
        self.input = input
        sending = Mutex(nil)
        let task = Task { for await waiting in popups { await send(waiting) } }
        sending.withLock { $0 = task }
    }

    func send(_ popup: Popup, ofLine line: Int, at time: Duration) async {
        while canWait, !Task.isCancelled, counts.withLock({ $0.waiting >= Self.capacity && !$0.isOutage }) {
            try? await Task.sleep(for: .milliseconds(10))
        }
        counts.withLock { $0.waiting += 1 }
        guard case .dropped = input.yield(Waiting(popup: popup, line: line)) else { return }
        counts.withLock {
            $0.waiting -= 1
            $0.dropped += 1
        }
    }

    func close(patience: Duration) async {
        input.finish()
        counts.withLock { $0.isClosing = true }
        guard let task = sending.withLock({ $0 }) else { return }
        await withTaskGroup { group in
            group.addTask { await task.value }
            group.addTask {
                var left: Int
                repeat {
                    left = self.counts.withLock { $0.waiting }
                    try? await Task.sleep(for: patience)
                } while !Task.isCancelled && self.counts.withLock { $0.waiting } < left
            }
            await group.next()
            task.cancel()
            group.cancelAll()
        }
        await producer.close()
        let (unsent, dropped, isOutage) = counts.withLock { ($0.waiting, $0.dropped, $0.isOutage) }
        if unsent > 0 {
            let reason = isOutage ? "" : ": the broker at \(endpoint) does not answer"
            Output.error("line-producer: \(Self.popups(unsent)) not sent\(reason)")
        }
        if dropped > 0 { Output.error("line-producer: \(Self.popups(dropped)) dropped: more waited for a broker") }
    }

    /// Sends a popup again until the broker has accepted or refused it. Because of its id, the broker shows it once.
    private func send(_ waiting: Waiting) async {
        while !Task.isCancelled {
            do {
                try await producer.show(waiting.popup)
                settle()
                return
            } catch let error as ClientError {
                switch error {
                case .refused, .tooLarge:
                    settle()
                    return Output.error("line-producer: line \(waiting.line): \(SafeText.line("\(error)"))")
                default: report(error)
                }
            } catch {
                return
            }
            try? await Task.sleep(for: .milliseconds(100))
        }
    }

    private func settle() {
        let wasOutage = counts.withLock { counts in
            counts.waiting -= 1
            defer { counts.isOutage = false }
            return counts.isOutage
        }
        if wasOutage { Output.error("line-producer: the broker at \(endpoint) answers; sending what waits for it") }
    }

    /// Reports an outage once.
    private func report(_ error: ClientError) {
        let (isNew, isClosing) = counts.withLock { counts in
            defer { counts.isOutage = true }
            return (!counts.isOutage, counts.isClosing)
        }
        guard isNew, !Task.isCancelled else { return }
        // At the end of the input, the number of popups that are not sent follows.
        let consequence = isClosing ? "" : "; going on without it: the newest \(Self.capacity) popups wait"
        Output.error("line-producer: \(SafeText.line("\(error)"))\(consequence)")
    }

    private var endpoint: String { producer.connection.endpoints.ingress }
}
