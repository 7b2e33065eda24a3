/// The two questions that the scheduler asks of texts: are they the same, and which comes first.
extension UnsafeRawBufferPointer {
    /// The part of a message that a range stands for.
    subscript(range: TextRange) -> UnsafeRawBufferPointer {
        range.isEmpty
            ? UnsafeRawBufferPointer(start: nil, count: 0) : UnsafeRawBufferPointer(rebasing: self[range.indices])
    }

    /// The first `length` bytes left out.
    func after(_ length: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: self[length...])
    }

    /// The first `length` bytes.
    func first(_ length: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: self[..<length])
    }

    func equals(_ other: UnsafeRawBufferPointer) -> Bool {
        count == other.count && commonPrefix(with: other) == count
    }

    func starts(withBytes prefix: UnsafeRawBufferPointer) -> Bool {
        count >= prefix.count && commonPrefix(with: prefix) == prefix.count
    }

    /// Byte order: at the first difference the lower byte comes first; a prefix comes before what it begins.
    func precedes(_ other: UnsafeRawBufferPointer) -> Bool {
        let common = commonPrefix(with: other)
        if common == count || common == other.count { return count < other.count }
        return self[common] < other[common]
    }

    /// How many bytes from the start are the same; eight at a time while there are eight.
    private func commonPrefix(with other: UnsafeRawBufferPointer) -> Int {
        let shorter = Swift.min(count, other.count)
        var position = 0
        while position + 8 <= shorter {
            let mine = loadUnaligned(fromByteOffset: position, as: UInt64.self)
            let theirs = other.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            if mine != theirs { break }
            position += 8
        }
        while position < shorter, self[position] == other[position] { position += 1 }
        return position
    }

    /// A hash of 32 bits, the same on every machine: eight bytes at a time, multiplied with full width and folded, as
    /// wyhash does (Wang Yi, public domain), with constants of SplitMix64 (Steele, Lea, Flood 2014).
    func hash(seed: UInt64) -> UInt32 {
        var state = seed ^ UInt64(truncatingIfNeeded: count) &* 0x9E37_79B9_7F4A_7C15
        var position = 0
        while position + 8 <= count {
            state = fold(state ^ loadUnaligned(fromByteOffset: position, as: UInt64.self).littleEndian)
            position += 8
        }
        if position < count {
            var rest: UInt64 = 0
            for index in (position..<count).reversed() { rest = rest << 8 | UInt64(self[index]) }
            state = fold(state ^ rest)
        }
        return UInt32(truncatingIfNeeded: state ^ state >> 32)
    }

    private func fold(_ value: UInt64) -> UInt64 {
        let product = (value ^ 0xBF58_476D_1CE4_E5B9).multipliedFullWidth(by: 0x94D0_49BB_1331_11EB)
        return product.high ^ product.low
    }
}
