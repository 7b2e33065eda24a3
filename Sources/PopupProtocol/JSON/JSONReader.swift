/// A reader of the tokens of a JSON text (RFC 8259), in place and without backtracking.
///
/// Reading ends with a value, or with `JSONSyntaxError` at the first byte that is not JSON, whatever the bytes are.
/// Nothing is recursive, and only strings with escapes are copied.
struct JSONReader {
    /// A string.
    enum Text {
        /// The string is this range of the text.
        case plain(Range<Int>)
        /// The string had escapes; its value is in `unescaped`.
        case unescaped
        /// The string contains half of a surrogate pair, which is not a character.
        case unpaired
    }

    /// The position of the next byte.
    private(set) var position = 0
    /// The value of the last string with escapes.
    private(set) var unescaped: [UInt8] = []

    /// Begins a text.
    mutating func begin() { position = 0 }

    /// Returns the next byte that is not a space, without consuming it; 0 at the end, since JSON does not contain it.
    @inline(__always)
    mutating func next(in text: Span<UInt8>) -> UInt8 {
        while position < text.count {
            let byte = text[unchecked: position]
            guard byte <= 0x20, Self.isSpace(byte) else { return byte }
            position &+= 1
        }
        return 0
    }

    /// Consumes the next byte that is not a space if it is this character. Returns whether it is.
    @inline(__always)
    mutating func take(_ wanted: Unicode.Scalar, in text: Span<UInt8>) -> Bool {
        guard next(in: text) == UInt8(ascii: wanted) else { return false }
        position &+= 1
        return true
    }

    /// Consumes the next byte that is not a space, which must be this character.
    @inline(__always)
    mutating func expect(
        _ wanted: Unicode.Scalar, in text: Span<UInt8>, or what: StaticString
    ) throws(JSONSyntaxError) {
        guard take(wanted, in: text) else { throw fault(what) }
    }

    /// Consumes one of the words `true`, `false`, `null`, whose first letter is next.
    mutating func word(_ word: StaticString, in text: Span<UInt8>) throws(JSONSyntaxError) {
        let end = position &+ word.utf8CodeUnitCount
        guard end <= text.count, text.equals(word, position..<end), end == text.count || !Self.isInWord(text[end])
        else { throw fault("this is not a JSON value; put strings in quotes") }
        position = end
    }

    /// Consumes a number, whose first character is next.
    @inline(__always)
    mutating func number(in text: Span<UInt8>) throws(JSONSyntaxError) -> JSONNumber {
        guard let (number, end) = JSONNumber.read(text, position..<text.count),
            end == text.count || !Self.isInWord(text[end])
        else { throw fault("a JSON value is missing") }
        position = end
        return number
    }

    /// Consumes a string, whose quote must be next.
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

    /// Skips a value, which is at this depth of an unknown one.
    mutating func skip(in text: Span<UInt8>, level: Int = 0) throws(JSONSyntaxError) {
        // One bit for each open level, the innermost lowest: whether it is an object.
        var objects: UInt64 = 0
        var depth = 0
        while true {
            let opening = next(in: text)
            switch opening {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                let isObject = opening == UInt8(ascii: "{")
                position += 1
                if take(isObject ? "}" : "]", in: text) { break }
                guard level + depth < Ingress.maxNesting else {
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
            // A value has ended, and perhaps the ones around it.
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

    /// Checks that only spaces follow.
    mutating func end(of text: Span<UInt8>) throws(JSONSyntaxError) {
        guard next(in: text) == 0, position == text.count else { throw fault("there is more after the object's end") }
    }

    func fault(_ what: StaticString) -> JSONSyntaxError { JSONSyntaxError(position: position, what: what) }

    // MARK: - Parts

    private mutating func skipName(in text: Span<UInt8>) throws(JSONSyntaxError) {
        _ = try string(in: text)
        try expect(":", in: text, or: "a colon is missing")
    }

    /// Moves to the end of a part of a string without escapes, eight bytes at a time: to the closing quote, or to a
    /// backslash. Returns whether it is a backslash.
    @inline(__always)
    private mutating func endOfRun(in text: Span<UInt8>) throws(JSONSyntaxError) -> Bool {
        let start = position
        var isASCII = true
        while position < text.count {
            let word = text.word(at: position, before: text.count)
            let found =
                ByteWord.equal(UInt8(ascii: "\"").asWord, word) | ByteWord.equal(UInt8(ascii: "\\").asWord, word)
                | ByteWord.below(0x20, word)
            // The bits above the first match may be wrong. The zeroes after the end are a match.
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
            // Between escapes there is often nothing.
            if run < position { text.extracting(run..<position).withUnsafeBytes { unescaped.append(contentsOf: $0) } }
            if text[position] == UInt8(ascii: "\"") {
                position += 1
                return isPaired ? .unescaped : .unpaired
            }
            if try !appendEscaped(in: text) { isPaired = false }
            run = position
            _ = try endOfRun(in: text)
        }
    }

    /// Appends the value of an escape. Returns whether it is a character.
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

    /// Appends the character of one or two escapes `\u` with four digits each. Returns whether they are a character.
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
        for byte in UTF8.encode(scalar).unsafelyUnwrapped { unescaped.append(byte) }
        return true
    }

    /// Returns the UTF-16 code unit of `\u` and four digits; `nil` for other characters.
    private func unit(at start: Int, in text: Span<UInt8>) -> UInt32? {
        guard start + 6 <= text.count, text[start] == UInt8(ascii: "\\"), text[start + 1] == UInt8(ascii: "u") else {
            return nil
        }
        var unit: UInt32 = 0
        for index in start + 2..<start + 6 {
            guard let digit = text[index].hexDigit else { return nil }
            unit = unit << 4 | digit
        }
        return unit
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    /// Whether a word or number that is followed by this byte is incomplete.
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

    /// The value of a hexadecimal digit; `nil` for another character.
    fileprivate var hexDigit: UInt32? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(self - UInt8(ascii: "0"))
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(self - UInt8(ascii: "A") + 10)
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(self - UInt8(ascii: "a") + 10)
        default: nil
        }
    }
}

/// The error that a text is not JSON.
package struct JSONSyntaxError: Error {
    /// The position of the first wrong byte.
    package var position: Int
    /// A description of the error.
    package var what: StaticString
}
