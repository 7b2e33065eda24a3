import Checksums

/// A row as it was found, lent while it is read: its checksum may or may not fit.
struct StoredBatch {
    var sequence: UInt64
    /// In ms by the broker's clock.
    var time: Int64
    var checksum: Int64
    var commands: UnsafeRawBufferPointer

    /// No clock of a broker tells more, before or after 1970: no sum of times overflows.
    static let mostTime: Int64 = 1 << 56

    /// It is as it was written.
    var isWhole: Bool {
        sequence <= DataDirectory.mostSequence && time.magnitude <= UInt64(Self.mostTime)
            && checksum == Int64(CRC32C.checksum(sequence: sequence, time: time, commands: commands))
    }
}
