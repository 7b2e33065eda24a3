/// The place of a record in its table: four bytes, of which the highest bit is never set.
///
/// Only a table makes one, and it can be used on tables of such records alone: a group's index where a popup's belongs
/// does not compile.
struct TableIndex<Record>: Hashable, Sendable, BitwiseCopyable {
    let bits: UInt32

    /// The index of a place that the caller knows to be one of the table, or that will be.
    @inline(__always)
    init(number: Int) {
        assert(number >= 0 && number < 1 << 31, "a place that no table has")
        bits = UInt32(truncatingIfNeeded: number)
    }

    /// The place, from 0 on: fit for tables beside that of the records.
    @inline(__always)
    var number: Int { Int(bits) }
}

/// A value that a record or a table keeps in four bytes. Not all of its bits are set.
protocol FourByteValue: BitwiseCopyable {
    init(bits: UInt32)
    var bits: UInt32 { get }
}

extension TableIndex: FourByteValue {
    @inline(__always)
    init(bits: UInt32) { self.bits = bits }
}

/// A value or none, in four bytes: with all bits set there is none. (An `Optional` would take eight.)
@propertyWrapper
struct Packed<Value: FourByteValue>: BitwiseCopyable {
    let bits: UInt32

    @inline(__always)
    init(bits: UInt32) { self.bits = bits }

    @inline(__always)
    init(wrappedValue: Value?) { bits = wrappedValue?.bits ?? .max }

    @inline(__always)
    init() { bits = .max }

    var wrappedValue: Value? {
        @inline(__always) get { bits == .max ? nil : Value(bits: bits) }
        @inline(__always) set { self = Self(wrappedValue: newValue) }
    }
}
