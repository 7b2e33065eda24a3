/// Writes values one after the other: numbers in as few bytes as they need (LEB128, signed ones zigzag), texts after
/// their length.
struct StateEncoder {
    var bytes: [UInt8] = []

    mutating func add(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func add(_ number: some SignedInteger & FixedWidthInteger) {
        let wide = Int64(number)
        add(UInt64(bitPattern: wide << 1 ^ wide >> 63))
    }

    mutating func add(_ number: some UnsignedInteger & FixedWidthInteger) {
        add(UInt64(number))
    }

    mutating func add(_ flag: Bool) {
        bytes.append(flag ? 1 : 0)
    }

    mutating func add(_ text: UnsafeRawBufferPointer) {
        add(UInt64(text.count))
        bytes.append(contentsOf: text)
    }

    mutating func add(_ text: [UInt8]) {
        text.withUnsafeBytes { add($0) }
    }

    /// What may not be there: a flag, then the value.
    mutating func add<Value>(_ value: Value?, _ write: (inout StateEncoder, Value) -> Void) {
        add(value != nil)
        if let value { write(&self, value) }
    }

    /// How many, then each.
    mutating func add<Values: Collection>(_ values: Values, _ write: (inout StateEncoder, Values.Element) -> Void) {
        add(UInt64(values.count))
        for value in values { write(&self, value) }
    }
}
