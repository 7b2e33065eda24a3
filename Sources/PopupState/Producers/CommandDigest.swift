/// The digest of a command, by which a repetition is told from another command with the same sequence.
///
/// The journal contains it, so the algorithm must not change. It does not withstand an attack: a producer that makes two
/// commands with one digest receives the acknowledgement of the first for the second, and harms no other client.
public enum CommandDigest {
    /// Returns the digest of a command's bytes as its producer sent them: 32 bytes at a time in four lanes, each 8 bytes read
    /// lowest first, multiplied with full width and folded, as wyhash does (Wang Yi, public domain), with constants of
    /// SplitMix64 (Steele, Lea, Flood 2014).
    package static func of(_ bytes: RawSpan) -> UInt64 {
        let count = bytes.byteCount
        var state = UInt64(truncatingIfNeeded: count) &* 0x9E37_79B9_7F4A_7C15
        var position = 0
        if count >= 32 {
            var lanes: (UInt64, UInt64, UInt64, UInt64) = (state, ~state, state &+ lane, ~state &+ lane)
            while position + 32 <= count {
                lanes.0 = fold(lanes.0 ^ word(bytes, position))
                lanes.1 = fold(lanes.1 ^ word(bytes, position + 8))
                lanes.2 = fold(lanes.2 ^ word(bytes, position + 16))
                lanes.3 = fold(lanes.3 ^ word(bytes, position + 24))
                position += 32
            }
            state = fold(fold(lanes.0 ^ lanes.2) &+ fold(lanes.1 ^ lanes.3 &+ lane))
        }
        while position + 8 <= count {
            state = fold(state ^ word(bytes, position))
            position += 8
        }
        var rest: UInt64 = 0
        for index in (position..<count).reversed() {
            rest = rest << 8 | UInt64(bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self))
        }
        return fold(state ^ rest)
    }

    private static var lane: UInt64 { 0xD1B5_4A32_D192_ED03 }

    @inline(__always)
    private static func word(_ bytes: RawSpan, _ position: Int) -> UInt64 {
        UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self))
    }

    @inline(__always)
    private static func fold(_ value: UInt64) -> UInt64 {
        let product = (value ^ 0xBF58_476D_1CE4_E5B9).multipliedFullWidth(by: 0x94D0_49BB_1331_11EB)
        return product.high ^ product.low
    }
}
