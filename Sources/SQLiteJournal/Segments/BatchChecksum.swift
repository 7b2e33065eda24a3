import Checksums

extension CRC32C {
    /// Returns the checksum of a batch: of its sequence, its time and its commands.
    static func checksum(sequence: UInt64, time: Int64, commands: UnsafeRawBufferPointer) -> UInt32 {
        var checksum = CRC32C()
        checksum.update(sequence)
        checksum.update(UInt64(bitPattern: time))
        checksum.update(commands)
        return checksum.value
    }
}
