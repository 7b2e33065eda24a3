/// A range of bytes in the message that contains a command, or in the `EventBuffer` that contains an event.
///
/// Commands and events are values of fixed size. Their names and contents stay in the buffer in which they were
/// received, so that passing them on neither allocates nor counts references.
public struct TextRange: Sendable, Hashable {
    /// The position of the first byte.
    public var offset: UInt32

    /// The number of bytes; 0 means "not given".
    public var count: UInt32

    /// Creates the range of `count` bytes from `offset` on.
    @inlinable
    public init(offset: Int, count: Int) {
        self.offset = UInt32(offset)
        self.count = UInt32(count)
    }

    /// Creates a range of a buffer that is known to have less than 4 GiB.
    @inline(__always)
    init(within offset: Int, count: Int) {
        self.offset = UInt32(truncatingIfNeeded: offset)
        self.count = UInt32(truncatingIfNeeded: count)
    }

    /// The range that means "not given".
    @inlinable
    public static var none: TextRange { TextRange(offset: 0, count: 0) }

    /// Whether the range means "not given".
    @inlinable
    public var isEmpty: Bool { count == 0 }

    /// The range as indices of its text.
    @inlinable
    public var indices: Range<Int> { Int(offset)..<Int(offset) + Int(count) }
}
