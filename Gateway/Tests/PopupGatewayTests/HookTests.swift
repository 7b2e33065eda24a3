import PopupProtocol
import Testing

@testable import PopupGateway

@Suite("Webhooks")
struct HookTests {
    private let message = try! AnyJSON(
        Array(
            #"""
            {"a/b": {"m~n": [null, {"x": "y"}]}, "count": 3, "rate": 2.5, "isOn": true, "none": null,
             "number": 9007199254740993}
            """#.utf8))

    @Test(
        "a pointer of RFC 6901 leads to a value, whose words go into the text",
        arguments: [
            ("{/a~1b/m~0n/1/x}", "y"), ("no {/count} of {/rate}, {/isOn}", "no 3 of 2.5, true"), ("plain", "plain"),
            ("{/number}", "9007199254740993"),
            ("", ""), ("[{/none}{/nowhere}{/a~1b}{/a~1b/m~0n/7}{/count/0}{}]", "[]"),
        ])
    func template(text: String, result: String) throws {
        #expect(try #require(TextTemplate(text)).text(for: message) == result)
    }

    @Test("what is in braces must be a pointer, and the brace closed", arguments: ["{labels}", "{/a", "a {b} c"])
    func mistakes(text: String) {
        #expect(TextTemplate(text) == nil)
    }

    @Test("a condition holds where the value has one of the texts")
    func condition() throws {
        let pointer = try #require(JSONPointer("/isOn"))
        #expect(Hook.Condition(pointer, is: ["yes", "true"]).holds(for: message))
        #expect(!Hook.Condition(pointer, is: ["yes"]).holds(for: message))
        #expect(!Hook.Condition(try #require(JSONPointer("/isOff")), is: [""]).holds(for: message))
    }

    @Test("the messages are the body, or a list in it of at most 256")
    func messages() throws {
        var hook = Hook()
        #expect(try hook.messages(in: message) == [message])
        hook.each = JSONPointer("/a~1b/m~0n")
        #expect(try hook.messages(in: message).count == 2)
        hook.each = JSONPointer("/count")
        #expect(throws: Problem.self) { try hook.messages(in: message) }
        hook.each = JSONPointer("")
        #expect(try hook.messages(in: .list(Array(repeating: .null, count: 256))).count == 256)
        #expect(throws: Problem.self) { try hook.messages(in: .list(Array(repeating: .null, count: 257))) }
    }

    @Test("the code of a signature is that of RFC 4231, in the header as it is or after sha256=")
    func signature() {
        let digits = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        let signature = Hook.Signature(header: "X-Signature", secret: Array("Jefe".utf8))
        func isValid(_ text: String?, body: String = "what do ya want for nothing?") -> Bool {
            let headers = text.map { ["x-signature": $0] } ?? [:]
            return signature.isValid(in: GatewayRequest("POST", "/", headers: headers, body: Array(body.utf8)))
        }
        #expect(isValid(digits))
        #expect(isValid("sha256=" + digits.uppercased()))
        #expect(!isValid(digits, body: "what do ya want for nothing!"))
        #expect(!isValid(String(digits.dropLast())))
        #expect(!isValid(String(digits.dropLast()) + "4"))
        #expect(!isValid(""))
        #expect(!isValid(nil))
        // RFC 4231, case 6: a key that is longer than a block.
        let code = TokenHash.hmac(
            Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            key: [UInt8](repeating: 0xaa, count: 131))
        #expect(
            TokenHash.digits(of: code) == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
    }
}
