import Checksums

/// A row of a segment, whose checksum may be right or wrong. It refers to the bytes of the reader.
struct StoredBatch {
    var sequence: UInt64
    /// The time in ms by the broker's clock.
    var time: Int64
    var checksum: Int64
    var commands: UnsafeRawBufferPointer

    /// The greatest time in ms, before or after 1970. Sums of times within it do not overflow.
    static let maxTime: Int64 = 1 << 56

    /// Whether the checksum is right and the numbers are possible.
    var isIntact: Bool {
        sequence <= DataDirectory.maxSequence && time.magnitude <= UInt64(Self.maxTime)
            && checksum == Int64(CRC32C.checksum(sequence: sequence, time: time, commands: commands))
    }
}
