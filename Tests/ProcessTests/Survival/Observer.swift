import Foundation
import PopupProtocol

/// Follows all states and events through every restart of the broker, on a thread of its own, and is never killed. It
/// is the plain producer, too: now and then it sends a popup without id, sequence and acknowledgement, as JSON on a
/// PUB.
final class Observer: Sendable {
    /// Between two of its popups: so many messages.
    private static let messagesPerPopup = 16

    struct Record {
        var arrivals: [Arrival] = []
        /// Texts of the popups that it sent.
        var sent = 0
        var error: String?
    }

    // Guards `record` and `isEnding`.
    private let changed = NSCondition()
    nonisolated(unsafe) private var record: Record?
    nonisolated(unsafe) private var isEnding = false

    init(ingress: String, egress: String, isProducing: Bool = true) {
        Thread.detachNewThread { [self] in
            let record = observe(ingress, egress, isProducing)
            changed.withLock { self.record = record }
            changed.broadcast()
        }
    }

    private func observe(_ ingress: String, _ egress: String, _ isProducing: Bool) -> Record {
        var record = Record()
        do {
            let wire = try Wire(connectingTo: ingress, egress)
            try wire.subscribe(to: "events/")
            try wire.subscribe(to: "state/")
            var next = 0
            while !changed.withLock({ isEnding }) {
                _ = try wire.waits(before: .after(.milliseconds(20))) { $0.arrivals.count >= next && $0.isHeard }
                guard isProducing, wire.isHeard, wire.arrivals.count >= next else { continue }
                next = wire.arrivals.count + Self.messagesPerPopup
                record.sent += 1
                try wire.send(
                    #"{"show":{"group":"plain","durationMs":5,"text":"plain \#(record.sent)"}}"#)
            }
            // What was published before is here then.
            try wire.settle()
            record.arrivals = wire.arrivals
        } catch {
            record.error = "the observer: \(error)"
        }
        return record
    }

    /// Ends it, with a broker running, and returns what it saw.
    func end() throws -> Record {
        try changed.withLock {
            isEnding = true
            let deadline = Deadline.after(.seconds(180))
            while record == nil, !deadline.isOver { _ = changed.wait(until: Date(timeIntervalSinceNow: 1)) }
            guard let record else { throw NotInTime(description: "the observer did not end") }
            if let error = record.error { throw NotInTime(description: error) }
            return record
        }
    }
}
