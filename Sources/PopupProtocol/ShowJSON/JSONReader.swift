/// Goes through JSON text (RFC 8259) where it was received, one token after another.
///
/// It says no to whatever it doesn't know, right or wrong: that is for the full decoder.
struct JSONReader {
    /// What comes next in an object.
    enum Member {
        /// The bytes of its name; the reader is at its value.
        case name(Range<Int>)
        case end
        case other
    }

    /// A string's text.
    enum Text {
        /// As it stands in these bytes.
        case plain(Range<Int>)
        /// It had escapes.
        case unescaped([UInt8])
    }

    private var position = 0

    /// The next member of an object that is read member by member.
    mutating func member(in frame: Span<UInt8>, isFirst: inout Bool) -> Member {
        if isFirst {
            isFirst = false
            guard take("{", in: frame) else { return .other }
            if take("}", in: frame) { return .end }
        } else {
            if take("}", in: frame) { return .end }
            guard take(",", in: frame) else { return .other }
        }
        guard case .plain(let name)? = string(in: frame), take(":", in: frame) else { return .other }
        return .name(name)
    }

    /// Takes the next byte that is no space, if it is this one.
    mutating func take(_ wanted: Unicode.Scalar, in frame: Span<UInt8>) -> Bool {
        skipSpace(in: frame)
        guard position < frame.count, frame[position] == UInt8(ascii: wanted) else { return false }
        position += 1
        return true
    }

    /// Whether nothing but space is left.
    mutating func isAtEnd(of frame: Span<UInt8>) -> Bool {
        skipSpace(in: frame)
        return position == frame.count
    }

    mutating func flag(in frame: Span<UInt8>) -> Bool? {
        skipSpace(in: frame)
        if takeWord("true", in: frame) { return true }
        return takeWord("false", in: frame) ? false : nil
    }

    /// A whole number of 18 digits at most, written as nothing but digits and a sign.
    mutating func integer(in frame: Span<UInt8>) -> Int64? {
        skipSpace(in: frame)
        let isNegative = position < frame.count && frame[position] == UInt8(ascii: "-")
        if isNegative { position += 1 }
        let start = position
        var value: Int64 = 0
        while position < frame.count, position - start <= 18, case let digit = frame[position] &- UInt8(ascii: "0"),
            digit < 10
        {
            value = value * 10 + Int64(digit)
            position += 1
        }
        let digits = position - start
        if isNegative, value == 0 { return nil }
        guard (1...18).contains(digits), digits == 1 || frame[start] != UInt8(ascii: "0"), !isInNumber(in: frame) else {
            return nil
        }
        return isNegative ? -value : value
    }

    /// The same, or in quotes, as a 64-bit number is written.
    mutating func longInteger(in frame: Span<UInt8>) -> Int64? {
        guard take("\"", in: frame) else { return integer(in: frame) }
        guard position < frame.count, frame[position] != 0x20, let value = integer(in: frame), position < frame.count,
            frame[position] == UInt8(ascii: "\"")
        else { return nil }
        position += 1
        return value
    }

    mutating func string(in frame: Span<UInt8>) -> Text? {
        guard take("\"", in: frame) else { return nil }
        let start = position
        while position < frame.count {
            switch frame[position] {
            case UInt8(ascii: "\""):
                position += 1
                return .plain(start..<position - 1)
            case UInt8(ascii: "\\"): return unescaped(from: start, in: frame)
            case 0..<0x20: return nil
            default: position += 1
            }
        }
        return nil
    }

    // MARK: - Parts

    private mutating func unescaped(from start: Int, in frame: Span<UInt8>) -> Text? {
        var text: [UInt8] = []
        for index in start..<position { text.append(frame[index]) }
        while position < frame.count {
            let byte = frame[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return .unescaped(text)
            case UInt8(ascii: "\\"): guard appendEscaped(to: &text, in: frame) else { return nil }
            case 0..<0x20: return nil
            default: text.append(byte)
            }
        }
        return nil
    }

    private mutating func appendEscaped(to text: inout [UInt8], in frame: Span<UInt8>) -> Bool {
        guard position < frame.count else { return false }
        let byte = frame[position]
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "u"):
            guard let scalar = escapedScalar(in: frame) else { return false }
            text.append(contentsOf: Array(String(Character(scalar)).utf8))
        default: return false
        }
        return true
    }

    /// The scalar of the digits after `\u`, and of a second `\u` when it takes two.
    private mutating func escapedScalar(in frame: Span<UInt8>) -> Unicode.Scalar? {
        guard let unit = escapedUnit(in: frame) else { return nil }
        guard (0xD800..<0xDC00).contains(unit) else { return Unicode.Scalar(unit) }
        guard position + 2 <= frame.count, frame[position] == UInt8(ascii: "\\"),
            frame[position + 1] == UInt8(ascii: "u")
        else { return nil }
        position += 2
        guard let low = escapedUnit(in: frame), (0xDC00..<0xE000).contains(low) else { return nil }
        return Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
    }

    private mutating func escapedUnit(in frame: Span<UInt8>) -> UInt32? {
        guard position + 4 <= frame.count else { return nil }
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = Character(Unicode.Scalar(frame[position])).hexDigitValue else { return nil }
            unit = unit << 4 | UInt32(digit)
            position += 1
        }
        return unit
    }

    private mutating func takeWord(_ word: StaticString, in frame: Span<UInt8>) -> Bool {
        let end = position + word.utf8CodeUnitCount
        guard end <= frame.count, frame.equals(word, position..<end) else { return false }
        position = end
        return true
    }

    /// Whether a number goes on here in a way that isn't known.
    private func isInNumber(in frame: Span<UInt8>) -> Bool {
        guard position < frame.count else { return false }
        switch frame[position] {
        case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: "\""), 0x09, 0x0A, 0x0D, 0x20:
            return false
        default: return true
        }
    }

    private mutating func skipSpace(in frame: Span<UInt8>) {
        while position < frame.count, JSONText.isSpace(frame[position]) { position += 1 }
    }
}

extension Span<UInt8> {
    /// Whether these bytes are this text.
    func equals(_ text: StaticString, _ range: Range<Int>) -> Bool {
        guard range.count == text.utf8CodeUnitCount else { return false }
        for index in range where self[index] != text.utf8Start[index - range.lowerBound] { return false }
        return true
    }
}
