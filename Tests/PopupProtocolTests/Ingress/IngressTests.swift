import PopupProtocol
import SwiftProtobuf
import Testing

@Suite("A frame")
struct IngressTests {
    /// What came of a frame's commands: the command's name, or the refusal's reason.
    private func outcome(_ frame: [UInt8]) -> [String] {
        Ingress.commands(in: frame).map { result in
            switch result {
            case .success(let command): command.command?.name ?? "nothing"
            case .failure(let refusal): refusal.reason.name
            }
        }
    }

    private func outcome(_ json: String) -> [String] { outcome(Array(json.utf8)) }

    private static let show = WireCommand.with {
        $0.show = .with {
            $0.id = "A"
            $0.group = "lobby"
            $0.priority = -5
            $0.durationMs = 8000
            $0.text = "Grüß Gott"
        }
    }

    @Test("holds one command, in binary or in JSON")
    func oneCommand() throws {
        let json = #"{"show":{"id":"A","group":"lobby","priority":-5,"durationMs":8000,"text":"Grüß Gott"}}"#
        #expect(Ingress.commands(in: Array(json.utf8)) == [.success(Self.show)])
        #expect(try Ingress.commands(in: Self.show.serializedBytes()) == [.success(Self.show)])
    }

    @Test("takes the schema's names in JSON too")
    func schemaNames() {
        #expect(outcome(#"{"set_policy":{"group":"*","max_waiting":3}}"#) == ["setPolicy"])
    }

    @Test("holds a batch, in binary or in JSON")
    func batch() throws {
        let batch = WireBatch.with {
            $0.commands = [Self.show, .with { $0.advance.group = "lobby" }, .with { $0.resume.token = "t" }]
        }
        #expect(try outcome(batch.serializedBytes()) == ["show", "advance", "resume"])
        #expect(try outcome(batch.jsonUTF8Bytes()) == ["show", "advance", "resume"])
        #expect(outcome(#"{"commands":[]}"#) == [])
    }

    @Test("keeps the good commands of a batch when others are refused")
    func partlyRefused() throws {
        let json =
            #"{"commands":[{"advance":{"group":"g"}},{"fly":{}},{"show":{"exclusive":"MAYBE"}},{"resume":{}}, 7]}"#
        #expect(outcome(json) == ["advance", "UNSUPPORTED", "INVALID", "resume", "MALFORMED"])
        // Field 15 with a command that ends too early, then with a good one.
        let binary: [UInt8] = [0x7A, 2, 0x1A, 9] + [0x7A, 4, 0x32, 2, 0x0A, 0]
        #expect(outcome(binary) == ["MALFORMED", "advance"])
    }

    @Test(
        "is refused whole when a batch is broken as a whole",
        arguments: [
            #"{"commands":[{"advance":{"group":"g"}}"#, #"{"commands":[{"advance":{"group":"g"}}]} x"#,
            #"{"commands":7}"#,
            #"{"commands":[{"advance":{"group":"g"}},]}"#,
        ])
    func brokenBatch(json: String) {
        #expect(outcome(json) == ["MALFORMED"])
    }

    @Test("is refused whole when a binary batch is cut off")
    func cutOffBatch() {
        #expect(outcome([0x7A, 4, 0x32, 2, 0x0A, 0, 0x7A, 5, 1]) == ["MALFORMED"])
        #expect(outcome([0x7A, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01]) == ["MALFORMED"])
        #expect(outcome([0x7A, 0x80]) == ["MALFORMED"])
    }

    @Test("skips fields that are not known")
    func unknownFields() throws {
        #expect(outcome(#"{"at":500,"show":{"id":"A","group":"g","shade":{"deep":[1,"]}"]}}}"#) == ["show"])
        // Field 900, a varint, behind the command; and in a batch fields of every wire type before it.
        #expect(try outcome(Self.show.serializedBytes() + [0xA0, 0x38, 1]) == ["show"])
        let others: [UInt8] =
            [0x7A, 0, 0x80, 1, 5, 0x81, 1] + [1, 2, 3, 4, 5, 6, 7, 8] + [0x85, 1, 1, 2, 3, 4, 0x82, 1, 1, 9]
        #expect(outcome(others + [0x7A, 4, 0x32, 2, 0x0A, 0]) == ["UNSUPPORTED", "advance"])
    }

    @Test(
        "without a known command is unsupported", arguments: [#"{}"#, #"{"fly":{"group":"g"}}"#, #"{"producer":"x"}"#])
    func unsupported(json: String) {
        #expect(outcome(json) == ["UNSUPPORTED"])
    }

    @Test("without any byte, or with unknown fields only, is unsupported")
    func unsupportedBinary() {
        #expect(outcome([]) == ["UNSUPPORTED"])
        #expect(outcome([0xA0, 0x38, 1]) == ["UNSUPPORTED"])
    }

    @Test(
        "that can't be decoded is malformed",
        arguments: [
            "{", "{}}", #"{"show"}"#, #"{"show":{"text":5}}"#, #"{"show":7}"#, "{\"show\":{\"text\":\"\u{1}",
            #"{"show":{"text":"a","data":"YQ=="}}"#, #"{"advance":{},"resume":{}}"#,
            "{\"x\":1,\"show\":{\"id\":\"A\",}}",
        ])
    func malformed(json: String) {
        #expect(outcome(json) == ["MALFORMED"])
    }

    @Test("that is no protobuf is malformed")
    func malformedBinary() {
        #expect(outcome(Array("hello".utf8)) == ["MALFORMED"])
        #expect(outcome([0x1A, 200, 1]) == ["MALFORMED"])
        // A string that isn't UTF-8.
        #expect(outcome([0x1A, 3, 0x0A, 1, 0xFF]) == ["MALFORMED"])
    }

    @Test(
        "with a name that no enum value has is invalid, also beside unknown fields",
        arguments: [
            #"{"show":{"group":"g","exclusive":"MAYBE"}}"#, #"{"at":1,"show":{"group":"g","exclusive":"MAYBE"}}"#,
            #"{"at":1,"show":{"presentation":{"scene":"ATTIC"}}}"#, #"{"at":1,"setPolicy":{"higher":"STOPP"}}"#,
            #"{"at":1,"set_policy":{"offer_default":"X"}}"#, #"{"setPolicy":{"preset":"priority"}}"#,
        ])
    func misnamedEnum(json: String) {
        #expect(outcome(json) == ["INVALID"])
    }

    @Test(
        "with a number that its field can't have is invalid",
        arguments: [
            #"{"show":{"durationMs":-1}}"#, #"{"show":{"durationMs":4294967296}}"#,
            #"{"show":{"priority":2147483648}}"#,
            #"{"show":{"priority":"high"}}"#, #"{"show":{"priority":1.5}}"#,
        ])
    func outOfRange(json: String) {
        #expect(outcome(json) == ["INVALID"])
    }

    @Test("that is refused says what, where, whom and what to do")
    func refusalInFull() {
        let frame = #"{"x":1,"show":{"id":"A","group":"lobby","exclusive":"MAYBE"}}"#
        #expect(
            Ingress.commands(in: Array(frame.utf8)) == [
                .failure(
                    CommandRefusal(
                        .invalid, #"`show.exclusive` has no value named "MAYBE"; see its list in the documentation"#,
                        group: GroupName("lobby"), popup: "A"))
            ])
        let unknown = #"{"fly":{"id":"A","group":"lobby"},"high":true}"#
        #expect(
            Ingress.commands(in: Array(unknown.utf8)) == [
                .failure(
                    CommandRefusal(
                        .unsupported,
                        "none of `fly`, `high` is a command of protocol version 1; "
                            + "see the list of commands in the protocol's documentation",
                        group: GroupName("lobby"), popup: "A"))
            ])
    }
}
