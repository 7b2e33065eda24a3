import CChecksums
import Testing

@testable import Checksums

@Suite("CRC-32C")
struct CRC32CTests {
    private func checksum(_ bytes: [UInt8]) -> UInt32 { bytes.withUnsafeBytes { CRC32C.checksum(of: $0) } }

    @Test("gives the values of RFC 3720, B.4")
    func vectors() {
        #expect(checksum(Array("123456789".utf8)) == 0xE306_9283)
        #expect(checksum([]) == 0)
        #expect(checksum([UInt8](repeating: 0, count: 32)) == 0x8A91_36AA)
        #expect(checksum([UInt8](repeating: 0xFF, count: 32)) == 0x62A8_AB43)
        #expect(checksum(Array(0..<32)) == 0x46DD_794E)
        #expect(checksum((0..<32).reversed()) == 0x113F_DB5C)
    }

    @Test("is the same in parts of any size, and for numbers as for their bytes")
    func parts() {
        let bytes = (0..<67).map { UInt8($0 * 37 % 251) }
        for cut in 0...bytes.count {
            var parts = CRC32C()
            bytes[..<cut].withUnsafeBytes { parts.update($0) }
            bytes[cut...].withUnsafeBytes { parts.update($0) }
            #expect(parts.value == checksum(bytes))
        }
        #expect(CRC32C.checksum(of: 0x0706_0504_0302_0100, 0x0F0E_0D0C_0B0A_0908) == checksum(Array(0..<16)))
    }

    @Test("is the same by the processor's instruction and by tables, wherever the bytes lie")
    func instruction() {
        let bytes = (0..<300).map { UInt8(truncatingIfNeeded: $0 &* 197 &+ $0 / 7) }
        bytes.withUnsafeBytes { bytes in
            for start in 0..<16 {
                for end in start...bytes.count {
                    let part = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
                    let sliced = ~SlicedCRC32C.update(~0, part)
                    #expect(CRC32C.checksum(of: part) == sliced)
                    guard cchecksums_has_crc32c(), let address = part.baseAddress else { continue }
                    #expect(~cchecksums_crc32c(~0, address, part.count) == sliced)
                }
            }
        }
    }
}
