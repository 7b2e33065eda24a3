@testable import PopupScheduling
import Testing

@Suite struct SpreadTableTests {
    @Test func `it contains what a dictionary contains`() {
        var random = ReferenceGenerator(seed: 1)
        var table = SpreadTable<Int, Int>()
        var model: [Int: Int] = [:]
        for step in 0..<5000 {
            let key = random.below(300)
            let value = random.below(3) == 0 ? nil : step
            table[key] = value
            model[key] = value
            #expect(table[key] == model[key] && table.count == model.count && table.isEmpty == model.isEmpty)
        }
        #expect(table.keys.sorted() == model.keys.sorted())
        #expect(model.allSatisfy { table[$0.key] == $0.value })
    }

    @Test func `a value is changed in its place`() {
        var table = SpreadTable<Int, [Int]>()
        table[7] = [1]
        table[7]?.reserveCapacity(100)
        let place = table[7]?.withUnsafeBufferPointer(\.baseAddress)
        table[7]?.append(2)
        table[8]?.append(3)
        #expect(table[7] == [1, 2] && table[8] == nil && table.count == 1)
        #expect(table[7]?.withUnsafeBufferPointer(\.baseAddress) == place)
    }

    @Test func `it grows by a small part of its entries in one step, to as many as there are producers by default`() {
        var random = ReferenceGenerator(seed: 2)
        var table = SpreadTable<ProducerID, Int>()
        var capacities = table.parts.map(\.capacity)
        var most = 0
        for number in 0..<100_000 {
            let name = ProducerID(high: UInt64(random.below(1 << 60)), low: UInt64(number))
            let part = table.part(of: name)
            table[name] = number
            let capacity = table.parts[part].capacity
            if capacity != capacities[part] { most = max(most, table.parts[part].count) }
            capacities[part] = capacity
        }
        #expect(table.count == 100_000)
        #expect(most > 0 && most < 4096)
    }

    @Test(arguments: [64, 256])
    func `the parts grow one after the other: the last has twice the entries of the first`(count: Int) {
        let hashes = 1 << 20
        var sizes = Array(repeating: 0, count: count)
        for number in 0..<hashes { sizes[SpreadTable<Int, Int>.part(ofHash: UInt64(number) << 44, of: count)] += 1 }
        #expect(SpreadTable<Int, Int>.part(ofHash: .max, of: count) == count - 1)
        #expect(sizes.allSatisfy { $0 > 0 })
        // Neighbours of 256 differ by one entry in two hundred and more, which is rounded to whole hashes; of 64 by more.
        #expect(zip(sizes, sizes.dropFirst()).allSatisfy { $0 < $1 + (count > 64 ? 2 : 0) })
        #expect((1.9...2.1).contains(Double(sizes[count - 1]) / Double(sizes[0])))
    }
}
