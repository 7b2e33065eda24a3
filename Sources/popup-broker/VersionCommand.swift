import ArgumentParser
import PopupProtocol
import TerminalText

struct VersionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "version", abstract: "Print the versions of the broker and the protocol.")

    static let text = ProductVersion.text(of: "popup-broker")

    func run() {
        StandardOutput.line(Self.text)
    }
}
