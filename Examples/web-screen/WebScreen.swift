import ArgumentParser
import CommandNames
import Foundation
import PopupWebClient
import TerminalText

/// A screen over HTTP, for places that libzmq does not reach: it prints what groups show, and can answer.
@main
struct WebScreen: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "web-screen",
        abstract: "Prints what groups show, received from a gateway over HTTP.",
        discussion: """
            Needs a gateway (`make web` starts one). The token comes from POPUP_GATEWAY_TOKEN. Ends when a popup with the \
            id --until has been shown and is gone.
            """,
        version: ProductVersion.text(of: "web-screen"))

    @Option(help: ArgumentHelp("The address of the gateway.", valueName: "url"))
    var gateway = "http://127.0.0.1:8570"

    @Option(help: ArgumentHelp("A group or pattern to show. May be repeated.", valueName: "group"))
    var group: [String]

    @Option(help: ArgumentHelp("First ask for a popup with this text, in the first group.", valueName: "text"))
    var show: String?

    @Option(help: ArgumentHelp("Answer each popup at once with this action.", valueName: "action"))
    var answer: String?

    @Option(help: ArgumentHelp("End when this popup has been shown and is gone.", valueName: "id"))
    var until: String?

    @Flag(help: "Only watch: the broker does not count on this screen.")
    var watch = false

    static func main() async {
        await runProgram(Array(CommandLine.arguments.dropFirst()))
    }

    func run() async throws {
        guard let address = URL(string: gateway) else { throw ValidationError("`\(gateway)` is not an address.") }
        guard let token = ProcessInfo.processInfo.environment["POPUP_GATEWAY_TOKEN"] else {
            throw ValidationError("The token is missing; set POPUP_GATEWAY_TOKEN.")
        }
        let client = try PopupWebClient(address, token: token)
        if let show, let first = group.first {
            StandardOutput.line("asked for \(try await client.show(Popup(group: first, text: show)))")
        }
        var shown: String?
        for try await state in try client.states(of: group, isRenderer: !watch) {
            StandardOutput.line(Self.line(for: state))
            if let answer, state.popup != nil { await dismiss(state, answer, client) }
            if let until, shown == until, state.popup?.id != until { return }
            shown = state.popup?.id
        }
    }

    /// Dismisses a popup. Another renderer may have been faster.
    private func dismiss(_ state: GroupState, _ action: String, _ client: PopupWebClient) async {
        do { try await client.dismiss(state, action: action) } catch { StandardOutput.line("not dismissed: \(error)") }
    }

    private static func line(for state: GroupState) -> String {
        let doubt = state.isConfirmed ? "" : ", not confirmed"
        guard let popup = state.popup else { return "\(state.group): nothing\(doubt)" }
        let left = state.remaining().map { ", \($0 / .seconds(1)) s left" } ?? ""
        return "\(state.group): \(popup.id) “\(popup.contentText)”\(left), \(state.toCome) to come\(doubt)"
    }
}
