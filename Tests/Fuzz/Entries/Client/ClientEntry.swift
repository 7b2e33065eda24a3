@testable import PopupClient
import PopupProtocol
@testable import popupctl

/// What a hostile broker sends: topics and bodies into all that reads them in a client, and into what `popupctl`
/// prints.
enum ClientEntry {
    private static let client = "client"
    private static let most = 64

    /// Messages as a topic and a body behind their lengths.
    static func run(_ input: [UInt8]) throws -> Bool {
        var isAccepted = false
        let filter = try GroupFilter(["*"])
        var now = ContinuousClock.Instant.fuzzed
        let limits = limits
        let screens = GroupStateBox(
            filter: filter, limits: limits, client: client, stream: 1, at: now, jitter: { .zero })
        let events = EventBox(filter: filter, limit: limits.queuedEvents)
        let router = ReplyRouter(client: client)
        _ = router.open()
        var window = DeliveryWindow(producer: ProducerName(high: 0, low: 0))
        for number in UInt64(0)..<3 { window.add(number, [], at: now) }

        var reader = InputReader(input)
        for _ in 0..<most where !reader.isAtEnd {
            now += .milliseconds(1 << Int(reader.byte() % 20))
            let topic = String(decoding: reader.string(), as: UTF8.self)
            guard let message = EgressMessage(reader.string(), on: topic) else { continue }
            isAccepted = true
            for subscriber in [screens, events, router] as [any Subscriber] { subscriber.receive(message, at: now) }
            if case .ack(_, let ack) = message {
                _ = window.receive(ack, at: now) { ProducerName(high: 0, low: 1) }
                window.sentAgain(window.due(at: now).map(\.sequence), at: now)
                _ = window.leaveAbandoned(at: now) { ProducerName(high: 0, low: 2) }
            }
            _ = screens.changes(at: now)
            _ = screens.deadline
            while let screen = screens.take() { ClientLines.write(screen, at: now) }
            while let event = events.take() { ClientLines.write(event) }
            if case .reply(let reply) = message { ClientLines.write(reply) }
        }
        return isAccepted
    }

    private static var limits: ClientLimits {
        var limits = ClientLimits()
        limits.groups = 16
        limits.queuedEvents = 16
        return limits
    }
}

extension ContinuousClock.Instant {
    /// A time that is the same in each run: instants of this clock are durations, and can't be made of one.
    static let fuzzed = unsafeBitCast(Duration.seconds(1_000_000), to: Self.self)
}
