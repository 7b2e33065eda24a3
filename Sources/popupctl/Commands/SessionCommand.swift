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
        let hadSession = session.isEmpty && !broker.json ? try await hasSession(at: admin) : nil
        let seen = try await Observation(admin: admin).events(of: [group]) { _ = try await send(admin) }
        let ended = seen.ended(.sessionEnded)
        guard !broker.json else {
            return Terminal.print(JSON.line(report: .session(session, of: group, closed: ended)))
        }
        let words =
            switch hadSession {
            case _ where !session.isEmpty: "session \(session)"
            case true?: "session ended"
            case false?: "there was no session"
            case nil: "no session now"
            }
        Terminal.print("\(group): \(words)\(Words.closing(ended))")
    }

    /// Returns whether the group has a session; `nil` if the user may not ask. Then the answer says only what is
    /// true in either case.
    private func hasSession(at admin: AdminClient) async throws -> Bool? {
        do {
            return try await admin.groups(of: group).groups.contains { $0.group == group && !$0.session.isEmpty }
        } catch ClientError.refused {
            return nil
        }
    }
}
