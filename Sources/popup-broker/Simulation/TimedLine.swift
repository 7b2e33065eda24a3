import Foundation
import PopupScheduling

/// A line of a simulation: a time, and the frame that a producer sends then.
struct TimedLine {
    /// The time in ms from the beginning of the simulation.
    var time: Int64
    /// The line without its member `at`: one JSON `Command` or `Batch`.
    var frame: [UInt8]
    /// The name or pattern whose policy the line removes. This is not a command of the protocol; only recordings have it.
    var removedPolicy: String?
    /// The time in ms by which the wall clock is ahead from then on. This is not a command of the protocol; only
    /// recordings have it.
    var wallClockLead: Int64?
    /// Whether a lease lasts until the renderer leaves. Only recordings have this, because they contain no renewals.
    var leasesLast: Bool

    /// The reason why a line cannot be simulated.
    enum Fault: Error, Equatable {
        case notJSON
        case notAnObject
        case noTime
        case badTime
    }

    init(_ line: [UInt8]) throws(Fault) {
        guard let value = try? JSONSerialization.jsonObject(with: Data(line), options: .fragmentsAllowed) else {
            throw .notJSON
        }
        guard let object = value as? [String: Any], !line.contains(0) else { throw .notAnObject }
        if let removed = object["removePolicy"] as? [String: Any] { removedPolicy = removed["group"] as? String ?? "" }
        if let setting = object["setWallClock"] as? [String: Any] { wallClockLead = setting["aheadMs"] as? Int64 ?? 0 }
        leasesLast = object["lasts"] as? Bool ?? false
        guard let member = Self.member("at", of: line) else { throw .noTime }
        // 64-bit integers are strings in proto3 JSON; a plain number is what people write.
        let digits = line[member.value].filter { $0 != UInt8(ascii: "\"") }
        guard let time = Int64(String(decoding: digits, as: UTF8.self)), 0...TimeLimits.latest / 2 ~= time else {
            throw .badTime
        }
        self.time = time
        frame = Array(line[..<member.whole.lowerBound] + line[member.whole.upperBound...])
        frame.removeFirst(frame.prefix { $0 != UInt8(ascii: "{") }.count)
    }

    /// Returns the ranges of a member of the outermost object in text that is known to be a JSON object: its value, and the whole
    /// of it with one comma.
    private static func member(_ name: String, of line: [UInt8]) -> (value: Range<Int>, whole: Range<Int>)? {
        let wanted = Array("\"\(name)\"".utf8)
        var depth = 0
        var start = 0
        var position = 0
        while position < line.count {
            switch line[position] {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                if depth == 1 { start = position + 1 }
            case UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: ","):
                let isEnd = line[position] != UInt8(ascii: ",")
                if depth == 1 {
                    if let value = value(of: wanted, in: line, start..<position) {
                        // Without the comma after it, or else without the one before it.
                        let isFirst = line[start - 1] != UInt8(ascii: ",")
                        let whole = isEnd ? (isFirst ? start : start - 1)..<position : start..<position + 1
                        return (value, whole)
                    }
                    start = position + 1
                }
                if isEnd { depth -= 1 }
            case UInt8(ascii: "\""):
                position += 1
                while line[position] != UInt8(ascii: "\"") { position += line[position] == UInt8(ascii: "\\") ? 2 : 1 }
            default: break
            }
            position += 1
        }
        return nil
    }

    /// Returns the range of the value, if `member` is that of the wanted name.
    private static func value(of name: [UInt8], in line: [UInt8], _ member: Range<Int>) -> Range<Int>? {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
        let text = line[member].drop(while: isSpace)
        guard text.starts(with: name) else { return nil }
        let value = text.dropFirst(name.count).drop(while: isSpace).dropFirst().drop(while: isSpace)
        let end = value.lastIndex { !isSpace($0) } ?? value.startIndex
        return value.startIndex..<end + 1
    }
}
