@testable import PopupScheduling
import Testing

/// A store whose chunks have few texts left gives their memory back.
@Suite struct CompactionTests {
    @Test func `texts of sparse chunks are moved together, unchanged`() {
        var store = ByteStore()
        var kept: [(reference: ByteReference, byte: UInt8)] = []
        var released: [ByteReference] = []
        for number in 0..<10_000 {
            let text = [UInt8](repeating: UInt8(number % 251), count: 1000)
            let reference = text.withUnsafeBytes { store.store($0) }
            if number % 64 == 0 { kept.append((reference, text[0])) } else { released.append(reference) }
        }
        for reference in released { store.release(reference) }
        let (held, used) = (store.heldBytes, store.usedBytes)
        #expect(held > 9 << 20 && used < 200_000)
        for number in kept.indices { store.compact(&kept[number].reference) }
        let (heldAfter, usedAfter) = (store.heldBytes, store.usedBytes)
        #expect(heldAfter <= 4 << 16 && usedAfter == used)
        var isWhole = true
        for (reference, byte) in kept {
            let text = store[reference]
            isWhole = isWhole && text.count == 1000 && text.allSatisfy { $0 == byte }
        }
        #expect(isWhole)
    }

    @Test func `a text of a chunk that is nearly full stays where it is`() {
        var store = ByteStore()
        let text = [UInt8](repeating: 7, count: 1000)
        var references = (0..<640).map { _ in text.withUnsafeBytes { store.store($0) } }
        for number in [10, 100] { store.release(references[number]) }
        let (before, held) = (references[50].block, store.heldBytes)
        store.compact(&references[50])
        let heldAfter = store.heldBytes
        #expect(references[50].block == before && heldAfter == held)
    }

    @Test func `texts for which a chunk has one block take no more than the block`() {
        var store = ByteStore()
        let text = [UInt8](repeating: 7, count: 36 << 10)
        for _ in 0..<100 { _ = text.withUnsafeBytes { store.store($0) } }
        let (held, used) = (store.heldBytes, store.usedBytes)
        #expect(held == used)
    }

    /// The memory of the store, and what it may be.
    private struct Outcome {
        var most = 0
        var mostUsed = 0
        var used = 0
        var broken: [String] = []
        var bound: Int { mostUsed + mostUsed / 15 + ByteStore.mostFreeBytes }
    }

    /// Fills the store with contents of one size after another, and leaves one text of each chunk.
    private func sizesInTurn(movesTexts: Bool) -> Outcome {
        var limits = Limits()
        limits.deduplicationWindow = 1
        var scheduler = Scheduler(limits: limits)
        if !movesTexts { scheduler.store.setMostFreeBytes(1 << 50) }
        var (output, outcome, now) = (EventBuffer(), Outcome(), Milliseconds(0))

        func apply(_ make: (inout TextBuilder) -> Command) {
            var text = TextBuilder()
            let command = make(&text)
            let bytes = text.bytes
            output.removeAll()
            now += 1
            let refusal = scheduler.apply(command, text: bytes.span.bytes, at: now, into: &output)
            #expect(refusal == nil)
            outcome.most = max(outcome.most, scheduler.store.heldBytes)
            outcome.mostUsed = max(outcome.mostUsed, scheduler.store.usedBytes)
        }

        for size in [4096, 4608, 5120, 5632, 6144, 6656, 7168, 7680, 8192] {
            let content = [UInt8](repeating: UInt8(size / 512), count: size)
            let inChunk = (1 << 16) / size
            let ids = (0..<(24 << 20) / size).map { "\(size)-\($0)" }
            for id in ids {
                apply { text in
                    var request = PopupRequest(id: text.add(id), group: text.add("g\(id)"))
                    request.content = text.add(content)
                    return .show(request)
                }
            }
            for (number, id) in ids.enumerated() where number % inChunk != 0 {
                apply { .dismiss(Dismissal(id: $0.add(id), action: .none)) }
            }
        }
        outcome.used = scheduler.store.usedBytes
        outcome.broken = scheduler.brokenInvariants()
        return outcome
    }

    @Test func `texts of one size after another, of which few stay, hold no more than the documented memory`() {
        let unmoved = sizesInTurn(movesTexts: false)
        #expect(unmoved.most > 150 << 20, "the sizes in turn are no problem: \(unmoved)")
        let moved = sizesInTurn(movesTexts: true)
        #expect(moved.most <= moved.bound + 4 << 20, "\(moved)")
        #expect(moved.used == unmoved.used && moved.broken == [])
    }
}
