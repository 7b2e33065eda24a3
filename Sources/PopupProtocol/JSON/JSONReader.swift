/// Goes through JSON text (RFC 8259) where it was received, one token after another, and back over none.
///
/// Whatever the bytes are, reading them ends: with a value, or with `JSONSyntaxError` at the first byte that is no JSON.
/// Nothing here calls itself, and nothing is allocated save for text with escapes.
struct JSONReader {
    /// A string.
    enum Text {
        /// It stands in these bytes of the text as it is.
        case plain(Range<Int>)
        /// It had escapes: `unescaped` has it.
        case unescaped
        /// It has half a surrogate pair, which stands for no character.
        case unpaired
    }

    /// The next byte to look at.
    private(set) var position = 0
    /// The text of the last string with escapes.
    private(set) var unescaped: [UInt8] = []

    /// Begins a text.
    mutating func begin() { position = 0 }

    /// The next byte that is no space, without taking it; 0 at the end, which no JSON has.
    @inline(__always)
    mutating func next(in text: Span<UInt8>) -> UInt8 {
        while position < text.count {
            let byte = text[unchecked: position]
            guard byte <= 0x20, Self.isSpace(byte) else { return byte }
            position &+= 1
        }
        return 0
    }

    /// Takes the next byte that is no space, if it is this one.
    @inline(__always)
    mutating func take(_ wanted: Unicode.Scalar, in text: Span<UInt8>) -> Bool {
        guard next(in: text) == UInt8(ascii: wanted) else { return false }
        position &+= 1
        return true
    }

    /// Takes the next byte that is no space, which must be this one.
    @inline(__always)
    mutating func expect(
        _ wanted: Unicode.Scalar, in text: Span<UInt8>, or what: StaticString
    ) throws(JSONSyntaxError) {
        guard take(wanted, in: text) else { throw fault(what) }
    }

    /// Takes one of the words `true`, `false`, `null`, whose first letter comes next.
    mutating func word(_ word: StaticString, in text: Span<UInt8>) throws(JSONSyntaxError) {
        let end = position &+ word.utf8CodeUnitCount
        guard end <= text.count, text.equals(word, position..<end), end == text.count || !Self.isInWord(text[end])
        else { throw fault("this is not a JSON value; put strings in quotes") }
        position = end
    }

    /// Takes a number, whose first character comes next.
    @inline(__always)
    mutating func number(in text: Span<UInt8>) throws(JSONSyntaxError) -> JSONNumber {
        guard let (number, end) = JSONNumber.read(text, position..<text.count),
            end == text.count || !Self.isInWord(text[end])
        else { throw fault("a JSON value is missing") }
        position = end
        return number
    }

    /// Takes a string, whose quote must come next.
    @inline(__always)
    mutating func string(in text: Span<UInt8>) throws(JSONSyntaxError) -> Text {
        try expect("\"", in: text, or: "a string in quotes must stand there")
        let start = position
        guard try endOfRun(in: text) else {
            position &+= 1
            return .plain(start..<position &- 1)
        }
        return try unescape(from: start, in: text)
    }

    /// Passes over a value, which is inside so many levels of one that isn't known.
    mutating func skip(in text: Span<UInt8>, level: Int = 0) throws(JSONSyntaxError) {
        // One bit for each level that is open, the innermost lowest: whether it is an object.
        var objects: UInt64 = 0
        var depth = 0
        while true {
            let opening = next(in: text)
            switch opening {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                let isObject = opening == UInt8(ascii: "{")
                position += 1
                if take(isObject ? "}" : "]", in: text) { break }
                guard level + depth < Ingress.maximumNesting else {
                    throw fault("values are nested deeper than 64 levels there")
                }
                depth += 1
                objects = objects << 1 | (isObject ? 1 : 0)
                if isObject { try skipName(in: text) }
                continue
            case UInt8(ascii: "\""): _ = try string(in: text)
            case UInt8(ascii: "t"): try word("true", in: text)
            case UInt8(ascii: "f"): try word("false", in: text)
            case UInt8(ascii: "n"): try word("null", in: text)
            default: _ = try number(in: text)
            }
            // A value is over, and perhaps those that it is in.
            while depth > 0, !take(",", in: text) {
                let closing: Unicode.Scalar = objects & 1 == 1 ? "}" : "]"
                try expect(closing, in: text, or: "a comma or the end of a list or object is missing")
                objects >>= 1
                depth -= 1
            }
            if depth == 0 { return }
            if objects & 1 == 1 { try skipName(in: text) }
        }
    }

    /// The text ends here, save for space.
    mutating func end(of text: Span<UInt8>) throws(JSONSyntaxError) {
        guard next(in: text) == 0, position == text.count else { throw fault("there is more behind the object's end") }
    }

    func fault(_ what: StaticString) -> JSONSyntaxError { JSONSyntaxError(position: position, what: what) }

    // MARK: - Parts

    private mutating func skipName(in text: Span<UInt8>) throws(JSONSyntaxError) {
        _ = try string(in: text)
        try expect(":", in: text, or: "a colon is missing")
    }

    /// Goes to the end of what stands in a string without escapes: to its closing quote or, then it returns true, to a
    /// backslash. Eight bytes at a time.
    @inline(__always)
    private mutating func endOfRun(in text: Span<UInt8>) throws(JSONSyntaxError) -> Bool {
        let start = position
        var isASCII = true
        while position < text.count {
            let word = text.word(at: position, before: text.count)
            let found =
                ByteWord.equal(UInt8(ascii: "\"").asWord, word) | ByteWord.equal(UInt8(ascii: "\\").asWord, word)
                | ByteWord.below(0x20, word)
            // Beyond the first byte that is found the others may be wrong; behind the end there are zeroes, which are.
            if found == 0 {
                if word & ByteWord.high != 0 { isASCII = false }
                position &+= 8
                continue
            }
            let bits = UInt64(truncatingIfNeeded: found.trailingZeroBitCount &- 7)
            if word & ByteWord.high & (1 &<< bits &- 1) != 0 { isASCII = false }
            position &+= Int(truncatingIfNeeded: bits / 8)
            guard position < text.count else { break }
            guard isASCII || text.isText(start..<position) else { throw fault("a string is not UTF-8 before it") }
            let byte = text[unchecked: position]
            guard byte >= 0x20 else { throw fault("a control character must be escaped") }
            return byte == UInt8(ascii: "\\")
        }
        throw fault("a string has no closing quote")
    }

    private mutating func unescape(from start: Int, in text: Span<UInt8>) throws(JSONSyntaxError) -> Text {
        unescaped.removeAll(keepingCapacity: true)
        var run = start
        var isPaired = true
        while true {
            text.extracting(run..<position).withUnsafeBytes { unescaped.append(contentsOf: $0) }
            if text[position] == UInt8(ascii: "\"") {
                position += 1
                return isPaired ? .unescaped : .unpaired
            }
            if try !appendEscaped(in: text) { isPaired = false }
            run = position
            _ = try endOfRun(in: text)
        }
    }

    /// Appends what an escape stands for. Returns whether it stands for something.
    private mutating func appendEscaped(in text: Span<UInt8>) throws(JSONSyntaxError) -> Bool {
        let byte = position + 1 < text.count ? text[position + 1] : 0
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): unescaped.append(byte)
        case UInt8(ascii: "n"): unescaped.append(0x0A)
        case UInt8(ascii: "t"): unescaped.append(0x09)
        case UInt8(ascii: "r"): unescaped.append(0x0D)
        case UInt8(ascii: "b"): unescaped.append(0x08)
        case UInt8(ascii: "f"): unescaped.append(0x0C)
        case UInt8(ascii: "u"): return try appendScalar(in: text)
        default: throw fault("there is no such escape")
        }
        position += 2
        return true
    }

    /// Appends the character of `\u` and four digits, or of two of them. Returns whether they stand for one.
    private mutating func appendScalar(in text: Span<UInt8>) throws(JSONSyntaxError) -> Bool {
        guard let unit = unit(at: position, in: text) else { throw fault("four hexadecimal digits must follow \\u") }
        position += 6
        var scalar = Unicode.Scalar(unit)
        if (0xD800..<0xDC00).contains(unit), let low = self.unit(at: position, in: text),
            (0xDC00..<0xE000).contains(low)
        {
            position += 6
            scalar = Unicode.Scalar(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00))
        }
        guard let scalar else { return false }
        unescaped.append(contentsOf: UTF8.encode(scalar).unsafelyUnwrapped)
        return true
    }

    /// The UTF-16 unit that `\u` and four digits stand for.
    private func unit(at start: Int, in text: Span<UInt8>) -> UInt32? {
        guard start + 6 <= text.count, text[start] == UInt8(ascii: "\\"), text[start + 1] == UInt8(ascii: "u") else {
            return nil
        }
        var unit: UInt32 = 0
        for index in start + 2..<start + 6 {
            guard let digit = Character(Unicode.Scalar(text[index])).hexDigitValue else { return nil }
            unit = unit << 4 | UInt32(digit)
        }
        return unit
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    /// Whether a word or number can't end before this byte.
    private static func isInWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "+"),
            UInt8(ascii: "-"), 0x80...:
            true
        default: false
        }
    }
}

extension UInt8 {
    fileprivate var asWord: UInt64 { UInt64(self) }
}

/// Text that is no JSON at this byte.
package struct JSONSyntaxError: Error {
    /// The byte.
    package var position: Int
    /// What is wrong there.
    package var what: StaticString
}
