/// A range of a frame in eight bytes, half of what `Range<Int>` takes. A frame is far below 4 GiB.
public struct FrameRange: Sendable, Equatable {
    /// The position of the first byte.
    public let offset: UInt32
    /// The number of bytes; 0 for a field that is absent.
    public let count: UInt32

    /// Creates an empty range.
    @inlinable @inline(__always)
    init() { (offset, count) = (0, 0) }

    @inlinable @inline(__always)
    init(_ range: Range<Int>) {
        offset = UInt32(truncatingIfNeeded: range.lowerBound)
        count = UInt32(truncatingIfNeeded: range.upperBound &- range.lowerBound)
    }

    /// Whether the field is absent.
    @inlinable @inline(__always)
    public var isEmpty: Bool { count == 0 }

    /// The position behind the last byte.
    @inlinable @inline(__always)
    public var upperBound: Int { Int(offset) &+ Int(count) }

    /// The range as indices of its frame.
    @inlinable @inline(__always)
    public var indices: Range<Int> { Range(uncheckedBounds: (Int(offset), upperBound)) }
}
