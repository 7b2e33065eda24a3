import Foundation
import PopupWebClient

/// The calls of the client over HTTP, for a test with a real gateway: each line of the input is one, with its words, and its
/// answer is one line.
@main
struct WebClientCalls {
    private let client: PopupWebClient
    /// The state that a person has seen: what it answers.
    private var seen: GroupState?

    static func main() async throws {
        let environment = ProcessInfo.processInfo.environment
        guard let address = environment["POPUP_GATEWAY"].flatMap({ URL(string: $0) }),
            let token = environment["POPUP_GATEWAY_TOKEN"]
        else { fatalError("POPUP_GATEWAY and POPUP_GATEWAY_TOKEN are missing") }
        let timeout = environment["POPUP_GATEWAY_TIMEOUT_MS"].flatMap { Int($0) }
        var calls = WebClientCalls(
            client: try PopupWebClient(address, token: token, timeout: .milliseconds(timeout ?? 10_000)))
        while let line = readLine() {
            let words = line.split(separator: " ").map(String.init)
            let answer: String
            do { answer = try await calls.perform(words) } catch WebClientError.refused(let refusal) {
                answer = "refused \(refusal.status) \(refusal.reason)"
            } catch {
                answer = "failed \(error)"
            }
            print(answer)
            fflush(nil)
        }
    }

    private init(client: PopupWebClient) {
        self.client = client
    }

    private mutating func perform(_ words: [String]) async throws -> String {
        func word(_ index: Int) -> String { index < words.count ? words[index] : "" }
        switch word(0) {
        case "show": return try await client.show(Popup(id: word(1), group: word(2), text: word(3)))
        case "show-waiting":
            let popup = Popup(id: word(1) == "-" ? "" : word(1), group: word(2), text: "x")
            let shown = try await client.show(popup, waitingFor: .milliseconds(Int(word(3)) ?? 0))
            return "\(shown.id) " + (shown.closed.map { "\($0.reason.name) \($0.action)" } ?? "open")
        case "update":
            var update = PopupUpdate()
            (update.id, update.text) = (word(1), word(2))
            try await client.update(update)
        case "cancel": try await client.cancel(word(1), in: word(2))
        case "explain":
            let time = Duration.milliseconds(Int(word(3)) ?? 0)
            let explanation = try await client.explain(word(1), in: word(2), waitingFor: time)
            return explanation.closed.map { "CLOSED \($0.reason.name)" } ?? explanation.phase.name
        case "state":
            let state = try await client.state(of: word(1))
            seen = state
            let offered = state.offered.map { "offers \($0.id)" }
            return offered ?? state.popup.map { "\($0.id) \($0.contentText) \(state.toCome)" } ?? "nothing"
        case "dismiss": if let seen { try await client.dismiss(seen, action: word(1)) }
        case "accept": if let seen { try await client.accept(seen) }
        case "veto": if let seen { try await client.veto(seen) }
        case "advance": try await client.advance(word(1))
        case "list": return try await client.list(word(1)).map(\.id).sorted().joined(separator: " ")
        default: return "unknown"
        }
        return "done"
    }
}
