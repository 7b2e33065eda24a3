import SwiftProtobuf

/// Finds members and elements in JSON text one level at a time, without decoding what is in them.
///
/// Only frames that the schema does not explain come here: it tells which of their names are unknown, and who sent them.
struct JSONText {
    /// A member of an object.
    struct Member {
        var name: String
        var value: Range<Int>
    }

    /// The text isn't JSON at this byte.
    struct Malformed: Error {
        var position: Int
    }

    let bytes: [UInt8]

    /// The members of the object that begins at `start`, in order, and where it ends.
    func members(at start: Int = 0) throws(Malformed) -> (members: [Member], end: Int) {
        var members: [Member] = []
        let end = try parts(at: start, from: "{", to: "}") { position throws(Malformed) in
            let nameEnd = try endOfString(at: position)
            let name = try string(position..<nameEnd)
            var next = skipSpace(nameEnd)
            guard byte(next) == UInt8(ascii: ":") else { throw Malformed(position: next) }
            next = skipSpace(next + 1)
            let value = next..<(try endOfValue(at: next))
            members.append(Member(name: name, value: value))
            return value.upperBound
        }
        return (members, end)
    }

    /// The elements of the array that begins at `start`, in order.
    func elements(at start: Int) throws(Malformed) -> [Range<Int>] {
        var elements: [Range<Int>] = []
        _ = try parts(at: start, from: "[", to: "]") { position throws(Malformed) in
            let value = position..<(try endOfValue(at: position))
            elements.append(value)
            return value.upperBound
        }
        return elements
    }

    /// The value at this place, when it is a string.
    func string(at value: Range<Int>) -> String? {
        byte(value.lowerBound) == UInt8(ascii: "\"") ? try? string(value) : nil
    }

    /// The value at the end of a path of member names, when all of them are there.
    func value(at path: [String], from start: Int = 0) -> Range<Int>? {
        guard let name = path.first, byte(start) == UInt8(ascii: "{"),
            let member = (try? members(at: start))?.members.last(where: { $0.name == name })
        else { return nil }
        return path.count == 1 ? member.value : value(at: Array(path.dropFirst()), from: member.value.lowerBound)
    }

    private func parts(
        at start: Int, from opening: Unicode.Scalar, to closing: Unicode.Scalar,
        part: (Int) throws(Malformed) -> Int
    ) throws(Malformed) -> Int {
        guard byte(start) == UInt8(ascii: opening) else { throw Malformed(position: start) }
        var position = skipSpace(start + 1)
        if byte(position) == UInt8(ascii: closing) { return position + 1 }
        while true {
            position = skipSpace(try part(position))
            switch byte(position) {
            case UInt8(ascii: ","): position = skipSpace(position + 1)
            case UInt8(ascii: closing): return position + 1
            default: throw Malformed(position: position)
            }
        }
    }

    /// Brackets are only counted: what is in them is read when it is asked for.
    private func endOfValue(at start: Int) throws(Malformed) -> Int {
        var depth = 0
        var position = start
        repeat {
            guard let byte = byte(position) else { throw Malformed(position: position) }
            switch byte {
            case UInt8(ascii: "\""):
                position = try endOfString(at: position)
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                position += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                position += 1
                guard depth >= 0 else { throw Malformed(position: position - 1) }
            default:
                if depth > 0 {
                    position += 1
                } else {
                    position = endOfWord(at: position)
                    guard position > start else { throw Malformed(position: position) }
                }
            }
        } while depth > 0
        return position
    }

    private func endOfWord(at start: Int) -> Int {
        var position = start
        while let byte = byte(position), !Self.endsWord(byte) { position += 1 }
        return position
    }

    private static func endsWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: ":"), 0x09, 0x0A, 0x0D, 0x20: true
        default: false
        }
    }

    private func endOfString(at start: Int) throws(Malformed) -> Int {
        guard byte(start) == UInt8(ascii: "\"") else { throw Malformed(position: start) }
        var position = start + 1
        while let byte = byte(position) {
            switch byte {
            case UInt8(ascii: "\\"): position += 2
            case UInt8(ascii: "\""): return position + 1
            default: position += 1
            }
        }
        throw Malformed(position: start)
    }

    private func string(_ range: Range<Int>) throws(Malformed) -> String {
        let inner = bytes[range].dropFirst().dropLast()
        if !inner.contains(UInt8(ascii: "\\")), let plain = String(validating: inner, as: UTF8.self) { return plain }
        do {
            return try Google_Protobuf_StringValue(jsonUTF8Bytes: Array(bytes[range])).value
        } catch {
            throw Malformed(position: range.lowerBound)
        }
    }

    private func byte(_ position: Int) -> UInt8? {
        position < bytes.count ? bytes[position] : nil
    }

    private func skipSpace(_ start: Int) -> Int {
        var position = start
        while let byte = byte(position), Self.isSpace(byte) { position += 1 }
        return position
    }

    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }
}
