/// CRC-32C (Castagnoli's polynomial), as RFC 3720, appendix B.4, defines it for iSCSI; eight bytes at a time, after
/// Kounavis and Berry, "A Systematic Approach to Building High Performance Software-Based CRC Generators" (2005).
///
/// Its test vector: the nine digits "123456789" give 0xE3069283.
struct CRC32C {
    /// The polynomial 0x1EDC6F41, lowest power first.
    private static let polynomial: UInt32 = 0x82F6_3B78

    // Eight tables of 256: table k holds what a byte does to the register k bytes later. Never changed, never freed.
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

    private var register: UInt32 = ~0

    /// The checksum of what was taken in.
    var value: UInt32 { ~register }

    /// Takes in a number, lowest byte first.
    mutating func update(_ number: UInt64) {
        take(number, Self.tables)
    }

    /// Takes in bytes.
    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        let tables = Self.tables
        var position = 0
        while position &+ 8 <= bytes.count {
            take(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)), tables)
            position &+= 8
        }
        while position < bytes.count {
            register = register >> 8 ^ tables[Int(UInt8(truncatingIfNeeded: register) ^ bytes[position])]
            position &+= 1
        }
    }

    @inline(__always)
    private mutating func take(_ number: UInt64, _ tables: UnsafePointer<UInt32>) {
        let word = number ^ UInt64(register)
        let low =
            tables[7 &* 256 &+ Int(word & 0xFF)] ^ tables[6 &* 256 &+ Int(word >> 8 & 0xFF)]
            ^ tables[5 &* 256 &+ Int(word >> 16 & 0xFF)] ^ tables[4 &* 256 &+ Int(word >> 24 & 0xFF)]
        let high =
            tables[3 &* 256 &+ Int(word >> 32 & 0xFF)] ^ tables[2 &* 256 &+ Int(word >> 40 & 0xFF)]
            ^ tables[256 &+ Int(word >> 48 & 0xFF)] ^ tables[Int(word >> 56)]
        register = low ^ high
    }

    /// The checksum of bytes.
    static func checksum(of bytes: UnsafeRawBufferPointer) -> UInt32 {
        var checksum = CRC32C()
        checksum.update(bytes)
        return checksum.value
    }

    /// The checksum of numbers.
    static func checksum(of numbers: UInt64...) -> UInt32 {
        var checksum = CRC32C()
        for number in numbers { checksum.update(number) }
        return checksum.value
    }

    /// The checksum of a batch: of its sequence, its time and its commands.
    static func checksum(sequence: UInt64, time: Int64, commands: UnsafeRawBufferPointer) -> UInt32 {
        var checksum = CRC32C()
        checksum.update(sequence)
        checksum.update(UInt64(bitPattern: time))
        checksum.update(commands)
        return checksum.value
    }
}
