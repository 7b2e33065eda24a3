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
    /// no segment is too long: these are tested eight bytes at a time.
    static func isValid(_ range: Range<Int>, in bytes: Span<UInt8>) -> Bool {
        guard range.count <= maxSegmentBytes else {
            return segments(of: bytes.extracting(range), maximum: maxSegments) != nil
        }
        guard !range.isEmpty, bytes[unchecked: range.upperBound &- 1] != UInt8(ascii: "/") else { return false }
        var position = range.lowerBound
        var segments = 1
        // The highest bit is set if the byte before the next eight is a slash. The beginning of the name counts as one.
        var slashBefore: UInt64 = 0x80
        while position < range.upperBound {
            var word = bytes.word(at: position, before: range.upperBound)
            // Bytes after the name are replaced by letters.
            let left = range.upperBound &- position
            if left < 8 { word |= ByteWord.ones &* 0x61 &<< UInt64(truncatingIfNeeded: left &* 8) }
            let slashes = ByteWord.within(0x2F, 0x2F, word)
            guard word & ByteWord.high == 0, isNameWord(word), slashes & (slashes << 8 | slashBefore) == 0 else {
                return false
            }
            if slashes != 0 { segments &+= slashes.nonzeroBitCount }
            slashBefore = slashes >> 56
            position &+= 8
        }
        return segments <= maxSegments
    }

    /// Whether eight bytes below 128 are all segment bytes or slashes.
    @inline(__always)
    private static func isNameWord(_ word: UInt64) -> Bool {
        let letters = ByteWord.within(0x61, 0x7A, word | ByteWord.spaces)
        // `-`, `.`, `/` and the digits follow one another.
        let digits = ByteWord.within(0x2D, 0x39, word)
        return letters | digits | ByteWord.within(0x5F, 0x5F, word) == ByteWord.high
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
