import ArgumentParser
import PopupClient
import PopupProtocol

struct SuspendCommand: BrokerCommand {
    static let configuration = CommandConfiguration(
        commandName: "suspend",
        abstract: "Keep popups off the screens of groups until the token is released.")

    @Argument(help: "A group or a pattern (store-12/*, *).")
    var group: String

    @Option(name: .shortAndLong, help: "Names the suspension, for `resume`.")
    var token: String

    @Option(parsing: .unconditional, help: "Popups of this priority and above are shown all the same.")
    var minPriority: Int32?

    @OptionGroup(title: "Broker and output") var broker: BrokerOptions

    func run(_ console: Console) async throws {
        var command = WireCommand()
        command.suspend.group = group
        command.suspend.token = token
        if let minPriority { command.suspend.minPriority = minPriority }
        try await Observation(console: console).apply(command)
        Terminal.print(
            broker.json ? try JSON.line(command) : "\(group): suspended until `popupctl resume \(token)`")
    }
}
