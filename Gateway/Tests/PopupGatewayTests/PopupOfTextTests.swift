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
        "What is not valid is a mistake",
        arguments: [
            "duration=20", "duration=99999999999s", "priority=high", "scene=nowhere",
        ])
    func mistakes(query: String) {
        let request = GatewayRequest("POST", "/?\(query)", body: Array("Two cups".utf8))
        #expect(throws: Problem.self) { try PopupOfText(request, group: "lobby") }
    }

    @Test(
        "JSON is no text: a screen would show its braces",
        arguments: ["application/json", "Application/JSON; charset=utf-8", "application/problem+json", "text/json"])
    func json(media: String) throws {
        let request = GatewayRequest(
            "POST", "/v1/show/lobby", headers: ["content-type": media], body: Array(#"{"text":"Two cups"}"#.utf8))
        let problem = #expect(throws: Problem.self) { try PopupOfText(request, group: "lobby") }
        #expect(problem?.status == 415 && problem?.reason == "UNSUPPORTED_MEDIA_TYPE")
    }

    @Test(
        "Every other type is text, also what curl calls a form",
        arguments: ["application/x-www-form-urlencoded", "text/plain; charset=utf-8", "application/octet-stream"])
    func types(media: String) throws {
        let request = GatewayRequest(
            "POST", "/v1/show/lobby", headers: ["content-type": media], body: Array("Two cups".utf8))
        #expect(try PopupOfText(request, group: "lobby").popup.text == "Two cups")
    }

    @Test("A popup without a text and without a title says nothing, and is refused", arguments: ["", " \n"])
    func nothing(text: String) throws {
        let request = GatewayRequest("POST", "/v1/show/lobby?priority=3", body: Array(text.utf8))
        let problem = #expect(throws: Problem.self) { try PopupOfText(request, group: "lobby") }
        #expect(problem?.status == 422 && problem?.reason == "INVALID")
        let titled = GatewayRequest("POST", "/v1/show/lobby?title=Tea", body: Array(text.utf8))
        #expect(try PopupOfText(titled, group: "lobby").popup.presentation.title == "Tea")
    }
}
