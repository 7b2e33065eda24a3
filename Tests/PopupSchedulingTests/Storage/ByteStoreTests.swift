@testable import PopupScheduling
import Testing

/// The memory for texts.
@Suite struct ByteStoreTests {
    @Test func `an empty text takes nothing`() {
        var store = ByteStore()
        let (reference, bytes) = (store.store([]), store.usedBytes)
        #expect(reference.isEmpty && bytes == 0)
        store.release(reference)
        #expect(store.text(of: reference) == [])
    }

    @Test func `a block has at most seven unused bytes up to 512 bytes, and at most a ninth above`() {
        for count in 1...512 { #expect((0...7).contains(ByteStore.blockBytes(for: count) - count)) }
        for count in stride(from: 513, through: ByteStore.maxCount, by: 61) {
            let bytes = ByteStore.blockBytes(for: count)
            #expect(bytes >= count && bytes - count <= bytes / 9 + 1)
        }
        #expect(ByteStore.blockBytes(for: ByteStore.maxCount) == ByteStore.maxCount)
    }

    @Test func `four texts are stored one after the other`() {
        var store = ByteStore()
        let texts = ["id", "", "key", "content"].map { Array($0.utf8) }
        let reference = texts[0].withUnsafeBytes { first in
            texts[1].withUnsafeBytes { second in
                texts[2].withUnsafeBytes { third in
                    texts[3].withUnsafeBytes { store.store(first, second, third, $0) }
                }
            }
        }
        #expect(store.text(of: reference) == Array("idkeycontent".utf8))
    }

    @Test func `a text is replaced in its block, if the block has the size for it`() {
        var store = ByteStore()
        let reference = store.store([UInt8](repeating: 1, count: 17))
        let used = store.usedBytes
        for count in 17...24 {
            let text = [UInt8](repeating: UInt8(count), count: count)
            let replaced = text.withUnsafeBytes { store.replace(reference, by: $0) }
            #expect(replaced.map { store.text(of: $0) } == text && replaced?.block == reference.block)
        }
        for count in [0, 16, 25, 4000] {
            let text = [UInt8](repeating: 9, count: count)
            let replaced = text.withUnsafeBytes { store.replace(reference, by: $0) }
            #expect(replaced == nil)
        }
        let ofNothing = [UInt8](repeating: 9, count: 3).withUnsafeBytes { store.replace(.empty, by: $0) }
        #expect(ofNothing == nil)
        let (usedAfter, text) = (store.usedBytes, store.text(of: reference))
        #expect(usedAfter == used && text == [UInt8](repeating: 24, count: 17))
    }

    @Test func `a text that is lent counts twice, and is there until it is released`() {
        var store = ByteStore()
        let reference = store.store(Array("lent".utf8))
        let used = store.usedBytes
        let lent = store.lend(reference)
        let usedByTwo = store.usedBytes
        #expect(usedByTwo == 2 * used)
        store.takeBack(lent)
        let (usedByOne, text) = (store.usedBytes, store.text(of: reference))
        #expect(usedByOne == used && text == Array("lent".utf8))
        store.release(reference)
        let usedByNone = store.usedBytes
        #expect(usedByNone == 0)
    }

    @Test func `a size without texts gives its memory back, except for one chunk`() {
        var store = ByteStore()
        let text = [UInt8](repeating: 7, count: 1000)
        let references = (0..<300).map { _ in store.store(text) }
        let full = store.heldBytes
        for reference in references { store.release(reference) }
        let (used, held) = (store.usedBytes, store.heldBytes)
        #expect(used == 0 && held == 1 << 16 && full > held)
    }

    @Test func `texts of one size after another take no more memory than the largest number of them`() {
        var store = ByteStore()
        var held: [Int] = []
        for size in [200, 3000, 40_000, 900] {
            let text = [UInt8](repeating: 1, count: size)
            let references = (0..<1_000_000 / size).map { _ in store.store(text) }
            held.append(store.heldBytes)
            for reference in references { store.release(reference) }
        }
        #expect(held.allSatisfy { $0 < 2_000_000 }, "\(held)")
    }

    @Test func `a full store has no room for other sizes until a chunk is free`() {
        var store = ByteStore(maxChunks: 2)
        let small = store.store([UInt8](repeating: 1, count: 100))
        let large = [UInt8](repeating: 2, count: 30_000)
        let references = [store.store(large), store.store(large)]
        let full = [100, 30_000, 500].map { store.hasRoom(for: $0) }
        #expect(full == [true, false, false])
        store.release(references[0])
        let (room, isTooLarge) = (store.hasRoom(for: 30_000), !store.hasRoom(for: ByteStore.maxCount + 1))
        #expect(room && isTooLarge)
        #expect(store.text(of: small) == [UInt8](repeating: 1, count: 100))
    }

    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func `texts of all sizes stay what they are while others come and go`(seed: UInt64) {
        var random = ReferenceGenerator(seed: seed)
        var store = ByteStore()
        var stored: [(reference: ByteReference, text: [UInt8])] = []
        for step in 0..<4000 {
            // Waves, so that chunks are filled and freed.
            if random.below(10) < (step / 500 % 2 == 0 ? 7 : 3) || stored.isEmpty {
                let size = random.below(20) == 0 ? random.below(ByteStore.maxCount) : random.below(700)
                let text = [UInt8](repeating: UInt8(truncatingIfNeeded: step), count: size)
                stored.append((store.store(text), text))
            } else {
                let (reference, text) = stored.remove(at: random.below(stored.count))
                let isSame = store.text(of: reference) == text
                #expect(isSame)
                store.release(reference)
            }
        }
        let expected = stored.reduce(0) { $0 + ByteStore.blockBytes(for: $1.text.count) }
        let (used, held) = (store.usedBytes, store.heldBytes)
        #expect(used == expected && held >= used)
        for (reference, text) in stored {
            let isSame = store.text(of: reference) == text
            #expect(isSame)
        }
    }
}

extension ByteStore {
    fileprivate mutating func store(_ text: [UInt8]) -> ByteReference { text.withUnsafeBytes { store($0) } }

    fileprivate func text(of reference: ByteReference) -> [UInt8] { Array(self[reference]) }
}
