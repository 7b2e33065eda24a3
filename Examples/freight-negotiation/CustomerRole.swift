import ArgumentParser
import ExampleSupport
import PopupClient

/// The end of the story: the customer cancels, and every group is cleared for that message.
struct CustomerRole: ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "customer", abstract: "Cancels the order of a load: all other popups, in every group, close.")

    /// Returns the id of the popup that ends the story.
    static func cancellation(of run: String) -> String { "\(run)order-cancelled" }

    @OptionGroup var story: StoryOptions
    @Option(help: "The load.") var load: String
    @Option(help: "The time of the cancellation, in ms.") var after: UInt32 = 7000

    func perform() async throws {
        let connection = try BrokerConnection(story.brokerEndpoints)
        let events = try await AdminClient(connection).listening(to: [Offer.group(of: load)])
        let id = Self.cancellation(of: story.run)
        let end = try await running(for: story.limit) { [self] in
            try await Task.sleep(for: .milliseconds(Int64(after)))
            var popup = Popup(
                id: id, group: Offer.group(of: load), title: "Order cancelled",
                text: "The customer has cancelled all orders of today.",
                actions: [PopupAction(id: "understood", label: "Understood")])
            popup.exclusive = .all
            popup.durationMs = 5000
            popup.presentation.style = "error"
            try await Producer(connection).show(popup)
            tell("customer", "cancels all orders")
            for try await event in events where event.popup == id {
                guard case .closed(let closed) = event.event else { continue }
                return tell("customer", "hears: \(closed.action.isEmpty ? closed.reason.name : closed.action)")
            }
        }
        if end == .timeUp {
            throw Failure(.unavailable, "no user has confirmed the cancellation of the order within the time limit")
        }
        await connection.close()
    }
}
