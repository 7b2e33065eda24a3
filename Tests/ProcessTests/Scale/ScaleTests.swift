import PopupProtocol
import SwiftProtobuf
import Testing

@Suite("Large numbers", .ownThread)
struct ScaleTests {
    private var ample: Deadline { .after(.seconds(240)) }

    /// Sends a popup in each group, many in a frame.
    private func send(_ popups: [WirePopup], from wire: Wire) throws {
        for first in stride(from: 0, to: popups.count, by: 100) {
            var batch = WireBatch()
            batch.commands = popups[first..<min(first + 100, popups.count)].map { popup in
                var command = WireCommand()
                command.show = popup
                return command
            }
            try wire.send(frames: [try batch.serializedBytes()])
        }
    }

    private func popup(_ id: String, in group: String, durationMs: UInt32 = 0) -> WirePopup {
        var popup = WirePopup()
        popup.id = id
        popup.group = group
        popup.durationMs = durationMs
        return popup
    }

    @Test("of subscriptions: each of 20 subscribers gets the states of its own 500 groups, and no others")
    func manySubscriptions() throws {
        let broker = try BrokerProcess()
        let producer = try broker.wire()
        let subscribers = try (0..<20).map { subscriber in
            try Wire(
                ingress: broker.ingress, egress: broker.egress,
                following: (0..<500).map { "state/shop/\($0 * 20 + subscriber)/" })
        }
        #expect(try producer.ask(#""stats":{}"#).stats.subscriptions >= 10_000)

        try send((0..<10_000).map { popup("P\($0)", in: "shop/\($0)") }, from: producer)

        for (number, subscriber) in subscribers.enumerated() {
            let own = Set((0..<500).map { "shop/\($0 * 20 + number) P\($0 * 20 + number)" })
            try subscriber.wait(for: "its 500 states", before: ample) { $0.states.count >= 500 }
            try subscriber.settle()
            #expect(Set(subscriber.states.map { "\($0.group) \($0.active.id)" }) == own)
        }
    }

    @Test("of subscribers: 16 that follow everything get the same states in the same order")
    func manySubscribers() throws {
        let broker = try BrokerProcess()
        let producer = try broker.wire()
        let subscribers = try (0..<16).map { _ in try broker.wire(following: "state/") }

        // Each group's popups pile up: the later ones go on top.
        var popups: [WirePopup] = []
        for number in 0..<1000 {
            var popup = popup("P\(number)", in: "hall/\(number % 250)")
            popup.priority = Int32(number / 250)
            popups.append(popup)
        }
        try send(popups, from: producer)

        let expected = popups.enumerated().map { "\($1.group) r\($0 / 250 + 1) \($1.id)" }
        for subscriber in subscribers {
            try subscriber.wait(for: "all states", before: ample) { $0.states.count >= 1000 }
            #expect(subscriber.states.map { "\($0.group) r\($0.revision) \($0.active.id)" } == expected)
        }
    }

    @Test("of timers: 20,000 groups' popups all time out, none early")
    func manyTimers() throws {
        let broker = try BrokerProcess(arguments: ["--set", "egress.highWaterMark=100000"])
        let producer = try broker.wire(following: "events/")
        let durations = (0..<20_000).map { UInt32(1000 + $0 * 7919 % 4000) }

        try send(durations.enumerated().map { popup("P\($0)", in: "clock/\($0)", durationMs: $1) }, from: producer)
        var closed = 0
        var seen = 0
        try producer.wait(for: "all to time out", before: ample) { wire in
            for arrival in wire.arrivals[seen...] {
                if case .event(let event) = arrival.content, event.closed.reason == .timedOut { closed += 1 }
            }
            seen = wire.arrivals.count
            return closed == durations.count
        }

        var shown: [String: UInt64] = [:]
        var early: [String] = []
        for event in producer.events {
            if case .shown = event.event { shown[event.popup] = event.time }
            guard case .closed(let end) = event.event, let number = Int(event.popup.dropFirst()) else { continue }
            let displayed = event.time - (shown[event.popup] ?? event.time)
            if displayed < durations[number] || end.displayedMs < durations[number] {
                early.append("\(event.popup) after \(displayed) ms of \(durations[number])")
            }
        }
        #expect(early == [])
        #expect(shown.count == durations.count)
        #expect(try producer.ask(#""count":{}"#).count.popups == 0)
    }
}
