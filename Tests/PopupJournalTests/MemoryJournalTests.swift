import PopupJournal
import Testing

@Suite("A journal in memory")
struct MemoryJournalTests {
    private func append(_ text: String, to journal: MemoryJournal, at time: Int64 = 0) throws -> UInt64 {
        try journal.append(Array(text.utf8).span.bytes, at: time)
    }

    private func kept(_ journal: MemoryJournal, from sequence: UInt64 = 0) throws -> [String] {
        var kept: [String] = []
        try journal.replay(from: sequence) { batch in
            kept.append("\(batch.sequence)@\(batch.time) \(String(decoding: batch.commands, as: UTF8.self))")
        }
        return kept
    }

    @Test("replays what was appended, from a sequence on")
    func replay() throws {
        let journal = MemoryJournal()
        #expect(try journal.open() == JournalOpening(epoch: 1, lastSequence: 0))
        #expect(try kept(journal) == [])
        #expect(try append("a", to: journal, at: 5) == 1)
        #expect(try append("bc", to: journal, at: 7) == 2)
        #expect(try append("", to: journal, at: 7) == 3)
        #expect(try kept(journal) == ["1@5 a", "2@7 bc", "3@7 "])
        #expect(try kept(journal, from: 2) == ["2@7 bc", "3@7 "])
        #expect(try kept(journal, from: 4) == [])
    }

    @Test("begins a greater epoch at each opening and goes on where it was")
    func epochs() throws {
        let journal = MemoryJournal(firstEpoch: 40)
        #expect(try journal.open().epoch == 40)
        _ = try append("a", to: journal)
        #expect(throws: JournalIsOpen.self) { try journal.open() }
        try journal.close()
        #expect(try journal.open() == JournalOpening(epoch: 41, lastSequence: 1))
        #expect(try kept(journal) == ["1@0 a"])
    }

    @Test("keeps no more batches than its retention")
    func batches() throws {
        let journal = MemoryJournal(retention: MemoryJournal.Retention(batches: 3))
        for text in ["a", "b", "c", "d", "e"] { _ = try append(text, to: journal) }
        #expect(try kept(journal) == ["3@0 c", "4@0 d", "5@0 e"])
    }

    @Test("keeps no more bytes than its retention, and the latest batch always")
    func bytes() throws {
        let journal = MemoryJournal(retention: MemoryJournal.Retention(batches: 10, bytes: 5))
        for text in ["aa", "bb", "cc"] { _ = try append(text, to: journal) }
        #expect(try kept(journal) == ["2@0 bb", "3@0 cc"])
        _ = try append("0123456789", to: journal)
        #expect(try kept(journal) == ["4@0 0123456789"])
        _ = try append("d", to: journal)
        #expect(try kept(journal) == ["5@0 d"])
    }
}
