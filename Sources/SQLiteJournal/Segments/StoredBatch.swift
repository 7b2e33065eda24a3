import Checksums

/// A row as it was found, lent while it is read: its checksum may or may not fit.
struct StoredBatch {
    var sequence: UInt64
    /// In ms by the broker's clock.
    var time: Int64
    var checksum: Int64
    var commands: UnsafeRawBufferPointer

    /// It is as it was written.
    var isWhole: Bool {
        checksum == Int64(CRC32C.checksum(sequence: sequence, time: time, commands: commands))
    }
}
