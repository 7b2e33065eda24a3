import Foundation
import PopupJournal
import SQLiteJournal
import Testing

/// A small journal of which everything is known: sealed segments, an active one whose batches are in its WAL, two
/// snapshots, the mark.
struct WrittenJournal {
    static let last = 40
    static let snapshots: [UInt64: String] = [12: "state of twelve", 20: "state of twenty"]

    /// As a killed process leaves it.
    let killed: DataDirectory
    /// As a process leaves it that closed it.
    let closed: DataDirectory

    static func text(_ number: UInt64) -> String { "batch \(number) " + String(repeating: "\(number % 10)", count: 60) }

    init(_ temporary: TemporaryDirectory) throws {
        closed = temporary.data("written")
        let journal = SQLiteJournal(closed, segmentBytes: 70_000)
        _ = try journal.open()
        for number in 1...UInt64(Self.last) {
            try journal.append(Self.text(number), at: Int64(number))
            if let state = Self.snapshots[number] {
                try journal.archive?.keep(state, through: number, at: Int64(number))
            }
        }
        try closed.waitUntilSealed()
        killed = try temporary.crashImage(of: closed, "killed")
        try journal.close()
    }

    /// Opens a damaged copy, and says what is wrong with what it makes of it.
    static func check(_ directory: DataDirectory, _ comment: Comment) throws {
        let journal = SQLiteJournal(directory, segmentBytes: 70_000)
        let opening: JournalOpening
        do {
            opening = try journal.open()
        } catch {
            Issue.record("\(comment): \(error) \(String(reflecting: error))")
            return
        }
        let snapshot = try journal.newestSnapshot()
        if let snapshot {
            let text = String(decoding: snapshot.state, as: UTF8.self)
            #expect(snapshots[snapshot.sequence] == text, "an invented snapshot; \(comment)")
        }
        let from = (snapshot?.sequence ?? 0) + 1
        let recovered = try recovered(journal, from: from, comment)
        let absent = Set(from...UInt64(last)).subtracting(recovered)
        let reported = Set(opening.findings.flatMap(\.sequences))
        #expect(absent.isSubset(of: reported), "a loss that is not reported; \(comment); \(opening.findings)")
        #expect(reported.isSubset(of: absent), "a reported loss that is none; \(comment); \(opening.findings)")
        #expect(opening.lastSequence == last, "\(comment)")

        // It continues, and findings are reported once.
        #expect(try journal.append("more", at: 41) == UInt64(last) + 1, "\(comment)")
        try journal.close()
        let again = try journal.open()
        #expect(again.findings == [], "\(comment)")
        #expect(again.epoch > opening.epoch, "\(comment)")
        #expect(try journal.replayed(from: UInt64(last) + 1) == ["41@41 more"], "\(comment)")
        let rest = try Self.recovered(journal, from: from, comment)
        #expect(rest.subtracting([UInt64(last) + 1]) == recovered, "\(comment)")
        try journal.close()
    }

    private static func recovered(_ journal: SQLiteJournal, from: UInt64, _ comment: Comment) throws -> Set<UInt64> {
        var recovered: Set<UInt64> = []
        var before: UInt64 = 0
        try journal.replay(from: from) { batch in
            #expect(batch.sequence > before, "out of order; \(comment)")
            before = batch.sequence
            recovered.insert(batch.sequence)
            guard batch.sequence <= last else { return }
            #expect(
                line(batch) == "\(batch.sequence)@\(batch.sequence) \(text(batch.sequence))",
                "an invented batch; \(comment)")
        }
        return recovered
    }
}

extension JournalFinding {
    /// The batches that it reports as lost.
    var sequences: [UInt64] {
        switch self {
        case .missing(let range): Array(range)
        case .damagedBatch(let sequence): [sequence]
        case .damagedSnapshot, .damagedFile: []
        }
    }
}
