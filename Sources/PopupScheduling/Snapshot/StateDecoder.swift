/// A decoder of the bytes of a `StateEncoder`. It accepts only the encoder's form of each value, and rejects numbers
/// out of their range and texts beyond the end.
struct StateDecoder {
    private let bytes: UnsafeRawBufferPointer
    private(set) var position = 0
    /// The version of the format of the bytes.
    var version = Scheduler.stateVersion

    /// Creates a decoder. It is valid for as long as `bytes` are.
    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// The number of remaining bytes.
    var left: Int { bytes.count - position }

    /// Returns the error for an invalid value that was read last.
    func damaged(_ what: String) -> SnapshotError { .damaged(what, at: position) }

    mutating func number(atMost most: UInt64 = .max) throws(SnapshotError) -> UInt64 {
        // Most numbers take one byte.
        guard position < bytes.count, bytes[position] < 0x80, bytes[position] <= most else {
            return try longNumber(atMost: most)
        }
        position += 1
        return UInt64(bytes[position - 1])
    }

    private mutating func longNumber(atMost most: UInt64) throws(SnapshotError) -> UInt64 {
        var number: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let byte = try byte()
            let digit = UInt64(byte & 0x7F)
            // Ten bytes can hold 70 bits, six more than a number has.
            guard shift < 63 || digit <= 1, byte != 0 || shift == 0 else { throw damaged("a number is not minimal") }
            number |= digit << shift
            if byte < 0x80 { break }
            shift += 7
            guard shift <= 63 else { throw damaged("a number is too long") }
        }
        guard number <= most else { throw damaged("a number is too large") }
        return number
    }

    mutating func unsigned<Number: UnsignedInteger & FixedWidthInteger>() throws(SnapshotError) -> Number {
        Number(truncatingIfNeeded: try number(atMost: UInt64(Number.max)))
    }

    mutating func signed<Number: SignedInteger & FixedWidthInteger>(
        in range: ClosedRange<Number> = .min ... .max
    ) throws(SnapshotError) -> Number {
        let zigzag = try number()
        let number = Int64(bitPattern: zigzag >> 1) ^ -Int64(bitPattern: zigzag & 1)
        guard let number = Number(exactly: number), range.contains(number) else {
            throw damaged("a number is out of its range")
        }
        return number
    }

    mutating func flag() throws(SnapshotError) -> Bool {
        switch try byte() {
        case 0: return false
        case 1: return true
        default: throw damaged("a flag is neither 0 nor 1")
        }
    }

    mutating func word<Word: RawRepresentable<UInt8>>() throws(SnapshotError) -> Word {
        guard let word = Word(rawValue: try unsigned()) else { throw damaged("a value has no meaning") }
        return word
    }

    /// Returns a text without copying it.
    mutating func text(atMost most: Int) throws(SnapshotError) -> UnsafeRawBufferPointer {
        let count = try number()
        guard count <= UInt64(left) else { throw damaged("a text goes beyond the end") }
        guard count <= UInt64(most) else { throw damaged("a text is too long") }
        guard count > 0 else { return nothing }
        let text = bytes[position..<position + Int(count)]
        position += Int(count)
        return UnsafeRawBufferPointer(rebasing: text)
    }

    /// Returns a copy of a text.
    mutating func array() throws(SnapshotError) -> [UInt8] {
        [UInt8](try text(atMost: left))
    }

    /// Returns the number of records that follow, each of which takes at least `least` bytes. So the memory reserved
    /// for them is limited by the number of remaining bytes.
    mutating func count(eachAtLeast least: Int) throws(SnapshotError) -> Int {
        let count = try number()
        guard count <= UInt64(min(left / least, Self.largestTable)) else { throw damaged("a table is too large") }
        return Int(count)
    }

    /// The maximum number of records of a table. An index leaves bits free for `PopupReference`.
    private static let largestTable = 1 << 29

    private mutating func byte() throws(SnapshotError) -> UInt8 {
        guard position < bytes.count else { throw damaged("it ends too early") }
        defer { position += 1 }
        return bytes[position]
    }
}
