/// CRC-32C (Castagnoli; RFC 3720, appendix B.4).
enum Checksum {
    static func of(_ bytes: some Sequence<UInt8>, continuing checksum: UInt32 = 0) -> UInt32 {
        var state = ~checksum
        for byte in bytes { state = table[Int(UInt8(truncatingIfNeeded: state) ^ byte)] ^ (state >> 8) }
        return ~state
    }

    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { state, _ in state & 1 == 1 ? state >> 1 ^ 0x82F6_3B78 : state >> 1 }
    }
}
