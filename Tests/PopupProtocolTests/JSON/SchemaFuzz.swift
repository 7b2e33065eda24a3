import Foundation
import SchemaReading
import TestSupport

/// Makes commands of all kinds in JSON from the schema: fields by chance, most values of the field's type, some not, members
/// twice, unknown ones, and damage.
struct SchemaFuzz {
    private let schema: SchemaFile
    private var random: SplitMix64

    init(seed: UInt64) throws {
        schema = try SchemaFile()
        random = SplitMix64(seed: seed)
    }

    /// A command; of this name unless it is `nil`.
    mutating func command(named name: String? = nil) -> [UInt8] {
        let fields = schema.messages["Command"] ?? []
        let commands = fields.filter { !["producer", "sequence"].contains($0.name) }
        let named = commands.first { $0.name == name }
        guard let command = named ?? commands.randomElement(using: &random) else { return [] }
        var members = [member(command, in: "Command")]
        if random.once(in: 2) { members.append(#""producer":"\#(String(repeating: "0aF9", count: 8))""#) }
        if random.once(in: 2) { members.append(#""sequence":\#(value(of: "uint64", in: "Command"))"#) }
        if random.once(in: 40) { members += [member(commands[0], in: "Command")] }
        if random.once(in: 15) { members.append(#""trace":\#(anything(3))"#) }
        var text = Array(object(members.shuffled(using: &random)).utf8)
        if random.once(in: 12) { damage(&text) }
        return text
    }

    private mutating func message(_ name: String) -> String {
        var fields = schema.messages[name] ?? []
        fields.shuffle(using: &random)
        fields.removeLast(fields.isEmpty ? 0 : Int.random(in: 0..<fields.count, using: &random))
        // Mostly few, so that not all have two of one choice.
        if fields.count > 3, !random.once(in: 4) { fields.removeLast(fields.count - 3) }
        // Messages that stand twice swift-protobuf joins.
        if let first = fields.first, schema.messages[schema.resolve(first.type, in: name)] == nil, random.once(in: 25) {
            fields.append(first)
        }
        var members = fields.map { member($0, in: name) }
        if random.once(in: 30) { members.append(#""shade":\#(anything(3))"#) }
        return object(members)
    }

    private mutating func member(_ field: SchemaFile.Field, in message: String) -> String {
        let name = random.once(in: 3) ? field.name : field.jsonName
        let first = String(name.utf8.first ?? 0, radix: 16)
        let quoted = random.once(in: 50) ? "\"\\u00\(first)\(name.dropFirst())\"" : "\"\(name)\""
        var value = value(of: field.type, in: message)
        if field.type.hasPrefix("repeated "), !random.once(in: 50) {
            let others = (0..<Int.random(in: 0...2, using: &random)).map { _ in
                self.value(of: field.type, in: message)
            }
            value = random.once(in: 9) ? "[]" : "[\(([value] + others).joined(separator: ","))]"
        }
        return "\(quoted)\(space()):\(space())\(value)"
    }

    private mutating func value(of type: String, in message: String) -> String {
        if random.once(in: 60) { return anything(2) }
        let bare = type.split(separator: " ").last.map { String($0) } ?? ""
        switch bare {
        case "string": return string()
        case "bytes": return pick(["\"AAEC\"", "\"_-8\"", "\"+/8=\"", "\"\""])
        case "bool": return pick(["true", "false"])
        case "int32": return pick(["0", "-0", "-1", "2147483647", "-2147483648", "17", "\"-5\"", "1e3", "25.0"])
        case "uint32": return pick(["0", "1", "4294967295", "8000", "\"250\"", "1E2", "30.00e-1"])
        case "uint64": return pick(["0", "1", "18446744073709551615", "\"9007199254740993\"", "\"3\""])
        default:
            let name = schema.resolve(bare, in: message)
            if let values = schema.enums[name] {
                guard let value = values.randomElement(using: &random) else { return "0" }
                return random.once(in: 40) ? "\"ATTIC\"" : random.once(in: 6) ? "\(value.number)" : "\"\(value.name)\""
            }
            return self.message(name)
        }
    }

    /// Any JSON.
    private mutating func anything(_ depth: Int) -> String {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &random) {
        case 0: "null"
        case 1: "true"
        case 2: string()
        case 3: pick(["-1.5e5", "0", "12", "0.25"])
        case 4: "[]"
        case 5: "{}"
        case 6: "[\(space())\(anything(depth - 1)),\(anything(depth - 1))]"
        default: "{\"a\":\(anything(depth - 1)),\(string()):\(anything(depth - 1))}"
        }
    }

    private static let characters = [
        "a", "Z", "7", "/", "é", "日", "👋", "\u{20BB7}", "\u{10FFFF}", " ", "\n", "\"", "\\", "\u{7F}", "\u{85}",
    ]

    /// Characters as they are and escaped; beyond U+1FFFF only as they are, since swift-protobuf reads their escapes wrongly.
    private mutating func string() -> String {
        let scalars = (0..<Int.random(in: 0...6, using: &random)).map { _ in
            pick(Self.characters)
        }
        return "\""
            + scalars.joined().unicodeScalars.map { scalar -> String in
                if scalar == "\"" || scalar == "\\" { return "\\\(scalar)" }
                guard scalar.value < 0x20 || scalar.value < 0x20000 && random.once(in: 5) else { return "\(scalar)" }
                return String(scalar).utf16.map { unit in
                    let digits = String(unit, radix: 16, uppercase: random.once(in: 2))
                    return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }.joined()
            }.joined() + "\""
    }

    private mutating func object(_ members: [String]) -> String {
        "{\(space())" + members.joined(separator: "\(space()),\(space())") + "\(space())}"
    }

    private mutating func space() -> String { random.once(in: 8) ? pick([" ", "\n", "\t \r\n"]) : "" }

    private mutating func damage(_ text: inout [UInt8]) {
        let place = Int.random(in: 0..<text.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: text[place] = UInt8.random(in: 0...255, using: &random)
        case 1: text.remove(at: place)
        case 2: text.removeSubrange(place...)
        default: text.insert(UInt8.random(in: 0...255, using: &random), at: place)
        }
    }

    private mutating func pick(_ choices: [String]) -> String { choices.randomElement(using: &random) ?? "" }
}
