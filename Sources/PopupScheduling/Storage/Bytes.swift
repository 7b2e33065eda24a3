/// The operations on texts that the scheduler needs: comparisons, prefixes and hashes.
extension UnsafeRawBufferPointer {
    /// The part of a message to which a range refers.
    @inline(__always)
    subscript(range: TextRange) -> UnsafeRawBufferPointer {
        guard !range.isEmpty, let baseAddress else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        assert(range.indices.upperBound <= count, "a range outside of its message")
        return UnsafeRawBufferPointer(start: baseAddress + Int(range.offset), count: Int(range.count))
    }

    /// Returns the bytes after the first `length` ones.
    @inline(__always)
    func after(_ length: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: self[length...])
    }

    /// Returns the first `length` bytes.
    func first(_ length: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: self[..<length])
    }

    /// Whether both texts are the same. Compares eight bytes at a time; the last eight may overlap those before.
    @inline(__always)
    func equals(_ other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard count >= 8 else { return commonPrefix(with: other) == count }
        let last = count &- 8
        guard word(at: 0) == other.word(at: 0), word(at: last) == other.word(at: last) else { return false }
        var position = 8
        while position < last {
            if word(at: position) != other.word(at: position) { return false }
            position &+= 8
        }
        return true
    }

    func starts(withBytes prefix: UnsafeRawBufferPointer) -> Bool {
        count >= prefix.count && commonPrefix(with: prefix) == prefix.count
    }

    /// Whether the text precedes another one in byte order. A prefix precedes a longer text.
    func precedes(_ other: UnsafeRawBufferPointer) -> Bool {
        let common = commonPrefix(with: other)
        if common == count || common == other.count { return count < other.count }
        return self[common] < other[common]
    }

    /// Returns the length of the common prefix. Compares eight bytes at a time while there are eight.
    func commonPrefix(with other: UnsafeRawBufferPointer) -> Int {
        let shorter = Swift.min(count, other.count)
        var position = 0
        while position + 8 <= shorter, word(at: position) == other.word(at: position) { position += 8 }
        while position < shorter, self[position] == other[position] { position += 1 }
        return position
    }

    /// Returns a hash of 32 bits, the same on every machine. It multiplies eight bytes at a time with full width and
    /// folds the product, as wyhash does (Wang Yi, public domain), with constants of SplitMix64 (Steele, Lea, Flood
    /// 2014).
    @inline(__always)
    func hash(seed: UInt64) -> UInt32 {
        let state = seed ^ UInt64(truncatingIfNeeded: count) &* 0x9E37_79B9_7F4A_7C15
        // Most names have 9 to 16 bytes: eight, and the rest.
        guard count > 8, count <= 16 else { return hash(from: state) }
        return Self.hash(of: fold(fold(state ^ word(at: 0)) ^ rest(from: 8)))
    }

    private func hash(from start: UInt64) -> UInt32 {
        var state = start
        var position = 0
        while position + 8 <= count {
            state = fold(state ^ word(at: position))
            position += 8
        }
        if position < count { state = fold(state ^ rest(from: position)) }
        return Self.hash(of: state)
    }

    @inline(__always)
    private static func hash(of state: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: state ^ state >> 32) }

    /// Returns the last bytes, fewer than eight, as a little-endian number. Of a longer text the last eight bytes are
    /// loaded at once, and the bytes before the position are shifted out.
    @inline(__always)
    private func rest(from position: Int) -> UInt64 {
        if count >= 8 { return word(at: count &- 8) &>> UInt64(truncatingIfNeeded: 8 &* (8 &- (count &- position))) }
        var rest: UInt64 = 0
        for index in (position..<count).reversed() { rest = rest << 8 | UInt64(self[index]) }
        return rest
    }

    /// Returns eight bytes from a position as a little-endian number. An invalid position is a bug of the caller, which
    /// only debug builds detect: each text passes here several times per command.
    @inline(__always)
    private func word(at position: Int) -> UInt64 {
        assert(position >= 0 && position + 8 <= count, "a word outside of its text")
        return baseAddress.unsafelyUnwrapped.loadUnaligned(fromByteOffset: position, as: UInt64.self).littleEndian
    }

    @inline(__always)
    private func fold(_ value: UInt64) -> UInt64 {
        let product = (value ^ 0xBF58_476D_1CE4_E5B9).multipliedFullWidth(by: 0x94D0_49BB_1331_11EB)
        return product.high ^ product.low
    }
}

extension UnsafeMutableRawPointer {
    /// Copies `byteCount` bytes. A text of 8 to 32 bytes, as most names are, is copied without a call, in two parts
    /// that may overlap.
    @inlinable @inline(__always)
    package func copyName(from source: UnsafeRawPointer, byteCount: Int) {
        if byteCount >= 8, byteCount <= 16 {
            let last = byteCount &- 8
            let (head, tail) = (source.loadUnaligned(as: UInt64.self), (source + last).loadUnaligned(as: UInt64.self))
            storeBytes(of: head, as: UInt64.self)
            (self + last).storeBytes(of: tail, as: UInt64.self)
        } else if byteCount > 16, byteCount <= 32 {
            let last = byteCount &- 16
            let head = source.loadUnaligned(as: SIMD2<UInt64>.self)
            let tail = (source + last).loadUnaligned(as: SIMD2<UInt64>.self)
            storeBytes(of: head, as: SIMD2<UInt64>.self)
            (self + last).storeBytes(of: tail, as: SIMD2<UInt64>.self)
        } else {
            copyMemory(from: source, byteCount: byteCount)
        }
    }
}

extension Array {
    /// Removes all elements and keeps the memory. A few elements are removed one by one: `removeAll(keepingCapacity:)`
    /// costs as much as removing six, whatever their number.
    @inlinable @inline(__always)
    package mutating func forgetAll() {
        if count > 4 { removeAll(keepingCapacity: true) } else { while !isEmpty { removeLast() } }
    }
}
