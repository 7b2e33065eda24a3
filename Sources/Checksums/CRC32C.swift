import CChecksums

/// CRC-32C (Castagnoli's polynomial), as RFC 3720, appendix B.4, defines it for iSCSI: by the processor's instruction, or
/// where it has none by `SlicedCRC32C`.
///
/// Its test vector: the nine digits "123456789" give 0xE3069283.
public struct CRC32C: Sendable {
    private static let hasInstruction = cchecksums_has_crc32c()

    private var register: UInt32 = ~0

    /// Of nothing yet.
    public init() {}

    /// The checksum of what was taken in.
    public var value: UInt32 { ~register }

    /// Takes in a number, lowest byte first.
    public mutating func update(_ number: UInt64) {
        withUnsafeBytes(of: number.littleEndian) { update($0) }
    }

    /// Takes in bytes.
    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard let address = bytes.baseAddress else { return }
        register =
            Self.hasInstruction
            ? cchecksums_crc32c(register, address, bytes.count) : SlicedCRC32C.update(register, bytes)
    }

    /// The checksum of bytes.
    public static func checksum(of bytes: UnsafeRawBufferPointer) -> UInt32 {
        var checksum = CRC32C()
        checksum.update(bytes)
        return checksum.value
    }

    /// The checksum of numbers.
    public static func checksum(of numbers: UInt64...) -> UInt32 {
        var checksum = CRC32C()
        for number in numbers { checksum.update(number) }
        return checksum.value
    }
}
