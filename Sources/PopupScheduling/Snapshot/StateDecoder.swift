/// Reads what `StateEncoder` writes, whatever the bytes are: nothing beyond their end, no number that its type can't
/// hold, no way of writing a value but the encoder's.
struct StateDecoder {
    private let bytes: UnsafeRawBufferPointer
    private(set) var position = 0
    /// The version of the format in which the bytes are.
    var version = Scheduler.stateVersion

    /// What is valid for as long as `bytes` are.
    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// How many bytes are left.
    var left: Int { bytes.count - position }

    /// What to throw when what was read last can't be.
    func damaged(_ what: String) -> SnapshotError { .damaged(what, at: position) }

    mutating func number(atMost most: UInt64 = .max) throws(SnapshotError) -> UInt64 {
        // Most are a byte.
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
            // Ten bytes hold 70 bits, six more than there are.
            guard shift < 63 || digit <= 1, byte != 0 || shift == 0 else { throw damaged("a number is none") }
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
        default: throw damaged("a flag is neither yes nor no")
        }
    }

    mutating func word<Word: RawRepresentable<UInt8>>() throws(SnapshotError) -> Word {
        guard let word = Word(rawValue: try unsigned()) else { throw damaged("a word has no meaning") }
        return word
    }

    /// A text where it stands.
    mutating func text(atMost most: Int) throws(SnapshotError) -> UnsafeRawBufferPointer {
        let count = try number()
        guard count <= UInt64(left) else { throw damaged("a text goes beyond the end") }
        guard count <= UInt64(most) else { throw damaged("a text is too long") }
        guard count > 0 else { return nothing }
        let text = bytes[position..<position + Int(count)]
        position += Int(count)
        return UnsafeRawBufferPointer(rebasing: text)
    }

    /// A text of its own.
    mutating func array() throws(SnapshotError) -> [UInt8] {
        [UInt8](try text(atMost: left))
    }

    /// How many of something follow, each of which takes at least so many bytes. What is reserved for them is bounded by
    /// what is left.
    mutating func count(eachAtLeast least: Int) throws(SnapshotError) -> Int {
        let count = try number()
        guard count <= UInt64(min(left / least, Self.largestTable)) else { throw damaged("a table is too large") }
        return Int(count)
    }

    /// No table has more records: an index leaves bits free for what a reference to a popup holds besides.
    private static let largestTable = 1 << 29

    private mutating func byte() throws(SnapshotError) -> UInt8 {
        guard position < bytes.count else { throw damaged("it ends too early") }
        defer { position += 1 }
        return bytes[position]
    }
}
