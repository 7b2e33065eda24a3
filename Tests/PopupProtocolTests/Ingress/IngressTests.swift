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
            "{", "{}}", #"{"show"}"#, #"{"show":{"priority":"high"}}"#, #"{"show":{"text":5}}"#, #"{"show":7}"#,
            "{\"show\":{\"text\":\"\u{1}",
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
            #"{"show":{"priority":1.5}}"#,
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
                        .invalid, #"`show.exclusive` is "MAYBE"; it must be one of NONE, GROUP, ALL"#,
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

    @Test(
        "with a value that its field cannot have is refused with the field, the value and what it must be",
        arguments: [
            (
                #"{"show":{"group":"g","priority":"high"}}"#,
                #"MALFORMED: `show.priority` is "high"; it must be a whole number from -2147483648 to 2147483647"#
            ),
            (
                #"{"show":{"group":"g","durationMs":"5s"}}"#,
                #"MALFORMED: `show.durationMs` is "5s"; it must be a whole number from 0 to 4294967295"#
            ),
            (
                #"{"show":{"group":"g","durationMs":5.5}}"#,
                "INVALID: `show.durationMs` is 5.5; it must be a whole number from 0 to 4294967295"
            ),
            (
                #"{"show":{"group":"g","durationMs":-1}}"#,
                "INVALID: `show.durationMs` is -1; it must be a whole number from 0 to 4294967295"
            ),
            (#"{"show":{"group":5}}"#, "MALFORMED: `show.group` is 5; it must be text"),
            (
                #"{"show":{"group":"g","actions":["ok"]}}"#,
                #"MALFORMED: `show.actions[0]` is "ok"; it must be an object"#
            ),
            (#"{"show":{"group":"g","actions":"ok"}}"#, #"MALFORMED: `show.actions` is "ok"; it must be a list"#),
            (
                #"{"show":{"group":"g","interruptible":"no"}}"#,
                #"MALFORMED: `show.interruptible` is "no"; it must be true or false"#
            ),
            (
                #"{"show":{"group":"g","text":"a","data":"YQ=="}}"#,
                "MALFORMED: `show.data` is given together with another of `text`, `data`; give one of them"
            ),
            (
                #"{"show":{"group":"g"},"dismiss":{"id":"A"}}"#,
                "MALFORMED: `dismiss` is given together with another of `show`, `update`, `dismiss`, `advance`, `clear`, "
                    + "`suspend`, `resume`, `setPolicy`, `setSession`, `report`, `answer`, `lease`, `page`, `query`, "
                    + "`unsetPolicy`; give one of them"
            ),
        ])
    func wrongType(json: String, refusal: String) {
        let refusals = Ingress.commands(in: Array(json.utf8)).map { result in
            switch result {
            case .success: "accepted"
            case .failure(let refusal): "\(refusal.reason.name): \(refusal.detail)"
            }
        }
        #expect(refusals == [refusal])
    }

    @Test(
        "with a misspelt command is refused with the command that may be meant",
        arguments: [
            (#"{"shwo":{"id":"A"}}"#, "`shwo` is not a command of protocol version 1; did you mean `show`?"),
            (
                #"{"x":1,"set_polcy":{}}"#,
                "none of `x`, `set_polcy` is a command of protocol version 1; did you mean `setPolicy`?"
            ),
        ])
    func misspelt(frame: String, detail: String) {
        #expect(
            Ingress.commands(in: Array(frame.utf8)) == [.failure(CommandRefusal(.unsupported, detail))]
                || Ingress.commands(in: Array(frame.utf8)) == [
                    .failure(CommandRefusal(.unsupported, detail, popup: "A"))
                ])
    }

    @Test(
        "has fields that the schema does not have, which tools report with the field that may be meant",
        arguments: [
            (#"{"show":{"id":"A","prioritty":3}}"#, "there is no field `show.prioritty`; did you mean `priority`?"),
            (#"{"show":{"title":"x"}}"#, "there is no field `show.title`; did you mean `presentation.title`?"),
            (
                #"{"show":{"actions":[{"id":"a"},{"lable":"b"}]}}"#,
                "there is no field `show.actions[1].lable`; did you mean `label`?"
            ),
            (
                #"{"commands":[{"advance":{"group":"g"}},{"clear":{"selector":{"zzz":1}}}]}"#,
                "there is no field `clear.selector.zzz`; check its spelling"
            ),
            (#"{"advance":{"group":"g"},"sequense":3}"#, "there is no field `sequense`; did you mean `sequence`?"),
            (#"{"at":3,"show":{"id":"A","duration_ms":3}}"#, nil),
            (#"{"shwo":{}}"#, nil), ("[", nil),
        ] as [(String, String?)])
    func unknownField(frame: String, fault: String?) {
        #expect(Ingress.unknownField(in: Array(frame.utf8), besides: ["at"])?.description == fault)
    }

    @Test(
        "with `strict` is refused for a field that the schema does not have, wherever `strict` stands",
        arguments: [
            (#"{"strict":true,"show":{"txet":"a"}}"#, "there is no field `show.txet`; did you mean `text`?"),
            (#"{"show":{"txet":"a"},"strict":true}"#, "there is no field `show.txet`; did you mean `text`?"),
            (
                #"{"show":{"group":"g"},"sequense":1,"strict":true}"#,
                "there is no field `sequense`; did you mean `sequence`?"
            ),
            (#"{"strict":1,"show":{"group":"g"}}"#, "`strict` is 1; it must be true or false"),
        ])
    func strict(frame: String, detail: String) throws {
        let refusals = Ingress.commands(in: Array(frame.utf8))
            .map { $0.mapError { CommandRefusal($0.reason, $0.detail) } }
        #expect(refusals == [.failure(CommandRefusal(.malformed, detail))])
        // The sender is known, so that its sequence is settled.
        let numbered = #"{"producer":"00112233445566778899aabbccddeeff","sequence":7,"# + frame.dropFirst()
        #expect(Ingress.receivedCommands(in: Array(numbered.utf8)).map { $0.sender?.sequence } == [7])
    }

    @Test("with `strict` that has only known fields, or with `strict` false or null, is read as without it")
    func strictAndRight() {
        #expect(outcome(#"{"strict":true,"advance":{"group":"g"}}"#) == ["advance"])
        #expect(outcome(#"{"advance":{"group":"g","x":1},"strict":false}"#) == ["advance"])
        #expect(outcome(#"{"strict":true,"advance":{"group":"g","x":1},"strict":false}"#) == ["advance"])
        #expect(outcome(#"{"strict":null,"advance":{"group":"g","x":1}}"#) == ["advance"])
        #expect(outcome(#"{"strict":true,"shwo":{"group":"g"}}"#) == ["UNSUPPORTED"])
    }

    @Test("with `strict` refuses those commands of a batch that have unknown fields")
    func strictBatch() {
        let commands = #""commands":[{"advance":{"group":"g"}},{"advance":{"gruop":"g"}},{"advance":{"group":"h"}}]"#
        #expect(outcome("{\(commands)}") == ["advance", "advance", "advance"])
        #expect(outcome(#"{"strict":true,\#(commands)}"#) == ["advance", "MALFORMED", "advance"])
        #expect(outcome(#"{\#(commands),"strict":true}"#) == ["advance", "MALFORMED", "advance"])
        for outer in [#""x":1"#, #""sequence":"1""#, #""advance":{"group":"g"}"#, #""strict":"yes""#] {
            #expect(outcome(#"{"strict":true,\#(outer),\#(commands)}"#) == ["MALFORMED"])
            #expect(outcome(#"{\#(commands),\#(outer),"strict":true}"#) == ["MALFORMED"])
        }
    }

    @Test("that is strict and refused does not make the next frame strict")
    func strictOnce() throws {
        var json = CommandJSON()
        try json.read(Array(#"{"strict":true,"advance":{"gruop":"g"}}"#.utf8).span)
        guard case .refused = json.parts.first?.content else {
            Issue.record("the strict frame was accepted")
            return
        }
        try json.read(Array(#"{"advance":{"gruop":"g"}}"#.utf8).span)
        guard case .command = json.parts.first?.content else {
            Issue.record("the frame after a strict one was refused")
            return
        }
    }

    @Test(
        "of junk is refused with few refusals, and what follows them with one",
        arguments: [
            "1", "{}", "[]", "null", #"{"fly":{"id":"a"}}"#, #"{"show":{"text":5}}"#, #"{"show":{"exclusive":"X"}}"#,
        ])
    func junk(element: String) throws {
        func batch(_ count: Int) -> [UInt8] {
            let elements = Array(repeating: element, count: count) + [#"{"advance":{"group":"g"}}"#]
            return Array("{\"commands\":[\(elements.joined(separator: ","))]}".utf8)
        }
        #expect(outcome(batch(15)).last == "advance")
        let many = Ingress.commands(in: batch(4000))
        #expect(many.count == Ingress.reportedMistakes + 1)
        guard case .failure(let rest)? = many.last else {
            Issue.record("what follows is not refused")
            return
        }
        #expect(rest.reason == .malformed)
        #expect(rest.detail.hasPrefix("the last 3985 commands of the frame were not read"), "\(rest)")
    }

    @Test("of binary junk is refused with as few")
    func binaryJunk() {
        let frame = Array(repeating: [0x7A, 0x02, 0x1A, 0x09] as [UInt8], count: 4000).joined()
        #expect(outcome(Array(frame)).count == Ingress.reportedMistakes + 1)
        let empty = Array(repeating: [0x7A, 0x00] as [UInt8], count: 4000).joined()
        #expect(outcome(Array(empty)).count == Ingress.reportedMistakes + 1)
    }

    @Test("of numbered junk is refused one by one, so that each can be acknowledged")
    func numberedJunk() {
        let producer = String(repeating: "0aF9", count: 8)
        let elements = (1...300).map { #"{"producer":"\#(producer)","sequence":\#($0),"show":{"text":5}}"# }
        let outcome = outcome("{\"commands\":[\(elements.joined(separator: ","))]}")
        #expect(outcome == Array(repeating: "MALFORMED", count: 300))
    }

    @Test("nested deeper than any field is refused, wherever that is and however deep")
    func nesting() {
        for depth in [64, 65, 1000, 60_000] {
            for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
                guard depth * (open.utf8.count + 1) < 130_000 else { continue }
                let value = String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
                let expected = depth > 64 ? "MALFORMED" : nil
                #expect(outcome(#"{"x":\#(value),"advance":{"group":"g"}}"#) == [expected ?? "advance"])
                #expect(outcome(#"{"advance":{"group":\#(value)}}"#) == ["MALFORMED"])
                #expect(outcome(#"{"fly":\#(value)}"#) == [expected ?? "UNSUPPORTED"])
                #expect(outcome(#"{"commands":[{"advance":{"x":\#(value),"group":"g"}}]}"#) == [expected ?? "advance"])
                #expect(outcome(#"{"commands":\#(value)}"#) == ["MALFORMED"])
            }
        }
    }
}
