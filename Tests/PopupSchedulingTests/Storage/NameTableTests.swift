@testable import PopupScheduling
import Testing

/// The hash table of names. Here an entry is its own name.
@Suite struct NameTableTests {
    @Test func `names with one hash are told apart`() {
        var table = NameTable<PopupRecord.Index>()
        let entries = (0..<20).map { PopupRecord.Index(number: $0) }
        for entry in entries { table.insert(entry, hash: 5) }
        table.remove(entries[3], hash: 5)
        for entry in entries {
            let found = table.find(5) { $0 == entry }
            #expect(found == (entry == entries[3] ? nil : entry))
        }
        table.replace(entries[7], with: entries[3], hash: 5)
        let (old, new) = (table.find(5) { $0 == entries[7] }, table.find(5) { $0 == entries[3] })
        #expect(old == nil && new == entries[3])
    }

    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func `names are found while the table grows and shrinks`(seed: UInt64) {
        var random = ReferenceGenerator(seed: seed)
        var table = NameTable<PopupRecord.Index>()
        // Few hashes, so that many names have to be told apart.
        func hash(_ number: Int) -> UInt32 { UInt32(truncatingIfNeeded: number &* 0x9E37_79B9) & ~0xFF }
        var entries: Set<Int> = []
        for step in 0..<40_000 {
            let number = random.below(30_000)
            let entry = PopupRecord.Index(number: number)
            if entries.contains(number) {
                if step % 3 == 0 {
                    table.remove(entry, hash: hash(number))
                    entries.remove(number)
                }
            } else {
                table.insert(entry, hash: hash(number))
                entries.insert(number)
            }
            let probe = random.below(30_000)
            let found = table.find(hash(probe)) { $0.number == probe }
            #expect(found?.number == (entries.contains(probe) ? probe : nil))
        }
        #expect(table.count == entries.count)
        for number in entries {
            let found = table.find(hash(number)) { $0.number == number }
            #expect(found?.number == number)
        }
    }
}
