@testable import PopupScheduling
import Testing

/// What a record takes: there may be millions of each, and what is moved for a popup is paid each time.
@Suite struct LayoutTests {
    @Test func `records take no more than their budget, in bytes`() {
        #expect(MemoryLayout<PopupRecord>.stride == 128)
        #expect(MemoryLayout<GroupRecord>.stride == 104)
        #expect(MemoryLayout<TimerQueue.Timer>.stride == 32)
        #expect(MemoryLayout<PriorityLevel>.stride == 32)
        #expect(MemoryLayout<ClosedPopups.Record>.stride == 56)
        #expect(MemoryLayout<NameSlots<PopupReference>.Slot>.stride == 8)
        #expect(MemoryLayout<PopupRecord.Index>.size == 4 && MemoryLayout<Packed<PopupRecord.Index>>.size == 4)
        #expect(MemoryLayout<List<Acceptances>>.size == 8 && MemoryLayout<Neighbours<PopupRecord>>.size == 8)
    }

    @Test(arguments: [1, 8, 9, 200, 512, 513, 4000, 1 << 18, ByteStore.maxCount])
    func `at most seven bytes or a ninth of a block are unused`(_ count: Int) {
        let bytes = ByteStore.blockBytes(for: count)
        #expect(bytes >= count && (bytes - count <= 7 || (bytes - count) * 9 <= bytes))
    }

    @Test func `texts of all sizes stay unchanged while others are added and removed`() {
        var random = ReferenceGenerator(seed: 3)
        var store = ByteStore()
        var kept: [(reference: ByteReference, byte: UInt8)] = []
        var bytes = 0
        var isWhole = true
        for step in 0..<4000 {
            if random.below(3) == 0, !kept.isEmpty {
                let (reference, byte) = kept.remove(at: random.below(kept.count))
                isWhole = isWhole && store[reference].allSatisfy { $0 == byte }
                bytes -= ByteStore.blockBytes(for: Int(reference.count))
                store.release(reference)
            } else {
                let count = 1 + random.below(random.below(20) == 0 ? ByteStore.maxCount : 700)
                let text = [UInt8](repeating: UInt8(truncatingIfNeeded: step), count: count)
                kept.append((text.withUnsafeBytes { store.store($0) }, text[0]))
                bytes += ByteStore.blockBytes(for: count)
            }
            isWhole = isWhole && store.usedBytes == bytes
        }
        for (reference, byte) in kept { isWhole = isWhole && store[reference].allSatisfy { $0 == byte } }
        #expect(isWhole)
    }

    @Test func `memory freed by texts of one size serves another`() {
        var store = ByteStore()
        var most = 0
        for count in [100, 900, 4000, 20_000, 70_000, 200_000] {
            let text = [UInt8](repeating: 7, count: count)
            let references = (0..<(8 << 20) / count).map { _ in text.withUnsafeBytes { store.store($0) } }
            most = max(most, store.heldBytes)
            for reference in references { store.release(reference) }
        }
        #expect(store.usedBytes == 0)
        // At most half of a chunk is left over, and each of the six sizes keeps one.
        #expect(most < 18 << 20 && store.heldBytes < 2 << 20)
    }

    @Test func `a store at its limit of chunks reuses freed ones`() {
        var store = ByteStore()
        let text = [UInt8](repeating: 7, count: 30_000)
        for _ in 0..<2000 {
            let references = (0..<4).map { _ in text.withUnsafeBytes { store.store($0) } }
            for reference in references { store.release(reference) }
        }
        #expect(store.heldBytes <= 2 << 16 && store.chunkNumbers <= 2)
    }

    @Test func `names are found in a table that grows and shrinks`() {
        var random = ReferenceGenerator(seed: 4)
        var table = NameTable<PopupRecord.Index>()
        var hashes: [PopupRecord.Index: UInt32] = [:]
        var isRight = true
        for number in 0..<60_000 {
            let index = PopupRecord.Index(number: number)
            // Many have one hash, at the end of the table as well.
            let hash = random.below(4) == 0 ? UInt32.max - UInt32(random.below(4)) : UInt32(random.below(1 << 32))
            if hash < .max - 4 || random.below(200) == 0 {
                table.insert(index, hash: hash)
                hashes[index] = hash
            }
            let wanted = PopupRecord.Index(number: random.below(number + 1))
            guard let hash = hashes[wanted] else { continue }
            isRight = isRight && table.find(hash) { $0 == wanted } == wanted
            guard random.below(3) == 0 else { continue }
            table.remove(wanted, hash: hash)
            hashes[wanted] = nil
            isRight = isRight && table.find(hash) { $0 == wanted } == nil
        }
        for (index, hash) in hashes { isRight = isRight && table.find(hash) { $0 == index } == index }
        let count = table.count
        #expect(isRight && count == hashes.count)
    }
}
