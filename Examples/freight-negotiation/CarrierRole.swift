import ArgumentParser
import ExampleSupport
import PopupClient

/// A producer that reads events: it offers a price, and lowers it when the shipper counters.
struct CarrierRole: ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "carrier", abstract: "Offers a price for a load, and a lower one when it is countered.")

    @OptionGroup var story: StoryOptions
    @Option(help: "The name of the carrier.") var name: String
    @Option(help: "The load.") var load: String
    @Option(help: "The first price, in euros.") var price: Int
    @Option(help: "The lowest price, in euros.") var floor: Int
    @Option(help: "The step by which the price is reduced, in euros.") var step = 100
    @Option(help: "The time of the first offer, in ms.") var after: UInt32 = 0

    func perform() async throws {
        let connection = try BrokerConnection(story.brokerEndpoints)
        let (admin, producer) = (AdminClient(connection), Producer(connection))
        // Subscribe before the first command: the answer may come at once.
        let events = try await admin.listening(to: [Offer.group(of: load)])
        let end = try await running(for: story.limit) { [self] in
            try await Task.sleep(for: .milliseconds(Int64(after)))
            try await bargain(producer, events)
        }
        if end == .timeUp { throw Failure(.unavailable, "\(name) has received no answer within the time limit") }
        await connection.close()
    }

    private func bargain(_ producer: Producer, _ events: Events) async throws {
        var bargaining = Bargaining(price: price, floor: floor, step: step)
        var offer = Offer(load: load, carrier: name, round: 1, price: price)
        var id = try await producer.show(offer.popup(run: story.run))
        tell(name, "offers \(offer.price) € for \(load)")
        for try await event in events where event.popup == id {
            guard case .closed(let closed) = event.event else { continue }
            switch bargaining.next(reason: closed.reason.name, action: closed.action) {
            case .stop(let why): return tell(name, why)
            case .offer(let price):
                offer.round += 1
                offer.price = price
                id = try await producer.show(offer.popup(run: story.run))
                tell(name, "offers \(price) € for \(load)")
            }
        }
    }
}
