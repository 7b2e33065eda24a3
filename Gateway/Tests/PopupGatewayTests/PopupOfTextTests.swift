import PopupClient
import Testing

@testable import PopupGateway

@Suite("Popups of text")
struct PopupOfTextTests {
    @Test("The query has the fields, the body the text")
    func fields() throws {
        let request = GatewayRequest(
            "POST", "/v1/show/lobby?title=Tea+time&duration=20s&scene=top-bar&action=ok:OK&action=no&priority=-3",
            body: Array("Two cups".utf8))
        let popup = try PopupOfText(request, group: "lobby").popup
        #expect(popup.text == "Two cups" && popup.group == "lobby" && popup.presentation.title == "Tea time")
        #expect(popup.durationMs == 20_000 && popup.priority == -3 && popup.presentation.scene == .topBar)
        #expect(popup.actions.map(\.id) == ["ok", "no"] && popup.actions.map(\.label) == ["OK", "no"])
    }

    @Test(
        "What is unknown or not valid is a mistake",
        arguments: [
            "titel=x", "duration=20", "duration=99999999999s", "priority=high", "scene=nowhere",
        ])
    func mistakes(query: String) {
        #expect(throws: Problem.self) { try PopupOfText(GatewayRequest("POST", "/?\(query)"), group: "lobby") }
    }
}
