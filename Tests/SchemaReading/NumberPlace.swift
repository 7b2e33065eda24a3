/// A numeric field of a command, by the way to it, found in the schema.
package struct NumberPlace: Sendable, CustomStringConvertible {
    /// Such as `setPolicy.caps[0].most`.
    package var path: String
    /// `int32`, `uint32` or `uint64`.
    package var type: String
    /// What stands around its value in JSON.
    var prefix: String
    var suffix: String
    /// The numbers of the fields that lead to it, its own last.
    var numbers: [Int]

    /// Those of all commands, in the order of the schema.
    package static let all: [NumberPlace] = {
        guard let schema = try? SchemaFile() else { return [] }
        var places: [NumberPlace] = []
        func visit(_ message: String, _ above: NumberPlace) {
            for field in schema.messages[message] ?? [] {
                let isList = field.type.hasPrefix("repeated ")
                let type = field.type.split(separator: " ").last.map { String($0) } ?? ""
                let separator = above.path.isEmpty ? "" : "."
                let place = NumberPlace(
                    path: above.path + separator + field.jsonName + (isList ? "[0]" : ""), type: type,
                    prefix: above.prefix + "{\"\(field.jsonName)\":" + (isList ? "[" : ""),
                    suffix: (isList ? "]" : "") + "}" + above.suffix, numbers: above.numbers + [field.number])
                if ["int32", "uint32", "uint64"].contains(type) { places.append(place) }
                let inner = schema.resolve(field.type, in: message)
                if schema.messages[inner] != nil { visit(inner, place) }
            }
        }
        visit("Command", NumberPlace(path: "", type: "", prefix: "", suffix: "", numbers: []))
        return places
    }()

    /// The values that the type has.
    package var range: ClosedRange<Int128> {
        switch type {
        case "int32": Int128(Int32.min)...Int128(Int32.max)
        case "uint32": 0...Int128(UInt32.max)
        default: 0...Int128(UInt64.max)
        }
    }

    /// Returns a command in JSON that has nothing but this field.
    package func json(_ value: String) -> [UInt8] { Array((prefix + value + suffix).utf8) }

    /// Returns a binary command that has nothing but this field.
    package func binary(_ value: UInt64) -> [UInt8] {
        var bytes = varint(UInt64(numbers.last ?? 0) << 3) + varint(value)
        for number in numbers.dropLast().reversed() {
            bytes = varint(UInt64(number) << 3 | 2) + varint(UInt64(bytes.count)) + bytes
        }
        return bytes
    }

    private func varint(_ value: UInt64) -> [UInt8] {
        value < 0x80 ? [UInt8(value)] : [UInt8(value & 0x7F) | 0x80] + varint(value >> 7)
    }

    package var description: String { path }
}
