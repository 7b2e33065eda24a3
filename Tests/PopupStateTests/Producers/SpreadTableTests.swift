import PopupProtocol
@testable import PopupState
import TestSupport
import Testing

@Suite("A table in parts")
struct SpreadTableTests {
    @Test("contains what a dictionary contains")
    func model() {
        var random = SplitMix64(seed: 1)
        var table = SpreadTable<Int, Int>()
        var model: [Int: Int] = [:]
        for step in 0..<5000 {
            let key = Int.random(in: 0..<300, using: &random)
            let value = Int.random(in: 0..<3, using: &random) == 0 ? nil : step
            table[key] = value
            model[key] = value
            #expect(table[key] == model[key] && table.count == model.count && table.isEmpty == model.isEmpty)
        }
        #expect(table.keys.sorted() == model.keys.sorted())
        #expect(model.allSatisfy { table[$0.key] == $0.value })
    }

    @Test("changes a value in its place")
    func update() {
        var table = SpreadTable<Int, [Int]>()
        table[7] = [1]
        table[7]?.append(2)
        table[8]?.append(3)
        #expect(table[7] == [1, 2] && table[8] == nil && table.count == 1)
    }

    @Test("grows by a small part of its entries in one step, to as many producers as are remembered by default")
    func steps() {
        var random = SplitMix64(seed: 2)
        var table = SpreadTable<ProducerName, Int>()
        var capacities = table.parts.map(\.capacity)
        var most = 0
        for number in 0..<100_000 {
            let name = ProducerName(using: &random)
            let part = SpreadTable<ProducerName, Int>.part(of: name)
            table[name] = number
            let capacity = table.parts[part].capacity
            if capacity != capacities[part] { most = max(most, table.parts[part].count) }
            capacities[part] = capacity
        }
        #expect(table.count == 100_000)
        #expect(most > 0 && most < 4096)
    }

    @Test("has parts of which the last has twice the entries of the first, so that they do not grow at the same time")
    func parts() {
        let hashes = 1 << 16
        var sizes = Array(repeating: 0, count: 64)
        for number in 0..<hashes { sizes[SpreadTable<Int, Int>.part(ofHash: UInt64(number) << 48)] += 1 }
        #expect(SpreadTable<Int, Int>.part(ofHash: .max) == 63)
        // Neighbours differ by a dozen hashes, give or take one.
        #expect(zip(sizes, sizes.dropFirst()).allSatisfy { $0 < $1 })
        #expect((1.9...2.1).contains(Double(sizes[63]) / Double(sizes[0])))
    }
}
