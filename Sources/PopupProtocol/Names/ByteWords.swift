// Tests of eight bytes of a text at a time. The result for each byte is in its highest bit (Mycroft's method; Warren,
// *Hacker's Delight*, chapter 6). All ranges must be within the span.
extension Span<UInt8> {
    /// Whether the bytes are UTF-8. Nearly all texts are ASCII, which is tested first.
    @inline(__always)
    func isText(_ range: Range<Int>) -> Bool { isASCII(range) || isUTF8(range) }

    /// Whether all bytes are below 128.
    @inline(__always)
    private func isASCII(_ range: Range<Int>) -> Bool {
        guard range.count >= 16 else { return isShortASCII(range) }
        // The last sixteen bytes may overlap those before.
        let last = range.upperBound &- 16
        var all = wordPair(at: last)
        var position = range.lowerBound
        while position &+ 48 <= last {
            all |= wordPair(at: position) | wordPair(at: position &+ 16)
            all |= wordPair(at: position &+ 32) | wordPair(at: position &+ 48)
            position &+= 64
        }
        while position < last {
            all |= wordPair(at: position)
            position &+= 16
        }
        return (all[0] | all[1]) & ByteWord.high == 0
    }

    /// Returns the result of `isASCII` for fewer than sixteen bytes.
    @inline(never)
    private func isShortASCII(_ range: Range<Int>) -> Bool {
        var position = range.lowerBound
        var all: UInt64 = 0
        while position < range.upperBound {
            all |= word(at: position, before: range.upperBound)
            position &+= 8
        }
        return all & ByteWord.high == 0
    }

    /// Whether the bytes are UTF-8 without control characters (U+0000 to U+001F, and U+007F to U+009F).
    @inline(__always)
    func isLine(_ range: Range<Int>) -> Bool {
        guard range.count >= 8 else { return isShortLine(range) }
        // The last eight bytes may overlap those before.
        let last = range.upperBound &- 8
        var position = range.lowerBound
        var all: UInt64 = 0
        while true {
            let word = word(at: position)
            guard !ByteWord.hasControl(word) else { return false }
            all |= word
            if position == last { break }
            position = Swift.min(position &+ 8, last)
        }
        return all & ByteWord.high == 0 || isUTF8(range) && !hasUpperControl(range)
    }

    /// Returns the result of `isLine` for fewer than eight bytes.
    @inline(never)
    private func isShortLine(_ range: Range<Int>) -> Bool {
        guard !range.isEmpty else { return true }
        // Bytes after the end are 0 here, and replaced by spaces. A 0 byte within the text is a control character.
        let spaces = ByteWord.spaces &<< UInt64(truncatingIfNeeded: range.count &* 8)
        let word = word(at: range.lowerBound, before: range.upperBound) | spaces
        guard !ByteWord.hasControl(word) else { return false }
        return word & ByteWord.high == 0 || isUTF8(range) && !hasUpperControl(range)
    }

    /// Whether UTF-8 text contains a control character beyond ASCII (U+0080 to U+009F), which terminals obey, too.
    @inline(never)
    private func hasUpperControl(_ range: Range<Int>) -> Bool {
        var follows = false
        for index in range {
            let byte = self[index]
            if follows, byte < 0xA0 { return true }
            follows = byte == 0xC2
        }
        return false
    }

    @inline(never)
    private func isUTF8(_ range: Range<Int>) -> Bool {
        do {
            _ = try UTF8Span(validating: extracting(range))
            return true
        } catch {
            return false
        }
    }

    /// Returns the eight bytes from a position on, the first one lowest. All must be within the span.
    @inline(__always)
    func word(at position: Int) -> UInt64 {
        UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: position, as: UInt64.self))
    }

    /// Returns the sixteen bytes from a position on, whose order does not matter. All must be within the span.
    @inline(__always)
    private func wordPair(at position: Int) -> SIMD2<UInt64> {
        bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: position, as: SIMD2<UInt64>.self)
    }

    /// Returns at most eight bytes from a position on, before `end`, the first one lowest; the other bytes are 0.
    @inline(__always)
    func word(at position: Int, before end: Int) -> UInt64 {
        let left = end &- position
        if left >= 8 { return word(at: position) }
        // Nearly always, the eight bytes before `end` are within the span, since the frame begins earlier.
        if end >= 8 { return word(at: end &- 8) &>> UInt64(truncatingIfNeeded: (8 &- left) &* 8) }
        var word: UInt64 = 0
        for index in (position..<end).reversed() { word = word << 8 | UInt64(self[unchecked: index]) }
        return word
    }
}

/// Operations on eight bytes in one word.
enum ByteWord {
    static var high: UInt64 { 0x8080_8080_8080_8080 }
    static var ones: UInt64 { 0x0101_0101_0101_0101 }
    static var spaces: UInt64 { 0x2020_2020_2020_2020 }

    /// Returns a value other than 0 if a byte is below a bound of at most 128.
    @inline(__always)
    static func below(_ bound: UInt64, _ word: UInt64) -> UInt64 {
        (word &- ones &* bound) & ~word & high
    }

    /// Returns a value other than 0 if a byte has this value.
    @inline(__always)
    static func equal(_ byte: UInt64, _ word: UInt64) -> UInt64 {
        below(1, word ^ ones &* byte)
    }

    /// Whether a byte is a control character of ASCII.
    @inline(__always)
    static func hasControl(_ word: UInt64) -> Bool { below(0x20, word) | equal(0x7F, word) != 0 }

    /// Returns the highest bit of each byte that is within the bounds, for bytes and bounds below 128.
    @inline(__always)
    static func within(_ lowest: UInt64, _ highest: UInt64, _ word: UInt64) -> UInt64 {
        (word &+ ones &* (0x80 - lowest)) & ~(word &+ ones &* (0x7F - highest)) & high
    }
}
