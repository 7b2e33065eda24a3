import CChecksums

/// The checksum CRC-32C (polynomial of Castagnoli), as RFC 3720, appendix B.4, defines it for iSCSI. It uses the
/// instruction of the processor or, without one, `SlicedCRC32C`.
///
/// Test vector: the nine digits "123456789" result in 0xE3069283.
public struct CRC32C: Sendable {
    private static let hasInstruction = cchecksums_has_crc32c()

    private var register: UInt32 = ~0

    /// Creates the checksum of no bytes.
    public init() {}

    /// The checksum of all bytes so far.
    public var value: UInt32 { ~register }

    /// Appends a number, as 8 bytes, little-endian.
    public mutating func update(_ number: UInt64) {
        withUnsafeBytes(of: number.littleEndian) { update($0) }
    }

    /// Appends bytes.
    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard let address = bytes.baseAddress else { return }
        register =
            Self.hasInstruction
            ? cchecksums_crc32c(register, address, bytes.count) : SlicedCRC32C.update(register, bytes)
    }

    /// Returns the checksum of bytes.
    public static func checksum(of bytes: UnsafeRawBufferPointer) -> UInt32 {
        var checksum = CRC32C()
        checksum.update(bytes)
        return checksum.value
    }

    /// Returns the checksum of numbers, each as 8 bytes, little-endian.
    public static func checksum(of numbers: UInt64...) -> UInt32 {
        var checksum = CRC32C()
        for number in numbers { checksum.update(number) }
        return checksum.value
    }
}
