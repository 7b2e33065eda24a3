import ArgumentParser
import PopupBroker
import PopupProtocol

struct VersionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "version", abstract: "Print the versions of the broker and the protocol.")

    static let text = "popup-broker \(BrokerConfiguration().version), protocol \(ProtocolVersion.current)"

    func run() {
        print(Self.text)
    }
}
