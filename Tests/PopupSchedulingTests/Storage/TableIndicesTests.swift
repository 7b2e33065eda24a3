@testable import PopupScheduling
import Testing

/// The indices of tables whose records are in arrays.
@Suite struct TableIndicesTests {
    @Test func `an index is used by one record at a time, the one freed last before new ones`() {
        var random = ReferenceGenerator(seed: 13)
        var indices = TableIndices<Int>()
        var (used, free): ([TableIndex<Int>], [TableIndex<Int>]) = ([], [])
        for _ in 0..<2000 {
            if random.below(5) < 2, !used.isEmpty {
                let index = used.remove(at: random.below(used.count))
                indices.remove(index)
                free.append(index)
            } else {
                let expected = free.popLast() ?? TableIndex(number: used.count)
                let index = indices.insert()
                #expect(index == expected && !used.contains(index))
                used.append(index)
            }
            #expect(indices.count == used.count && indices.free == free)
            #expect(indices.capacity == used.count + free.count)
        }
    }

    #if DEBUG
        @Test func `an index that is removed twice traps`() async {
            await #expect(processExitsWith: .failure) {
                var indices = TableIndices<Int>()
                let index = indices.insert()
                indices.remove(index)
                indices.remove(index)
            }
        }

        @Test func `an index traps that no record has any more, or that another table has`() async {
            await #expect(processExitsWith: .failure) {
                var indices = TableIndices<Int>()
                let index = indices.insert()
                indices.remove(index)
                indices.check(index)
            }
            await #expect(processExitsWith: .failure) {
                var (indices, others) = (TableIndices<Int>(), TableIndices<Int>())
                _ = (indices.insert(), others.insert())
                indices.remove(others.insert())
            }
        }
    #endif
}
