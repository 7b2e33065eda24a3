import ArgumentParser
import PopupClient

struct ResumeCommand: ChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "End a suspension. An unknown token has no effect.")

    @Argument(
        help: ArgumentHelp("The token of the suspension.", valueName: "token"), completion: BrokerCompletion.tokens)
    var givenToken: String?

    @Option(
        name: [.customShort("t"), .customLong("token")], help: "The token, in the form of `suspend`.",
        completion: BrokerCompletion.tokens)
    var tokenOption: String?

    @OptionGroup var acks: AckOptions

    @OptionGroup(title: "Broker and output") var broker: BrokerOptions

    /// The token of the suspension, in whichever form it is given.
    var token: String { givenToken ?? tokenOption ?? "" }

    func checkArguments() throws(Failure) {
        if (givenToken == nil) == (tokenOption == nil) {
            throw Failure(
                "give the token of the suspension once, as an argument or with --token", .validationFailure)
        }
    }

    func send(_ admin: AdminClient) async throws -> String {
        try await admin.resume(token)
        return token
    }

    func run(_ admin: AdminClient) async throws {
        let wasKnown = try await isKnown(to: admin)
        _ = try await send(admin)
        if broker.json {
            Terminal.print(JSON.line(report: .resumed(token, wasKnown: wasKnown)))
        } else if wasKnown == false {
            Terminal.print("\(token): there was no such suspension; `popupctl suspensions` lists those in force")
        } else {
            Terminal.print("\(token): no longer suspends any group")
        }
    }

    /// Returns whether there is such a suspension; `nil` if the user may not ask. Then it is told what holds in any case.
    private func isKnown(to admin: AdminClient) async throws -> Bool? {
        do {
            return try await admin.suspensions().contains { $0.token == token }
        } catch ClientError.refused {
            return nil
        }
    }
}
