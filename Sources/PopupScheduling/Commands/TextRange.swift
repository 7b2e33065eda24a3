/// A range of bytes in the message that a command came in, or in the `EventBuffer` that an event stands in.
///
/// Commands and events are plain values of fixed size: their names and contents stay where they were received, and
/// nothing is allocated or counted to pass them on.
public struct TextRange: Sendable, Hashable {
    /// The first byte.
    public var offset: UInt32

    /// How many bytes; 0 stands for "not given".
    public var count: UInt32

    /// The range of `count` bytes from `offset` on.
    @inlinable
    public init(offset: Int, count: Int) {
        self.offset = UInt32(offset)
        self.count = UInt32(count)
    }

    /// Not given.
    @inlinable
    public static var none: TextRange { TextRange(offset: 0, count: 0) }

    /// Whether nothing was given.
    @inlinable
    public var isEmpty: Bool { count == 0 }

    /// The range as indices of the text that it belongs to.
    @inlinable
    public var indices: Range<Int> { Int(offset)..<Int(offset) + Int(count) }
}
