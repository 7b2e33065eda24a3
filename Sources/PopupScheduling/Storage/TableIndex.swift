/// The index of a record in its table: four bytes, of which the highest bit is never set.
///
/// Only a table creates one, and it is valid only for tables of such records: the index of a group instead of a popup
/// does not compile.
public struct TableIndex<Record>: Hashable, Sendable, BitwiseCopyable {
    /// The index as it is stored.
    public let bits: UInt32

    /// Creates the index of a record that is or will be in the table.
    @inlinable @inline(__always)
    package init(number: Int) {
        assert(number >= 0 && number < 1 << 31, "an index that no table has")
        bits = UInt32(truncatingIfNeeded: number)
    }

    /// The position, from 0 on, for arrays that are parallel to the table.
    @inlinable @inline(__always)
    package var number: Int { Int(bits) }
}

/// A value that is stored in four bytes, at least one bit of which is 0.
///
/// It is public, like `Packed` and `TableIndex.init(bits:)`, although only this package uses it: with package access,
/// the compiler does not specialize these types in other modules, and copies each value by a call of the runtime.
public protocol FourByteValue: BitwiseCopyable {
    /// Creates the value from its bits.
    init(bits: UInt32)
    /// The value as it is stored.
    var bits: UInt32 { get }
}

extension TableIndex: FourByteValue {
    /// Creates the index from its bits.
    @inlinable @inline(__always)
    public init(bits: UInt32) { self.bits = bits }
}

/// An optional value in four bytes. All bits are 1 if there is no value. (An `Optional` would take eight bytes.)
@propertyWrapper
public struct Packed<Value: FourByteValue>: BitwiseCopyable {
    /// The value as it is stored; all bits are 1 if there is no value.
    public let bits: UInt32

    /// Creates the optional value from its bits.
    @inlinable @inline(__always)
    public init(bits: UInt32) { self.bits = bits }

    /// Creates the optional value.
    @inlinable @inline(__always)
    public init(wrappedValue: Value?) { bits = wrappedValue?.bits ?? .max }

    /// Creates the optional value `nil`.
    @inlinable @inline(__always)
    public init() { bits = .max }

    /// The value; `nil` if there is none.
    public var wrappedValue: Value? {
        @inlinable @inline(__always) get { bits == .max ? nil : Value(bits: bits) }
        @inlinable @inline(__always) set { self = Self(wrappedValue: newValue) }
    }
}
