import PopupClient
import PopupProtocol
import Testing

@testable import PopupGateway

@Suite("Problems")
struct ProblemTests {
    @Test(
        "Each reason of the protocol has its status",
        arguments: [
            (WireRefused.Reason.malformed, 400), (.invalid, 422), (.tooLarge, 413), (.unsupported, 501),
            (.permissionDenied, 403), (.overload, 429), (.conflict, 409), (.stale, 409), (.notFound, 404),
            (.sequenceReused, 409),
        ])
    func reasons(reason: WireRefused.Reason, status: Int) {
        #expect(Problem(CommandRefusal(reason, "why")).status == status)
    }

    @Test("An outcome that is not known is told apart from a command that was not sent")
    func sent() {
        let unknown = Problem(ClientError.acknowledgementTimedOut(endpoint: "tcp://x", after: .seconds(5)))
        #expect(unknown.status == 504 && unknown.sent == .unknown)
        let unsent = Problem(ClientError.notConnected(endpoint: "tcp://x", after: .zero))
        #expect(unsent.status == 503 && unsent.sent == .no)
        #expect(unsent.response.headers["Retry-After"] == "1")
    }

    @Test("A problem quotes what was sent without what a terminal obeys")
    func controlCharacters() {
        let body = Problem(404, "NOT_FOUND", "there is no popup `\u{1b}\u{7f}\u{9b}`").response.bytes
        #expect(
            String(decoding: body, as: UTF8.self).contains(#""detail":"there is no popup `\u001b\u007f\u009b`""#))
    }

    @Test("A problem is JSON whatever its reason is")
    func quotedReason() throws {
        let body = try AnyJSON(Problem(400, #"ODD"\"#, "why").response.bytes)
        #expect(body["reason"]?.text == #"ODD"\"#)
        #expect(body["type"]?.text == #"/problems/odd"\"#)
    }

    @Test("Retry-After is in whole seconds, rounded up")
    func retryAfter() {
        #expect(Problem(CommandRefusal(.overload, "", retryAfter: 2001)).response.headers["Retry-After"] == "3")
    }
}
