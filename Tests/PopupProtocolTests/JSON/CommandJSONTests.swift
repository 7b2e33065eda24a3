import Foundation
import PopupProtocol
import SwiftProtobuf
import Testing

/// The reader of JSON held against swift-protobuf's, and against a reader of nothing but JSON.
///
/// `POPUP_FRAMES=5000000 swift test --filter CommandJSON` tries as many for each seed.
@Suite("A command in JSON")
struct CommandJSONTests {
    private static let frames = ProcessInfo.processInfo.environment["POPUP_FRAMES"].flatMap { Int($0) } ?? 4000

    /// What swift-protobuf makes of a text, and whether it had names that it doesn't know.
    private static func reference(_ text: [UInt8]) -> (command: WireCommand?, hasUnknown: Bool) {
        do {
            return (try WireCommand(jsonUTF8Bytes: text), false)
        } catch JSONDecodingError.unknownField {
            var options = JSONDecodingOptions()
            options.ignoreUnknownFields = true
            return (try? WireCommand(jsonUTF8Bytes: text, options: options), true)
        } catch {
            return (nil, false)
        }
    }

    private static func isJSON(_ text: [UInt8]) -> Bool {
        (try? JSONSerialization.jsonObject(with: Data(text))) != nil
    }

    /// Returns whether the text is a command.
    private func check(_ text: [UInt8], _ json: inout CommandJSON, _ seed: UInt64) throws -> Bool {
        let words = String(decoding: text, as: UTF8.self)
        var (expected, hasUnknown) = Self.reference(text)
        if expected?.command == nil { expected = nil }
        do throws(CommandRefusal) {
            try json.read(text.span)
        } catch {
            // What it says is no JSON others don't take for JSON either, save for a comma too many, which Foundation takes.
            let hasSpareComma = words.contains(/,\s*[\]}]/)
            #expect(hasSpareComma || !Self.isJSON(text), "seed \(seed): \(error) in \(words)")
            #expect(hasUnknown || expected == nil, "seed \(seed): \(error) in \(words)")
            return false
        }
        let content = try #require(json.parts.first?.content)
        if case .refused(let refusal, _) = content {
            // Skipping unknown names swift-protobuf skips those of enums, too.
            let isMisnamed = hasUnknown && refusal.detail.contains("must be one of")
            #expect(expected == nil || isMisnamed, "seed \(seed): \(refusal) in \(words)")
            return false
        }
        // Half a pair in a field that isn't known is passed over; Foundation minds it.
        #expect(words.contains("\\ud800") || Self.isJSON(text), "seed \(seed): \(words)")
        let bytes: [UInt8]? = try? expected?.serializedBytes()
        let read: WireCommand
        if case .command(let command) = content {
            #expect(json.binary.isEmpty)
            read = command
        } else {
            #expect(json.binary == bytes, "seed \(seed): \(words)")
            read = try WireCommand(serializedBytes: json.binary)
        }
        #expect(read == expected, "seed \(seed): \(words) is read as \(read)")
        return json.parts.count == 1
    }

    @Test("an ordinary show, whole or damaged, is read as swift-protobuf reads it", arguments: 1...4)
    func shows(seed: UInt64) throws {
        var fuzz = JSONFuzz(seed: seed)
        var json = CommandJSON()
        var known = 0
        for _ in 0..<Self.frames where try check(fuzz.command(), &json, seed) { known += 1 }
        #expect(known > Self.frames / 12)
    }

    @Test("of any kind, whole or damaged, is read as swift-protobuf reads it", arguments: 1...4)
    func commands(seed: UInt64) throws {
        var fuzz = try SchemaFuzz(seed: seed)
        var json = CommandJSON()
        var known = 0
        for _ in 0..<Self.frames where try check(fuzz.command(), &json, seed) { known += 1 }
        #expect(known > Self.frames / 6)
    }

    @Test("what is accepted, ordinary `show`s read where they are, too")
    func ordinary() throws {
        var fuzz = JSONFuzz(seed: 9)
        var json = CommandJSON()
        var show = ShowFrame()
        var known = 0
        for _ in 0..<Self.frames {
            let text = fuzz.command()
            guard (try? json.read(text.span)) != nil, show.read(json.binary.span, limits: WireLimits())
            else { continue }
            known += 1
            #expect(throws: Never.self) { try CommandValidator().validate(try Ingress.command(json: text)) }
        }
        #expect(known > Self.frames / 12)
    }

    @Test("is written with what it was read from", arguments: 1...4)
    func writing(seed: UInt64) throws {
        var fuzz = try SchemaFuzz(seed: seed << 32)
        var written = 0
        for _ in 0..<Self.frames {
            guard let full = try? Ingress.command(json: fuzz.command(named: "show")).show else { continue }
            let popup: [UInt8] = try full.serializedBytes()
            var expected = full
            // Only the broker says it.
            expected.clearRemainingMs()
            expected.attempt = 0
            expected.sinceRevision = 0
            var json = JSONWriter()
            json.beginObject()
            json.appendMembers(ofPopup: popup.span)
            json.endObject()
            written += 1
            let text = json.bytes
            let words = String(decoding: text, as: UTF8.self)
            #expect(try WirePopup(jsonUTF8Bytes: text) == expected, "seed \(seed): \(full) is written as \(words)")
            #expect(try WireJSON.decode(text) == expected, "seed \(seed): \(words)")
        }
        #expect(written > Self.frames / 4)
    }

    @Test("is written whole, whose actions are in several pieces")
    func pieces() throws {
        let whole = WirePopup.with {
            $0.id = "a"
            $0.text = "x"
            $0.actions = [.with { $0.id = "b" }, .with { $0.id = "c" }]
        }
        let last = WirePopup.with { $0.actions = [whole.actions[1]] }
        var first = whole
        first.actions.removeLast()
        var between = WirePopup()
        between.surface = "s"
        let bytes: [UInt8] =
            try first.serializedBytes() + (try between.serializedBytes()) + (try last.serializedBytes())
        var json = JSONWriter()
        json.beginObject()
        json.appendMembers(ofPopup: bytes.span)
        json.endObject()
        var expected = whole
        expected.surface = "s"
        #expect(try WireJSON.decode(json.bytes) == expected)
    }

    @Test("a field that stands twice says what the last one says, a list both")
    func twice() throws {
        func show(_ members: String) throws -> WirePopup {
            try Ingress.command(json: Array("{\"show\":{\(members)}}".utf8)).show
        }
        #expect(try show(#""priority":1,"priority":0"#).priority == 0)
        #expect(try show(#""id":"a","id":null"#).id == "")
        #expect(try !show(#""interruptible":true,"interruptible":null"#).hasInterruptible)
        #expect(try show(#""actions":[{"id":"a"}],"text":"x","actions":[{"id":"b"}]"#).actions.map(\.id) == ["a", "b"])
        let last = try show(#""presentation":{"title":"a","icon":"i"},"presentation":{"title":"b"}"#).presentation
        #expect(last == .with { $0.title = "b" })
        #expect(try !show(#""presentation":{"title":"a"},"presentation":null"#).hasPresentation)
        #expect(try show(#""text":"a","data":null"#).text == "a")
        #expect(throws: CommandRefusal.self) { try show(#""text":"a","text":"b""#) }
    }

    @Test(
        "takes bytes in both alphabets of base64, padded or not",
        arguments: ["AAEC/v8=", "AAEC_v8=", "AAEC_v8", #"AAEC\/v8="#, #"\u0041AEC/v8"#, "AAEC /v8 ="])
    func base64(text: String) throws {
        let command = try Ingress.command(json: Array(#"{"update":{"data":"\#(text)"}}"#.utf8))
        #expect(Array(command.update.data) == [0, 1, 2, 0xFE, 0xFF])
    }

    @Test("takes nothing else for bytes", arguments: ["A", "AAEC=", "AA=A", "AA===", "+-AA", "AAÄA", "AA.A"])
    func noBase64(text: String) {
        let frame = Array(#"{"update":{"data":"\#(text)"}}"#.utf8)
        #expect(Ingress.commands(in: frame).map { (try? $0.get()) == nil } == [true])
    }
}
