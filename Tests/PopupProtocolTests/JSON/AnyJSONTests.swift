import Foundation
import PopupProtocol
import TestSupport
import Testing

@Suite("JSON that is no message of the schema")
struct AnyJSONTests {
    private func read(_ text: String) throws -> AnyJSON { try AnyJSON(Array(text.utf8)) }

    @Test("has the values of its text")
    func values() throws {
        let text =
            #" { "a" : [ null , true, false, -0, 12, 1e3, 2.50, "\u00e9\ud842\udfb7\n" ] , "b" : { } , "c":[] } "#
        #expect(
            try read(text)
                == .object([
                    "a": .list([
                        .null, .flag(true), .flag(false), .integer(0), .integer(12), .integer(1000), .decimal(2.5),
                        .text("é\u{20BB7}\n"),
                    ]),
                    "b": .object([:]), "c": .list([]),
                ]))
        #expect(try read("\u{FEFF}7") == .integer(7))
        #expect(try read(#"{"a":1,"a":2}"#)["a"] == .integer(2))
    }

    @Test("keeps each digit of an integer of 64 bits")
    func integers() throws {
        #expect(try read("9007199254740993").integer(as: Int64.self) == 9_007_199_254_740_993)
        #expect(try read("18446744073709551615").integer(as: UInt64.self) == .max)
        #expect(try read("-18446744073709551615") == .integer(-18_446_744_073_709_551_615))
        #expect(try read("-18446744073709551615").json == "-18446744073709551615")
        #expect(try read("256").integer(as: UInt8.self) == nil)
        #expect(try read("1.5").integer(as: Int.self) == nil)
        #expect(try read("18446744073709551616") == .decimal(0x1p64))
    }

    @Test(
        "is refused if it is none",
        arguments: [
            "", " ", "{", "[", "[1", "[1,]", "[1 2]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "{} {}", "nul",
            "nulls",
            "01", "1.", ".5", "+1", "1e", "1e999", "NaN", "'a'", "\"a", "\"\t\"", #""\x""#, #""\ud842""#,
            #"{"\udfb7":1}"#,
            "\u{0}", "1\u{0}",
        ])
    func malformed(text: String) {
        #expect(throws: JSONFault.self) { try read(text) }
    }

    @Test("may be nested as deep as a command, and no deeper")
    func nesting() throws {
        func nested(_ levels: Int, _ open: String, _ close: String) -> String {
            String(repeating: open, count: levels) + "1" + String(repeating: close, count: levels)
        }
        for (open, close) in [("[", "]"), (#"{"a":"#, "}")] {
            #expect(try read(nested(Ingress.maxNesting, open, close)).json == nested(Ingress.maxNesting, open, close))
            #expect(throws: JSONFault.self) { try read(nested(Ingress.maxNesting + 1, open, close)) }
            #expect(throws: JSONFault.self) { try read(String(repeating: open, count: 100_000)) }
        }
    }

    @Test("is written on one line, with names in alphabetical order, and without what a terminal obeys")
    func writing() throws {
        let value = AnyJSON(members: [
            "text": .text("a/b \"c\" \\ \n\r\t\u{8}\u{1b}\u{7f}\u{9b}é👋"), "none": nil, "list": .list([]),
            "e\u{9b}": .object([:]), "Z": .null, "ms": .decimal(0.3), "whole": .decimal(12), "big": .number(UInt64.max),
            "least": .number(Int64.min), "flag": .flag(false), "several": .list([.number(1), .text("")]),
        ])
        #expect(
            value.json
                == #"{"Z":null,"big":18446744073709551615,"e\u009b":{},"flag":false,"least":-9223372036854775808,"#
                + #""list":[],"ms":0.3,"several":[1,""],"#
                + #""text":"a/b \"c\" \\ \n\r\t\u0008\u001b\u007f\u009bé👋","whole":12}"#)
        #expect(JSONText.quoted("\u{9b}\u{0}\n") == #""\u009b\u0000\n""#)
        #expect(JSONText.quoted("ab".dropFirst()) == #""b""#)
    }

    @Test("is read and written as Foundation does it")
    func foundation() throws {
        for seed in UInt64(0)..<2000 {
            var random = SplitMix64(seed: seed)
            let value = Self.value(&random, depth: 0)
            let json = value.json
            let object = try JSONSerialization.jsonObject(with: Data(json.utf8), options: .fragmentsAllowed)
            let again = try JSONSerialization.data(withJSONObject: object, options: .fragmentsAllowed)
            guard try read(json) == value, try AnyJSON(Array(again)) == value else {
                Issue.record("the value of seed \(seed) changes: \(json)")
                return
            }
        }
    }

    private static func value(_ random: inout SplitMix64, depth: Int) -> AnyJSON {
        switch Int.random(in: 0..<(depth < 4 ? 8 : 5), using: &random) {
        case 0: return .null
        case 1: return .flag(Bool.random(using: &random))
        case 2: return .number(Int64.random(in: -1 << 53...1 << 53, using: &random))
        case 3: return .decimal(Double(Int.random(in: -1000...1000, using: &random)) + 0.5)
        case 4: return .text(text(&random))
        case 5: return .list((0..<Int.random(in: 0...3, using: &random)).map { _ in value(&random, depth: depth + 1) })
        default:
            let members = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                (text(&random), value(&random, depth: depth + 1))
            }
            return .object(Dictionary(members) { $1 })
        }
    }

    private static func text(_ random: inout SplitMix64) -> String {
        let letters = ["a", "\"", "\\", "/", "\n", "\u{1}", "\u{7f}", "\u{85}", "é", "👋", "\u{2028}", "{", ","]
        return (0..<Int.random(in: 0...6, using: &random)).map { _ in letters.randomElement(using: &random) ?? "" }
            .joined()
    }

    @Test(
        "is without a member what it was, and one comma less",
        arguments: [
            (#"{"at":1}"#, "{}"), (#"{"at":1,"b":2}"#, #"{"b":2}"#), (#"{"b":2,"at":1}"#, #"{"b":2}"#),
            (#"{"a":{"at":1},"at":"x,}","c":[1,2]}"#, #"{"a":{"at":1},"c":[1,2]}"#), (#"{ "b" : 2 }"#, #"{ "b" : 2 }"#),
            (#"{ "at" : 1 , "b":2}"#, #"{  "b":2}"#), ("{ }", "{ }"), (#"{"at":1,"at":2}"#, #"{"at":2}"#),
            (#"{"\u0061t":1,"b":2}"#, #"{"b":2}"#),
        ])
    func withoutMember(object: String, rest: String) throws {
        let text = try AnyJSON.text(Array(object.utf8), without: "at")
        #expect(String(decoding: text, as: UTF8.self) == rest)
    }
}
