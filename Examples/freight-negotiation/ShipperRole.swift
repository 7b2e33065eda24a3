import ArgumentParser
import ExampleSupport
import PopupClient

/// A renderer that decides: it reads the offer on screen, and answers it.
struct ShipperRole: ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "shipper", abstract: "Reads the offers for a load one by one, and accepts, counters or declines.")

    @OptionGroup var story: StoryOptions
    @Option(help: "The load.") var load: String
    @Option(help: "The highest price that it pays, in euros.") var limit: Int
    @Option(help: "The time to read an offer, in ms.") var reading: UInt32 = 800

    func perform() async throws {
        let connection = try BrokerConnection(story.brokerEndpoints)
        try await connection.connected(timeout: .seconds(5))
        tell("\(load) desk", "is open, pays \(limit) € at most")
        let end = try await running(for: story.limit) { [self] in
            try await read(connection)
        }
        if end == .timeUp {
            throw Failure(.unavailable, "no end of the negotiation about \(load) within the time limit")
        }
        await connection.close()
    }

    /// Answers each offer that has been on screen long enough to be read. Until then, a better offer may interrupt it.
    private func read(_ connection: BrokerConnection) async throws {
        let renderer = Renderer(connection)
        let negotiation = Negotiation(renderer, load: load, limit: limit, reading: .milliseconds(Int64(reading)))
        for try await screen in try renderer.states(of: Offer.group(of: load)) {
            if await negotiation.isDone(with: screen) { return }
        }
    }
}

/// A negotiation: the offer on screen, and the answer that is due.
private actor Negotiation {
    private let renderer: Renderer
    private let load: String
    private let limit: Int
    private let reading: Duration
    private var current: (id: String, revision: UInt64)?
    private var answer: Task<Void, any Error>?
    private var cancellation: String?
    private var hasDeal = false

    init(_ renderer: Renderer, load: String, limit: Int, reading: Duration) {
        self.renderer = renderer
        self.load = load
        self.limit = limit
        self.reading = reading
    }

    /// Handles the next state of the group.
    ///
    /// - Returns: Whether the negotiation is over.
    func isDone(with screen: GroupState) -> Bool {
        if let popup = screen.popup, current?.id == popup.id, current?.revision == popup.sinceRevision { return false }
        answer?.cancel()
        current = screen.popup.map { ($0.id, $0.sinceRevision) }
        guard let popup = screen.popup else { return hasDeal || cancellation != nil }
        answer = Task { [reading] in
            try await Task.sleep(for: reading)
            try await self.answer(popup, on: screen)
        }
        return false
    }

    private func answer(_ popup: Popup, on screen: GroupState) async throws {
        guard current?.id == popup.id, current?.revision == popup.sinceRevision else { return }
        // The commands below change the state, which must not cancel them.
        answer = nil
        guard let price = Offer.price(in: popup), popup.actions.contains(where: { $0.id == "accept" }) else {
            cancellation = popup.id
            tell("\(load) desk", "reads: \(popup.contentText)")
            return try await renderer.dismiss(screen, action: popup.actions.first?.id ?? "read")
        }
        if price <= limit {
            hasDeal = true
            tell("\(load) desk", "accepts \(price) €")
            try await renderer.dismiss(screen, action: "accept")
            // The offers of the other carriers for this load are closed.
            var selector = PopupSelector()
            selector.group = Offer.group(of: load)
            try await AdminClient(renderer.connection).clear(selector)
        } else {
            tell("\(load) desk", "counters \(price) €")
            try await renderer.dismiss(screen, action: "counter")
        }
    }
}
