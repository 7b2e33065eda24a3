import ArgumentParser
import PopupClient

struct SessionCommand: ChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "session",
        abstract: "Set the session of a group. Popups of its previous session close (SESSION_ENDED).")

    @Argument(help: "The group.", completion: BrokerCompletion.groups)
    var group: String

    @Argument(help: "The new session (default: none).")
    var session: String = ""

    @OptionGroup var acks: AckOptions

    @OptionGroup(title: "Broker and output") var broker: BrokerOptions

    var groups: [String] { [group] }

    func send(_ admin: AdminClient) async throws -> String {
        try await admin.setSession(session, of: group)
        return group
    }

    func run(_ admin: AdminClient) async throws {
        let seen = try await Observation(admin: admin).events(of: [group]) { _ = try await send(admin) }
        let ended = seen.ended(.sessionEnded)
        if broker.json {
            Terminal.print(JSON.line(report: .session(session, of: group, closed: ended)))
        } else {
            Terminal.print("\(group): session \(session.isEmpty ? "ended" : session)\(Words.closing(ended))")
        }
    }
}
