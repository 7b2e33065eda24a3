/// The computation of CRC-32C on any processor, eight bytes at a time, by Kounavis and Berry, "A Systematic Approach to
/// Building High Performance Software-Based CRC Generators" (2005).
enum SlicedCRC32C {
    /// The polynomial 0x1EDC6F41, lowest power first.
    private static let polynomial: UInt32 = 0x82F6_3B78

    // Eight tables of 256 entries: table k contains the effect of a byte on the register k bytes later. They are never
    // changed or freed.
    nonisolated(unsafe) private static let tables = makeTables()

    private static func makeTables() -> UnsafePointer<UInt32> {
        let tables = UnsafeMutablePointer<UInt32>.allocate(capacity: 8 * 256)
        for byte in 0..<256 {
            var register = UInt32(byte)
            for _ in 0..<8 { register = register & 1 == 1 ? register >> 1 ^ polynomial : register >> 1 }
            tables[byte] = register
        }
        for index in 256..<8 * 256 {
            let before = tables[index - 256]
            tables[index] = before >> 8 ^ tables[Int(before & 0xFF)]
        }
        return UnsafePointer(tables)
    }

    /// Returns the register after appending bytes.
    static func update(_ register: UInt32, _ bytes: UnsafeRawBufferPointer) -> UInt32 {
        let tables = Self.tables
        var register = register
        var position = 0
        while position &+ 8 <= bytes.count {
            let number = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            let word = number ^ UInt64(register)
            let low =
                tables[7 &* 256 &+ Int(word & 0xFF)] ^ tables[6 &* 256 &+ Int(word >> 8 & 0xFF)]
                ^ tables[5 &* 256 &+ Int(word >> 16 & 0xFF)] ^ tables[4 &* 256 &+ Int(word >> 24 & 0xFF)]
            let high =
                tables[3 &* 256 &+ Int(word >> 32 & 0xFF)] ^ tables[2 &* 256 &+ Int(word >> 40 & 0xFF)]
                ^ tables[256 &+ Int(word >> 48 & 0xFF)] ^ tables[Int(word >> 56)]
            register = low ^ high
            position &+= 8
        }
        while position < bytes.count {
            register = register >> 8 ^ tables[Int(UInt8(truncatingIfNeeded: register) ^ bytes[position])]
            position &+= 1
        }
        return register
    }
}
