@testable import PopupScheduling
import Testing

/// Records at indices of their own, and lists of them.
@Suite struct SlabTests {
    /// A record that is in one list.
    struct Item: BitwiseCopyable {
        var value: Int
        var neighbours = Neighbours<Item>()

        init(_ value: Int) {
            self.value = value
        }
    }

    enum Items: ListLinks {
        static func neighbours(of item: UnsafePointer<Item>) -> Neighbours<Item> { item.pointee.neighbours }

        static func setNeighbours(of item: UnsafeMutablePointer<Item>, to neighbours: Neighbours<Item>) {
            item.pointee.neighbours = neighbours
        }
    }

    @Test func `records stay unchanged while others are added and removed`() {
        var random = ReferenceGenerator(seed: 11)
        var slab = Slab<Item>()
        var kept: [(index: Slab<Item>.Index, value: Int)] = []
        var isWhole = true
        for value in 0..<20_000 {
            if random.below(5) < 2, !kept.isEmpty {
                let (index, value) = kept.remove(at: random.below(kept.count))
                isWhole = isWhole && slab[index].value == value
                slab.remove(index)
            } else {
                let next = slab.nextIndex
                kept.append((slab.insert(Item(value)), value))
                isWhole = isWhole && kept[kept.count - 1].index == next
            }
        }
        for (index, value) in kept { isWhole = isWhole && slab[index].value == value }
        let count = slab.count
        #expect(isWhole && count == kept.count && Set(kept.map(\.index)).count == kept.count)
    }

    @Test func `a list behaves like an array`() {
        var random = ReferenceGenerator(seed: 12)
        var slab = Slab<Item>()
        var list = List<Items>()
        var array: [Slab<Item>.Index] = []
        var isSame = true
        for value in 0..<3000 {
            switch random.below(7) {
            case 0...1:
                array.append(slab.insert(Item(value)))
                slab.append(array[array.count - 1], to: &list)
            case 2:
                array.insert(slab.insert(Item(value)), at: 0)
                slab.prepend(array[0], to: &list)
            case 3:
                let place = random.below(array.count + 1)
                let next = place < array.count ? array[place] : nil
                array.insert(slab.insert(Item(value)), at: place)
                slab.insert(array[place], before: next, in: &list)
            default:
                guard !array.isEmpty else { continue }
                let index = array.remove(at: random.below(array.count))
                slab.remove(index, from: &list)
                slab.remove(index)
            }
            isSame = isSame && slab.members(of: list) == array && list.isEmpty == array.isEmpty
            isSame = isSame && list.first == array.first && list.last == array.last
            let backwards = array.indices.dropFirst().allSatisfy {
                slab.previous(before: array[$0], Items.self) == array[$0 - 1]
            }
            isSame = isSame && backwards
        }
        #expect(isSame)
    }

    @Test func `a reference is that of a live or a closed popup, at any index`() {
        for number in [0, 1, 1 << 30, 1 << 31 - 2] {
            let live = PopupReference.live(TableIndex(number: number))
            let closed = PopupReference.closed(TableIndex(number: number))
            #expect(PopupReference(bits: live.bits) == live && PopupReference(bits: closed.bits) == closed)
            #expect(live.bits != .max && closed.bits != .max)
        }
    }

    #if DEBUG
        @Test func `a record that is removed twice traps`() async {
            await #expect(processExitsWith: .failure) {
                var slab = Slab<Item>()
                let index = slab.insert(Item(1))
                slab.remove(index)
                slab.remove(index)
            }
        }

        @Test func `the use of an index after its record was removed traps`() async {
            await #expect(processExitsWith: .failure) {
                var slab = Slab<Item>()
                let index = slab.insert(Item(1))
                slab.remove(index)
                slab[index].value = 2
            }
        }

        @Test func `an index of another slab traps`() async {
            await #expect(processExitsWith: .failure) {
                var slab = Slab<Item>()
                var other = Slab<Item>()
                _ = other.insert(Item(1))
                let foreign = other.insert(Item(2))
                _ = slab.insert(Item(3))
                slab[foreign].value = 4
            }
        }

        @Test func `a record that is removed from its list twice traps`() async {
            await #expect(processExitsWith: .failure) {
                var slab = Slab<Item>()
                var list = List<Items>()
                for value in 0..<3 { slab.append(slab.insert(Item(value)), to: &list) }
                guard let index = list.last else { return }
                slab.remove(index, from: &list)
                slab.remove(index, from: &list)
            }
        }
    #endif
}
