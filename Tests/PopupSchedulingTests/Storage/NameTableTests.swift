@testable import PopupScheduling
import SystemCalls
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

    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func `names at the slots where their searches ended are found, also if the table has changed since`(seed: UInt64) {
        var random = ReferenceGenerator(seed: seed)
        var table = NameTable<PopupRecord.Index>()
        // A name has the hash of the names with 30,000 and 60,000 more.
        func hash(_ number: Int) -> UInt32 { UInt32(truncatingIfNeeded: number % 30_000 &* 0x9E37_79B9) & ~0xFF }
        var entries: Set<Int> = []
        var earlier: [Int] = []
        for _ in 0..<40_000 {
            let number = random.below(30_000)
            let vacancy = table.vacancy(hash(number)) { $0.number == number }
            #expect((vacancy == nil) == entries.contains(number))
            guard let vacancy else { continue }
            // Of the names before it, one is removed, or another one takes the slot.
            switch random.below(4) {
            case 0 where !earlier.isEmpty:
                let gone = earlier.remove(at: random.below(earlier.count))
                table.remove(PopupRecord.Index(number: gone), hash: hash(gone))
                entries.remove(gone)
            case 1 where !entries.contains(60_000 + number):
                table.insert(PopupRecord.Index(number: 30_000 + number), hash: hash(number))
                table.replace(
                    PopupRecord.Index(number: 30_000 + number), with: PopupRecord.Index(number: 60_000 + number),
                    hash: hash(number))
                earlier.append(60_000 + number)
                entries.insert(60_000 + number)
            default: break
            }
            table.insert(PopupRecord.Index(number: number), hash: hash(number), at: vacancy)
            earlier.append(number)
            entries.insert(number)
        }
        #expect(table.count == entries.count)
        for number in entries {
            let found = table.find(hash(number)) { $0.number == number }
            #expect(found?.number == number)
        }
    }

    #if canImport(Glibc)
        @Test func `the memory of a larger table is provided in small steps`() {
            var table = NameTable<PopupRecord.Index>()
            // The most pages that a thousand insertions get from the system; 125 of 4 KiB are touched meanwhile.
            var most = 0
            var before = 0
            for number in 0..<1_500_000 {
                if number % 1000 == 0 {
                    let now = Self.pageFaults
                    // Tables of up to four megabytes are zeroed as a whole.
                    if number > 600_000 { most = max(most, now - before) }
                    before = now
                }
                table.insert(PopupRecord.Index(number: number), hash: UInt32(truncatingIfNeeded: number &* 0x9E37_79B9))
            }
            #expect(most > 0 && most < 200)
        }

        /// The number of pages that the system has provided to this thread.
        private static var pageFaults: Int {
            let thisThread = __rusage_who_t(1)
            var usage = rusage()
            getrusage(thisThread, &usage)
            return usage.ru_minflt
        }
    #endif
}
