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
    func allocation() async {
        // In a process of its own: other tests of this one take and free memory meanwhile.
        await #expect(processExitsWith: .success) {
            let bytes = 1 << 30
            let gauge = MemoryGauge(limit: bytes)
            #expect(gauge.look() == .ample)
            let block = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 16)
            block.initializeMemory(as: UInt8.self, repeating: 1, count: bytes)
            #expect(gauge.look() == .exhausted)
            block.deallocate()
            #expect(gauge.look() == .ample)
        }
    }
}

@Suite("The growth of memory")
struct MemoryGrowthTests {
    private let noticed = MemoryGrowth.noticedBytes
    private let base = 100 << 20

    @Test("is noticed once, from the least that there was")
    func growth() {
        var growth = MemoryGrowth()
        #expect(growth.record(base) == false)
        #expect(growth.record(base + noticed) == false)
        #expect(growth.record(base + noticed + 1) == true)
        #expect(growth.record(base + noticed + 1) == false)
        // Slow growth adds up.
        #expect(growth.record(base + 2 * noticed) == false)
        #expect(growth.record(base + 2 * noticed + 2) == true)
        // Memory that was given back, and is taken again.
        #expect(growth.record(base / 2) == false)
        #expect(growth.record(base) == true)
    }
}
