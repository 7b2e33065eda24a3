import PopupState
import Testing

@Suite("The digest of a command")
struct CommandDigestTests {
    @Test("stays what it is: journals keep it")
    func stable() {
        func digest(_ count: Int) -> UInt64 {
            CommandDigest.of([UInt8]((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37) }).span.bytes)
        }
        #expect(
            [0, 1, 8, 31, 32, 33, 100, 260].map(digest) == [
                3_309_684_160_767_425_153, 15_500_152_261_287_768_693, 16_263_529_083_466_821_029,
                10_132_658_836_939_183_999, 8_103_016_620_969_091_411, 11_543_606_473_632_766_873,
                1_240_707_746_317_355_215, 10_102_956_330_654_559_446,
            ])
    }

    @Test("differs for each other byte, length and place")
    func differs() {
        var seen: Set<UInt64> = []
        var count = 0
        for length in 0..<80 {
            let bytes = [UInt8](repeating: 0, count: length)
            seen.insert(CommandDigest.of(bytes.span.bytes))
            count += 1
            for index in bytes.indices {
                for bit in UInt8(0)..<8 {
                    var other = bytes
                    other[index] ^= 1 << bit
                    seen.insert(CommandDigest.of(other.span.bytes))
                    count += 1
                }
            }
        }
        #expect(seen.count == count)
    }
}
