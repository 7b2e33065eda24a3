import ArgumentParser
import ExampleSupport
import PopupClient

/// A producer that reads events: it offers wishes, and answers each choice with the next popup.
struct ServerRole: ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "server", abstract: "Offers wishes, and answers the choices of the user.")

    @OptionGroup var story: StoryOptions

    @Option(help: "How many wishes there are, one after the other.") var wishes: UInt16 = 2

    @Option(
        help: ArgumentHelp(
            "Send a wish's popups together, not in answer: result, edit, share in this order (r,e,s). Several: one a wish.",
            valueName: "order"),
        transform: Self.order)
    var together: [[Wish.Part]] = []

    /// The gathering time: enough for three messages that are sent one after the other.
    private static let gathering: Duration = .milliseconds(300)

    func perform() async throws {
        let connection = try BrokerConnection(story.brokerEndpoints)
        let admin = AdminClient(connection)
        // Subscribe before the first command: the answer may come at once.
        let events = try await admin.listening(to: [Wish.group])
        try await admin.setPolicy(Self.rules)
        let end = try await running(for: story.limit) { [self] in
            var iterator = events.makeAsyncIterator()
            for number in 0..<wishes {
                let sending =
                    together.isEmpty ? .inAnswer : Wish.Sending.together(together[Int(number) % together.count])
                let wish = Wish(name: "\(story.run)wish-\(number + 1)", sending: sending)
                try await fulfil(wish, Producer(connection), &iterator)
            }
        }
        if end == .timeUp {
            throw Failure(.unavailable, "the server has received no choice of the user within the time limit")
        }
        await connection.close()
    }

    private func fulfil(_ wish: Wish, _ producer: Producer, _ events: inout Events.AsyncIterator) async throws {
        var wish = wish
        try await producer.show(wish.form)
        tell("server", "offers \(wish.name)")
        while let event = try await events.next() {
            guard case .closed(let closed) = event.event else { continue }
            switch wish.react(to: event.popup, closed) {
            case .nothing: continue
            case .end(let how): return tell("server", "\(wish.name) is \(how)")
            case .send(let popups):
                for popup in popups { try await producer.show(popup) }
                let titles = popups.map { "“\($0.presentation.title)”" }.joined(separator: ", ")
                tell("server", "hears \(closed.action.isEmpty ? closed.reason.name : closed.action), sends \(titles)")
            }
        }
    }

    /// The policy: a flow is never interrupted, and higher priorities wait.
    private static var rules: GroupPolicy {
        var policy = GroupPolicy(Wish.group, preset: .polite)
        policy.gatherMs = gathering.wireMilliseconds
        return policy
    }

    private static func order(_ text: String) throws -> [Wish.Part] {
        let letters: [String: Wish.Part] = ["r": .result, "e": .edit, "s": .share]
        let parts = text.split(separator: ",").compactMap { letters[String($0)] }
        guard Set(parts) == Set(Wish.Part.allCases), parts.count == 3 else {
            throw ValidationError("`\(text)` is not an order of the three; write r,e,s or s,r,e.")
        }
        return parts
    }
}
