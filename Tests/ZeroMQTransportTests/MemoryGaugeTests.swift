import Testing

@testable import ZeroMQTransport

@Suite("The gauge of memory")
struct MemoryGaugeTests {
    @Test("says ample within three quarters of the limit, and exhausted beyond it")
    func states() {
        #expect(MemoryGauge(limit: 1 << 40).look() == .ample)
        #expect(MemoryGauge(limit: 1).look() == .exhausted)
    }

    @Test("sees what is allocated, and no more when it is freed")
    func allocation() {
        // More than other tests take at the same time.
        let bytes = 1 << 30
        let gauge = MemoryGauge(limit: bytes)
        let isAmple = gauge.look() == .ample
        let block = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 16)
        block.initializeMemory(as: UInt8.self, repeating: 1, count: bytes)
        #expect(gauge.look() == .exhausted)
        block.deallocate()
        #expect(gauge.look() == .ample || !isAmple)
    }
}
