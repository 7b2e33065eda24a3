import ArgumentParser
import PopupClient

struct SuspendCommand: ChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "suspend",
        abstract: "Suspend groups: show no popups there until `resume` with the same token.")

    @Argument(help: "A group or a pattern (store-12/*, *).", completion: BrokerCompletion.groups)
    var group: String

    @Option(name: .shortAndLong, help: "The name of the suspension, for `resume`.")
    var token: String

    @Option(parsing: .unconditional, help: "Show popups of this priority and above nevertheless.")
    var minPriority: Int32?

    @OptionGroup var acks: AckOptions

    @OptionGroup(title: "Broker and output") var broker: BrokerOptions

    var groups: [String] { [group] }

    func send(_ admin: AdminClient) async throws -> String {
        try await admin.suspend(group, token: token, minPriority: minPriority)
        return group
    }

    func run(_ admin: AdminClient) async throws {
        _ = try await send(admin)
        Terminal.print(
            broker.json
                ? JSON.line(report: .suspended(group, token: token, minPriority: minPriority))
                : "\(group): suspended until `popupctl resume \(token)`")
    }
}
