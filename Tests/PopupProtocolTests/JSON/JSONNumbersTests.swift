import Foundation
import PopupProtocol
import SwiftProtobuf
import Testing

/// Each numeric field of a command with values at the edges of every integer type, in both encodings.
@Suite("A number")
struct JSONNumbersTests {
    /// A field by the way to it from a command.
    struct Place: Sendable, CustomTestStringConvertible {
        var path: String
        var type: String
        /// What stands around its value in JSON.
        var prefix: String
        var suffix: String
        /// The numbers of the fields that lead to it, its own last.
        var numbers: [Int]

        func json(_ value: String) -> [UInt8] { Array((prefix + value + suffix).utf8) }

        func binary(_ value: UInt64) -> [UInt8] {
            var bytes = varint(UInt64(numbers.last ?? 0) << 3) + varint(value)
            for number in numbers.dropLast().reversed() {
                bytes = varint(UInt64(number) << 3 | 2) + varint(UInt64(bytes.count)) + bytes
            }
            return bytes
        }

        private func varint(_ value: UInt64) -> [UInt8] {
            value < 0x80 ? [UInt8(value)] : [UInt8(value & 0x7F) | 0x80] + varint(value >> 7)
        }

        var range: ClosedRange<Int128> {
            switch type {
            case "int32": Int128(Int32.min)...Int128(Int32.max)
            case "uint32": 0...Int128(UInt32.max)
            default: 0...Int128(UInt64.max)
            }
        }

        var testDescription: String { path }
    }

    /// All of them, found in the schema.
    static let places: [Place] = {
        guard let schema = try? SchemaFile() else { return [] }
        var places: [Place] = []
        func visit(_ message: String, _ above: Place) {
            for field in schema.messages[message] ?? [] {
                let isList = field.type.hasPrefix("repeated ")
                let type = field.type.split(separator: " ").last.map { String($0) } ?? ""
                let separator = above.path.isEmpty ? "" : "."
                let place = Place(
                    path: above.path + separator + field.jsonName + (isList ? "[0]" : ""), type: type,
                    prefix: above.prefix + "{\"\(field.jsonName)\":" + (isList ? "[" : ""),
                    suffix: (isList ? "]" : "") + "}" + above.suffix, numbers: above.numbers + [field.number])
                if ["int32", "uint32", "uint64"].contains(type) { places.append(place) }
                let inner = schema.resolve(field.type, in: message)
                if schema.messages[inner] != nil { visit(inner, place) }
            }
        }
        visit("Command", Place(path: "", type: "", prefix: "", suffix: "", numbers: []))
        return places
    }()

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
    func count() { #expect(Self.places.count > 40) }

    @Test("is taken exactly when its field can have it, and never ends anything", arguments: places)
    func edges(place: Place) throws {
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

    @Test("that isn't whole, or not even a number, is refused", arguments: places)
    func others(place: Place) {
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

    @Test("in binary is read as swift-protobuf reads it", arguments: places)
    func binary(place: Place) throws {
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
