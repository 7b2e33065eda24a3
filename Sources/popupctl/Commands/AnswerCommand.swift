import ArgumentParser
import PopupClient

struct AnswerCommand: ChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "answer",
        abstract: "Answer the offer of a popup, as a renderer does.")

    enum Choice: String, WordArgument {
        case accept, veto, later
    }

    @Argument(help: "The popup.", completion: BrokerCompletion.popups)
    var id: String

    @Argument(help: "Whether to show it, to close it (VETOED), or to offer it again later.")
    var choice: Choice

    @Option(
        name: [.long, .customLong("retry-ms")],
        help: "With `later`: the least time before the next offer (default: that of the group).",
        transform: TimeArgument.parse)
    var retry: TimeArgument?

    @Option(help: "The name of the renderer (default: one of this process).")
    var client: ClientArgument?

    @OptionGroup var acks: AckOptions

    @OptionGroup(title: "Broker and output") var broker: BrokerOptions

    func validate() throws {
        if retry != nil, choice != .later { throw ValidationError("--retry needs `later`.") }
    }

    func send(_ admin: AdminClient) async throws -> String {
        try await admin.answer(answer, to: id, as: client?.token ?? admin.connection.client)
        return id
    }

    func run(_ admin: AdminClient) async throws {
        _ = try await send(admin)
        try await printOutcome(of: id, admin) { "\(id): \(Words.explanation($0))" }
    }

    var answer: OfferAnswer {
        switch choice {
        case .accept: .accept
        case .veto: .veto
        case .later: .later(after: retry?.duration)
        }
    }
}
