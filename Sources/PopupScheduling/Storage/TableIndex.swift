/// The place of a record in its table: four bytes, of which the highest bit is never set.
///
/// Only a table makes one, and it can be used on tables of such records alone: a group's index where a popup's belongs
/// does not compile.
public struct TableIndex<Record>: Hashable, Sendable, BitwiseCopyable {
    /// The index as it is stored.
    public let bits: UInt32

    /// Creates the index of a record that is in the table, or that will be.
    @inlinable @inline(__always)
    package init(number: Int) {
        assert(number >= 0 && number < 1 << 31, "a place that no table has")
        bits = UInt32(truncatingIfNeeded: number)
    }

    /// The position, from 0 on, for arrays beside the table.
    @inlinable @inline(__always)
    package var number: Int { Int(bits) }
}

/// A value that a record or a table stores in four bytes, at least one bit of which is 0.
public protocol FourByteValue: BitwiseCopyable {
    /// Creates the value that is stored as these bits.
    init(bits: UInt32)
    /// The value as it is stored.
    var bits: UInt32 { get }
}

extension TableIndex: FourByteValue {
    /// Creates the index that is stored as these bits.
    @inlinable @inline(__always)
    public init(bits: UInt32) { self.bits = bits }
}

/// An optional value in four bytes; all bits are 1 if there is no value. (An `Optional` would take eight bytes.)
@propertyWrapper
public struct Packed<Value: FourByteValue>: BitwiseCopyable {
    /// The value as it is stored; all bits are 1 if there is no value.
    public let bits: UInt32

    /// Creates the optional value that is stored as these bits.
    @inlinable @inline(__always)
    public init(bits: UInt32) { self.bits = bits }

    /// Stores a value, or that there is none.
    @inlinable @inline(__always)
    public init(wrappedValue: Value?) { bits = wrappedValue?.bits ?? .max }

    /// Stores that there is no value.
    @inlinable @inline(__always)
    public init() { bits = .max }

    /// The value; `nil` if there is none.
    public var wrappedValue: Value? {
        @inlinable @inline(__always) get { bits == .max ? nil : Value(bits: bits) }
        @inlinable @inline(__always) set { self = Self(wrappedValue: newValue) }
    }
}
