import ArgumentParser
import PopupClient

struct AnswerCommand: ChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "answer",
        abstract: "Answer the offer of a popup, in a renderer's place.")

    enum Choice: String, CaseIterable, ExpressibleByArgument {
        case accept, veto, later
    }

    @Argument(help: "The popup.")
    var id: String

    @Argument(help: "Show it, close it (VETOED), or offer it again in its turn.")
    var choice: Choice

    @Option(
        name: [.long, .customLong("retry-ms")], help: "With `later`: not sooner than after it; absent: the group's.")
    var retry: TimeArgument?

    @Option(help: "The renderer; absent: this program's own name.")
    var client: ClientArgument?

    @OptionGroup var acks: AckOptions

    @OptionGroup(title: "Broker and output") var broker: BrokerOptions

    func validate() throws {
        if retry != nil, choice != .later { throw ValidationError("--retry goes with `later`.") }
    }

    func send(_ admin: AdminClient) async throws -> String {
        try await admin.answer(answer, to: id, as: client?.token ?? admin.connection.client)
        return id
    }

    func run(_ admin: AdminClient) async throws {
        _ = try await send(admin)
        let explanation = try await admin.explain(id)
        guard !broker.json else { return Terminal.print(try JSON.line(explanation)) }
        Terminal.print("\(id): \(Words.explanation(explanation))")
    }

    var answer: OfferAnswer {
        switch choice {
        case .accept: .accept
        case .veto: .veto
        case .later: .later(after: retry?.duration)
        }
    }
}
