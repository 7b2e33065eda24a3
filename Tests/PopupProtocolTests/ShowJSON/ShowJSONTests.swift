import Foundation
import PopupProtocol
import SwiftProtobuf
import Testing

/// The quick way between JSON and binary held against swift-protobuf.
///
/// `POPUP_FRAMES=5000000 swift test --filter ShowJSON` tries as many for each seed.
@Suite("A show in JSON")
struct ShowJSONTests {
    private static let frames = ProcessInfo.processInfo.environment["POPUP_FRAMES"].flatMap { Int($0) } ?? 4000

    @Test("that is read quickly is read the same in full, and accepted", arguments: 1...4)
    func reading(seed: UInt64) throws {
        var fuzz = JSONFuzz(seed: seed)
        var json = ShowJSON()
        var show = ShowFrame()
        var known = 0
        for _ in 0..<Self.frames {
            let text = fuzz.command()
            guard json.read(text.span), show.read(json.command.span, limits: WireLimits()) else { continue }
            known += 1
            let words = String(decoding: text, as: UTF8.self)
            guard let full = try? Ingress.command(json: text) else {
                Issue.record("seed \(seed): the full decoder refuses \(words)")
                return
            }
            let bytes: [UInt8] = try full.serializedBytes()
            guard json.command == bytes, (try? CommandValidator().validate(full)) != nil else {
                Issue.record("seed \(seed): \(words) is read as \(try WireCommand(serializedBytes: json.command))")
                return
            }
        }
        #expect(known > Self.frames / 12)
    }

    @Test("gives JSON that means what was received", arguments: 1...4)
    func writing(seed: UInt64) throws {
        var fuzz = JSONFuzz(seed: seed << 32)
        var json = ShowJSON()
        var written = 0
        for _ in 0..<Self.frames {
            guard let full = try? Ingress.command(json: fuzz.command()).show else { continue }
            let popup: [UInt8] = try full.serializedBytes()
            var expected = full
            // Only the broker says it.
            expected.clearRemainingMs()
            var text = Array("{".utf8)
            guard PopupJSON.appendMembers(of: popup.span, to: &text) else { continue }
            text.append(UInt8(ascii: "}"))
            written += 1
            let words = String(decoding: text, as: UTF8.self)
            guard (try? WirePopup(jsonUTF8Bytes: text)) == expected else {
                Issue.record("seed \(seed): \(full) is written as \(words)")
                return
            }
            // And back by the quick way, when it is a popup that a group can show.
            let command = Array("{\"show\":\(words)}".utf8)
            if json.read(command.span) {
                #expect(try WireCommand(serializedBytes: json.command).show == expected)
            }
        }
        #expect(written > Self.frames / 8)
    }

    @Test("with escapes, other spellings and spaces is known; what is rare is left to the full decoder")
    func examples() {
        func isKnown(_ text: String) -> Bool {
            var json = ShowJSON()
            return json.read(Array(text.utf8).span)
        }
        #expect(isKnown(#"{"show":{"id":"a","group":"g"}}"#))
        #expect(isKnown(#" { "sequence" : "3" , "show" : { "id":"\u00e9\ud83d\ude00\n", "duration_ms": 5 } } "#))
        #expect(
            isKnown(#"{"show":{"actions":[{"id":"ok","label":"OK"},{"id":"no"}],"presentation":{"scene":"CENTER"}}}"#))
        #expect(!isKnown(#"{"show":{"id":"a","id":"b"}}"#))
        #expect(!isKnown(#"{"show":{"priority":1,"priority":0}}"#))
        #expect(!isKnown(#"{"show":{"id":"a"}} x"#))
        #expect(!isKnown(#"{"show":{"durationMs":"5"}}"#))
        #expect(!isKnown(#"{"show":{"durationMs":5e2}}"#))
        #expect(!isKnown(#"{"show":{"flow":{"key":"k"}}}"#))
        #expect(!isKnown(#"{"dismiss":{"id":"a"}}"#))
        #expect(!isKnown(#"{"show":{"id":"\ud800"}}"#))
        #expect(!isKnown(#"{}"#))
        #expect(!isKnown(#"{"show":{"id":"a""#))
    }
}
