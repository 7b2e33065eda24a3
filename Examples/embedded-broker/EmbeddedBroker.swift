import PopupBroker
import PopupJournal
import PopupProtocol

/// An application with a broker inside: it asks for popups, shows them and answers them in one process, without a
/// network.
@main
struct EmbeddedBroker {
    static func main() async throws {
        let transport = InProcessTransport()
        let broker = try Broker(transport: transport, journal: MemoryJournal())
        let client = transport.makeClient()
        let screen = Screen(client, group: "lobby")
        async let end: Void = broker.run()

        client.send(#"{"show":{"id":"welcome","group":"lobby","text":"The canteen is open."}}"#)
        screen.showNext()
        // More urgent: it interrupts the welcome.
        client.send(
            #"{"show":{"id":"visitor","group":"lobby","priority":5,"text":"Ms Ōkubo is here.","actions":[{"id":"coming"}]}}"#
        )
        screen.showNext()
        client.send(#"{"dismiss":{"id":"visitor","action":"coming"}}"#)
        screen.showNext()

        broker.stop()
        try await end
    }
}

/// The screen of a group.
struct Screen {
    private let client: InProcessClient
    private let topic: String

    /// Creates a screen, which subscribes to the group's states.
    init(_ client: InProcessClient, group: String) {
        self.client = client
        topic = "state+json/\(group)/"
        client.subscribe(to: topic)
    }

    /// Waits for the next state in which a popup is active, and prints it.
    func showNext() {
        while let message = client.receive(waitMilliseconds: 10_000) {
            guard let state = try? WireEncoding.json.decode(message.body, as: WireGroupState.self), state.hasActive
            else { continue }
            let action = state.cause.action
            let cause = action.isEmpty ? "" : " (after \(state.cause.popup): \(action))"
            return print("\(state.group): \(state.active.text)\(cause)")
        }
        print("nothing came")
    }
}

extension InProcessClient {
    /// Sends a command.
    func send(_ json: String) { send(Array(json.utf8)) }
}
