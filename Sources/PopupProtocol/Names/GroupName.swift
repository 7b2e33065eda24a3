/// The name of a group: 1 to 8 segments joined by `/`, each of 1 to 64 of `A–Z a–z 0–9 . _ -`, 200 bytes at most.
public struct GroupName: Hashable, Sendable {
    /// Segments at most.
    public static let maximumSegments = 8
    /// Bytes of a segment at most.
    public static let maximumSegmentBytes = 64
    /// Bytes of a name or pattern at most: with channel and separators it stays below the length of subscription
    /// that ZeroMQ carries safely.
    public static let maximumBytes = 200

    /// The name as it is written.
    public let text: String

    /// The name, or `nil` when `text` is outside the grammar.
    public init?(_ text: String) {
        guard Self.isValid(text.utf8.span) else { return nil }
        self.text = text
    }

    /// Whether these bytes are a group's name.
    public static func isValid(_ bytes: Span<UInt8>) -> Bool {
        segments(of: bytes, maximum: maximumSegments) != nil
    }

    /// How many segments these bytes have, or `nil` when they are no name of at most `maximum` segments.
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
                guard isSegmentByte(byte), segmentBytes < maximumSegmentBytes else { return nil }
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
    /// Byte order, in which the broker goes through groups.
    public static func < (left: GroupName, right: GroupName) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
}
