import Foundation
import PopupProtocol
import SchemaReading
import SwiftProtobuf
import Testing

/// Each numeric field of a command with values at the edges of every integer type, in both encodings.
@Suite("A number")
struct JSONNumbersTests {
    /// Values at the edges, and one beside them to both sides.
    static let edges: [Int128] = [0, 1, 10, 31, 32, 53, 63, 64, 127 - 1].flatMap { bit -> [Int128] in
        let edge: Int128 = bit == 0 ? 0 : 1 << bit
        return [edge - 1, edge, edge + 1, -edge - 1, -edge, -edge + 1]
    }

    /// The ways in which JSON may write a whole number.
    static func spellings(of value: Int128) -> [String] {
        ["\(value)", "\"\(value)\"", "\(value).0", "\"\(value).000E+0\"", "\(value)e00"]
            + (value == 0 ? [] : ["\(value)0e-1", "\(value)000000e-06"])
            + (value % 10 == 0 && value != 0 ? ["\(value / 10)e1", "\"\(value / 10).0e01\""] : [])
    }

    @Test("the schema has them at forty places and more")
    func count() { #expect(NumberPlace.all.count > 40) }

    @Test("is taken exactly when its field can have it, and never ends anything", arguments: NumberPlace.all)
    func edges(place: NumberPlace) throws {
        for value in Self.edges {
            // swift-protobuf is right about whole numbers that are written plainly.
            let isFitting = place.range.contains(value)
            let expected = isFitting ? try WireCommand(jsonUTF8Bytes: place.json("\(value)")) : nil
            for spelling in Self.spellings(of: value) {
                switch Ingress.commands(in: place.json(spelling))[0] {
                case .success(let command): #expect(command == expected, "\(spelling)")
                case .failure(let refusal):
                    // Alone the command's own fields are no command.
                    guard refusal.reason != .unsupported else { continue }
                    #expect(!isFitting && refusal.reason == .invalid, "\(spelling): \(refusal)")
                    #expect(refusal.detail.contains("`\(place.path)` is \(spelling.prefix(40))"), "\(refusal)")
                }
            }
        }
    }

    @Test("that isn't whole, or not even a number, is refused", arguments: NumberPlace.all)
    func others(place: NumberPlace) {
        let many = String(repeating: "9", count: 5000)
        let invalid = [
            "0.5", "-0.1", "1e-1", "15e-1", "\"0.5\"", many, "-\(many)", "\"\(many)\"", "\(many).\(many)", "1e\(many)",
            "-1e\(many)", "1e-\(many)", "0.\(many)e4999",
            "\(many)e-\(many)", "1\(String(repeating: "0", count: 5000))",
        ]
        for value in invalid {
            let refusal = Self.refusal(place.json(value))
            #expect(refusal?.reason == .invalid, "\(value.prefix(20)): \(refusal.map { "\($0)" } ?? "taken")")
            #expect((refusal?.detail.utf8.count ?? 0) < 300)
        }
        let texts = ["\"\"", "\" 1\"", "\"1 \"", "\"x\"", "\"+1\"", "\"01\"", "\"1e\""]
        for value in ["true", "[]", "{}", "[1]"] + texts {
            #expect(Self.refusal(place.json(value))?.reason == .malformed, "\(value)")
        }
        for value in ["+1", "01", "1.", ".5", "1e", "1e+", "--1", "-", "0x10", "NaN", "Infinity", "1_000", "1 2"] {
            #expect(Self.refusal(place.json(value))?.reason == .malformed, "\(value)")
        }
        // Nothing at any length, and one with as many zeroes as make it 1.
        for value in ["0", "0e\(many)", "-0", "0.000e-9", "1\(String(repeating: "0", count: 300))e-300"] {
            #expect(Self.refusal(place.json(value))?.reason ?? .unsupported == .unsupported, "\(value.prefix(20))")
        }
    }

    private static func refusal(_ frame: [UInt8]) -> CommandRefusal? {
        if case .failure(let refusal) = Ingress.commands(in: frame)[0] { refusal } else { nil }
    }

    @Test("in binary is read as swift-protobuf reads it", arguments: NumberPlace.all)
    func binary(place: NumberPlace) throws {
        for value in Self.edges {
            let frame = place.binary(UInt64(truncatingIfNeeded: value))
            let expected = try WireCommand(serializedBytes: frame)
            guard expected.command != nil else { continue }
            #expect(Ingress.commands(in: frame) == [.success(expected)])
            _ = ShowFrame.read(frame.span, limits: WireLimits())
            _ = DismissFrame.read(frame.span)
        }
    }
}
