import Foundation
import PopupProtocol
import SwiftProtobuf
import Testing

/// All characters, there and back, held against Foundation's reader and writer of JSON.
@Suite("Text in JSON")
struct JSONTextTests {
    /// Every character that there is, in runs of a thousand.
    private static let runs: [[Unicode.Scalar]] = {
        let scalars = (UInt32(0)...0x10FFFF).compactMap { Unicode.Scalar($0) }
        return stride(from: 0, to: scalars.count, by: 1000).map { Array(scalars[$0..<min($0 + 1000, scalars.count)]) }
    }()

    private static func text(_ scalars: [Unicode.Scalar]) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        return String(text)
    }

    /// Each character by escapes alone.
    private static func escaped(_ scalars: [Unicode.Scalar], uppercase: Bool) -> String {
        scalars.flatMap { String($0).utf16 }.map { unit in
            let digits = String(unit, radix: 16, uppercase: uppercase)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
    }

    private static func raw(_ text: String) throws -> String {
        String(decoding: try JSONSerialization.data(withJSONObject: text, options: .fragmentsAllowed), as: UTF8.self)
    }

    @Test("comes as it was sent, escaped or as it is")
    func reading() throws {
        for (run, scalars) in Self.runs.enumerated() {
            let text = Self.text(scalars)
            let escaped = Self.escaped(scalars, uppercase: run % 2 == 0)
            for spelling in ["\"\(escaped)\"", try Self.raw(text)] {
                let update = try Ingress.command(json: Array(#"{"update":{"id":"x","text":\#(spelling)}}"#.utf8)).update
                guard update.text.utf8.elementsEqual(text.utf8) else {
                    Issue.record("the characters from U+\(String(scalars[0].value, radix: 16)) on came as others")
                    return
                }
            }
        }
    }

    @Test("goes as it is, by both writers")
    func writing() throws {
        for scalars in Self.runs {
            let text = Self.text(scalars)
            let popup = WirePopup.with { $0.text = text }
            var written = JSONWriter()
            written.beginObject()
            let bytes: [UInt8] = try popup.serializedBytes()
            written.appendMembers(ofPopup: bytes.span)
            written.endObject()
            for body in [written.bytes, try WireEncoding.json.encode(popup)] {
                let object = try JSONSerialization.jsonObject(with: Data(body)) as? [String: String]
                guard let read = object?["text"], read.utf8.elementsEqual(text.utf8) else {
                    Issue.record("the characters from U+\(String(scalars[0].value, radix: 16)) on went as others")
                    return
                }
            }
        }
    }

    @Test("of the name 𠮷 is that name")
    func name() throws {
        #expect(
            try Ingress.command(json: Array(#"{"update":{"id":"x","text":"\ud842\udfb7"}}"#.utf8)).update.text
                == "\u{20BB7}")
        #expect(try WireJSON.decode(Array(#"{"text":"\uDBFF\uDFFF"}"#.utf8), as: WirePopup.self).text == "\u{10FFFF}")
    }

    @Test(
        "with half a pair, bytes that are no UTF-8 or an escape that there isn't is malformed",
        arguments: [
            #"\ud842"#, #"\udfb7"#, #"\ud842\u0041"#, #"\ud842x"#, #"\ud842\n"#, #"\udfb7\ud842"#, #"\u12"#, #"\u12G4"#,
            #"\x41"#, #"\'"#, #"\U0041"#, "\t", "\u{0}", #"\u+123"#,
        ])
    func malformed(text: String) {
        let frame = Array(#"{"show":{"id":"a","group":"g","text":"\#(text)"}}"#.utf8)
        #expect(Ingress.commands(in: frame).map { (try? $0.get()) == nil } == [true])
        for bytes: [UInt8] in [[0x80], [0xC2], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xFF]] {
            let place = frame.firstIndex(of: UInt8(ascii: "a")) ?? 0
            let broken = Array(frame[..<place]) + bytes + Array(frame[place...])
            #expect(Ingress.commands(in: broken).map { (try? $0.get()) == nil } == [true])
        }
    }

    @Test("at each place of eight bytes ends where its quote is")
    func ends() throws {
        for length in 0...40 {
            for place in 0...length {
                for special in ["", "é", #"\n"#, #"\""#] {
                    let rest = String(repeating: "b", count: length - place)
                    let letters = String(repeating: "a", count: place) + special + rest
                    let frame = Array(#"{"resume":{"token":"\#(letters)"}}"#.utf8)
                    let expected = letters.replacing(#"\n"#, with: "\n").replacing(#"\""#, with: "\"")
                    #expect(try Ingress.command(json: frame).resume.token == expected)
                }
            }
        }
    }
}
