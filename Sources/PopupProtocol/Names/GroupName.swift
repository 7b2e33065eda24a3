/// The name of a group: 1 to 8 segments joined by `/`, each of 1 to 64 of `A–Z a–z 0–9 . _ -`, at most 200 bytes.
public struct GroupName: Hashable, Sendable {
    /// The maximum number of segments.
    public static let maxSegments = 8
    /// The maximum size of a segment in bytes.
    public static let maxSegmentBytes = 64
    /// The maximum size of a name or pattern in bytes. With channel and separators, it stays below the length of a
    /// subscription that ZeroMQ transfers safely.
    public static let maximumBytes = 200

    /// The name as it is written.
    public let text: String

    /// Creates a name; `nil` if `text` does not match the grammar.
    public init?(_ text: String) {
        guard Self.isValid(text.utf8.span) else { return nil }
        self.text = text
    }

    /// Whether the bytes are the name of a group.
    public static func isValid(_ bytes: Span<UInt8>) -> Bool {
        isValid(Range(uncheckedBounds: (0, bytes.count)), in: bytes)
    }

    /// Whether a part of the bytes is the name of a group. Nearly all names are shorter than the limit of a segment, so
    /// no segment is too long: these are tested sixteen bytes at a time.
    static func isValid(_ range: Range<Int>, in bytes: Span<UInt8>) -> Bool {
        guard range.count <= maxSegmentBytes else {
            return segments(of: bytes.extracting(range), maximum: maxSegments) != nil
        }
        guard !range.isEmpty, bytes[unchecked: range.upperBound &- 1] != UInt8(ascii: "/") else { return false }
        var position = range.lowerBound
        // The highest bit of a byte is set if it is not a byte of a name.
        var faults = SIMD2<UInt64>()
        // The highest bit of a byte is set if it is a slash, and so is the one before it.
        var emptySegments: UInt64 = 0
        // The number of slashes, in each of the eight bytes those at its positions.
        var slashCounts: UInt64 = 0
        // The highest bit is set if the byte before the next sixteen is a slash. The beginning of the name counts as one.
        var slashBefore: UInt64 = 0x80
        while position < range.upperBound {
            let words = SIMD2(
                nameWord(of: bytes, at: position, before: range.upperBound),
                nameWord(of: bytes, at: position &+ 8, before: range.upperBound))
            let slashes = ByteWord.within(0x2F, 0x2F, words)
            faults |= words | ~nameBytes(words)
            emptySegments |= slashes[0] & (slashes[0] << 8 | slashBefore)
            emptySegments |= slashes[1] & (slashes[1] << 8 | slashes[0] >> 56)
            slashCounts &+= slashes[0] >> 7 &+ slashes[1] >> 7
            slashBefore = slashes[1] >> 56
            position &+= 16
        }
        return (faults[0] | faults[1] | emptySegments) & ByteWord.high == 0
            && ByteWord.sum(slashCounts) < UInt64(maxSegments)
    }

    /// Returns the eight bytes of a name from a position on. Those after its end are letters.
    @inline(__always)
    private static func nameWord(of bytes: Span<UInt8>, at position: Int, before end: Int) -> UInt64 {
        let (left, letters) = (end &- position, ByteWord.ones &* 0x61)
        if left >= 8 { return bytes.word(at: position) }
        if left <= 0 { return letters }
        return bytes.word(at: position, before: end) | letters &<< UInt64(truncatingIfNeeded: left &* 8)
    }

    /// Returns the highest bit of each byte that is a segment byte or a slash, for bytes below 128.
    @inline(__always)
    private static func nameBytes(_ words: SIMD2<UInt64>) -> SIMD2<UInt64> {
        let letters = ByteWord.within(0x61, 0x7A, words | SIMD2(repeating: ByteWord.spaces))
        // `-`, `.`, `/` and the digits follow one another.
        let digits = ByteWord.within(0x2D, 0x39, words)
        return letters | digits | ByteWord.within(0x5F, 0x5F, words)
    }

    /// Returns the number of segments; `nil` if the bytes are not a name of at most `maximum` segments.
    static func segments(of bytes: Span<UInt8>, maximum: Int) -> Int? {
        guard bytes.count <= maximumBytes else { return nil }
        var segments = 1
        var segmentBytes = 0
        for index in bytes.indices {
            let byte = bytes[index]
            if byte == UInt8(ascii: "/") {
                guard segmentBytes > 0, segments < maximum else { return nil }
                segments += 1
                segmentBytes = 0
            } else {
                guard isSegmentByte(byte), segmentBytes < maxSegmentBytes else { return nil }
                segmentBytes += 1
            }
        }
        return segmentBytes > 0 ? segments : nil
    }

    static func isSegmentByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

extension GroupName: CustomStringConvertible {
    /// The name as it is written.
    public var description: String { text }
}

extension GroupName: Comparable {
    /// Whether a name comes first in byte order, the order in which the broker visits groups.
    public static func < (left: GroupName, right: GroupName) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
}
