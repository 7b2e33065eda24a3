import Testing

@testable import ZeroMQTransport

@Suite("While memory is exhausted, of the connections with bytes without a whole message")
struct UnprovenBytesTests {
    private let limit = 4 << 30

    @Test("the largest is cut first")
    func largest() {
        #expect(UnprovenBytes.largest(of: [100, 1 << 30, 200, 1 << 20], memoryLimit: limit) == [1])
    }

    @Test("as few as possible are cut: those that hold an eighth of the bytes together")
    func fewest() {
        let equal = [Int64](repeating: 16 << 10, count: 8000)
        #expect(UnprovenBytes.largest(of: equal, memoryLimit: limit).count == 1000)
        // Good clients that said little are not among them, however many they are.
        let mixed = [Int64](repeating: 150, count: 4000) + equal
        let chosen = UnprovenBytes.largest(of: mixed, memoryLimit: limit)
        #expect(chosen.count == 1005)
        #expect(chosen.allSatisfy { mixed[$0] == 16 << 10 })
    }

    @Test("each may have fewer than are suspicious: what counts is what they hold together")
    func noFloor() {
        // A message of empty frames takes 32 times as much memory: this is all of it.
        let bytes = [Int64](repeating: 32 << 10, count: 4096)
        #expect(bytes[0] < MessageProof.suspicionBytes)
        #expect(!UnprovenBytes.largest(of: bytes, memoryLimit: limit).isEmpty)
    }

    @Test("none is cut if together they can hold only a small part of the memory")
    func innocent() {
        // Handshakes and subscriptions of as many connections as both sockets may have.
        #expect(UnprovenBytes.largest(of: [Int64](repeating: 600, count: 8192), memoryLimit: limit) == [])
        let eighth = Int64(limit / 8 / 32)
        #expect(UnprovenBytes.largest(of: [eighth - 1], memoryLimit: limit) == [])
        #expect(UnprovenBytes.largest(of: [eighth], memoryLimit: limit) == [0])
    }

    @Test("those without such bytes are never cut")
    func proven() {
        #expect(UnprovenBytes.largest(of: [], memoryLimit: 0) == [])
        #expect(UnprovenBytes.largest(of: [0, 0], memoryLimit: 0) == [])
        #expect(UnprovenBytes.largest(of: [0, 1, 0], memoryLimit: 0) == [1])
    }

    @Test("check after check, the rest ends below an eighth of the memory, and the small ones are left")
    func repeated() {
        var bytes = (1...8000).map { Int64($0) * 8 }
        for _ in 1...50 {
            let chosen = Set(UnprovenBytes.largest(of: bytes, memoryLimit: limit))
            if chosen.isEmpty { break }
            bytes = bytes.indices.filter { !chosen.contains($0) }.map { bytes[$0] }
        }
        #expect(bytes.reduce(0, +) * 32 < limit / 8)
        // Largest first, so the smallest ones are the rest, without a gap.
        #expect(bytes == (1...bytes.count).map { Int64($0) * 8 })
        #expect(bytes.count > 1000)
    }
}
