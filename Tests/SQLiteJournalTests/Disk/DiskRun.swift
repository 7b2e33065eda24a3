import Foundation
import PopupJournal
import TestSupport
@testable import SQLiteJournal

/// A journal on a simulated disk, over several lives: each opens what the one before left, checks it against what was
/// acknowledged, goes on, and ends at some change of the disk. The seed decides everything.
struct DiskRun {
    /// What the disk does, and so what may be lost.
    enum Honesty {
        /// It keeps what was synchronized.
        case honest
        /// Calls fail, write a part, or find no room.
        case failing
        /// It says that segments are synchronized, and they are not.
        case lying
    }

    /// What is wrong.
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// How a life ends.
    struct End {
        /// After so many changes; `nil`: the journal is closed at the end of what it does.
        var after: Int?
        var loss: SimulatedDisk.Loss
    }

    let seed: UInt64
    let honesty: Honesty
    let durability: SQLiteJournal.Durability
    private let temporary: TemporaryDirectory
    private var dice: SplitMix64
    private var directory: DataDirectory
    private var lives = 0
    private var disk: SimulatedDisk

    /// What every batch is known to hold whose append returned, by its sequence.
    private var acknowledged: [UInt64: String] = [:]
    /// What was to be appended under a sequence and was not acknowledged.
    private var attempted: [UInt64: Set<String>] = [:]
    private var snapshots: [UInt64: String] = [:]
    /// The greatest that a `keep` returned for.
    private var kept: UInt64 = 0
    /// The batches that were reported as lost.
    private var lost: Set<UInt64> = []
    /// Those of them that are not reported again: the journal was used after the report, without a stop in between.
    private var settled: Set<UInt64> = []
    private var appended = 0
    /// Since the last opening.
    private var acknowledgedSince = 0
    /// What was found, and how many changes the lives made.
    private(set) var findings: [JournalFinding] = []
    private(set) var changes = 0
    private(set) var openings = 0
    private(set) var failedAppends = 0

    private static let segmentBytes = 70_000

    init(seed: UInt64, _ honesty: Honesty, _ durability: SQLiteJournal.Durability) throws {
        self.seed = seed
        self.honesty = honesty
        self.durability = durability
        temporary = try TemporaryDirectory()
        dice = SplitMix64(seed: seed)
        directory = temporary.data("life-0")
        try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
        disk = SimulatedDisk(under: directory.path, seed: seed)
    }

    // MARK: A life

    /// Opens the journal, does so much with it, and leaves what the end leaves to the next.
    mutating func live(_ steps: Int, _ end: End) throws {
        if let after = end.after { disk.cut(after: after) }
        if honesty == .lying { disk.lie { $0.split(separator: "/").last?.hasPrefix("journal-") == true } }
        var journal: SQLiteJournal? = journalOfThisLife()
        do {
            try SystemFileCalls.$current.withValue(DiskFileCalls(disk: disk)) {
                guard let journal else { return }
                try open(journal)
                try work(steps, journal)
                try journal.close()
            }
        } catch let failure as Failure {
            throw failure
        } catch {
            guard disk.isOff || honesty == .failing else { throw Failure(description: "\(error)") }
        }
        journal = nil
        changes += disk.changes
        if end.loss == .nothing, !disk.isOff, acknowledgedSince > 0 { settled = lost }
        try leave(end.loss)
    }

    private func journalOfThisLife() -> SQLiteJournal {
        var options = SQLiteJournal.Options(segmentBytes: Self.segmentBytes, now: { 1000 })
        options.waitsForMaintenance = true
        return SQLiteJournal(directory: directory, durability: durability, options: options, logger: quiet)
    }

    private mutating func leave(_ loss: SimulatedDisk.Loss) throws {
        lives += 1
        let next = temporary.data("life-\(lives)")
        try disk.leave(loss, in: next.path)
        try? FileManager.default.removeItem(atPath: directory.path)
        directory = next
        disk = SimulatedDisk(under: next.path, seed: dice.next())
    }

    private mutating func work(_ steps: Int, _ journal: SQLiteJournal) throws {
        for _ in 0..<steps {
            if honesty == .failing { misbehave() }
            switch Int.random(in: 0..<12, using: &dice) {
            case 0: try keep(journal)
            case 1: journal.record(time: Int64(appended + 1))
            case 2 where Int.random(in: 0..<4, using: &dice) == 0:
                try journal.close()
                try open(journal)
            default: try append(journal)
            }
        }
        disk.setFull(false)
    }

    private mutating func misbehave() {
        switch Int.random(in: 0..<12, using: &dice) {
        case 0: disk.fail(.failed, after: Int.random(in: 0..<6, using: &dice))
        case 1: disk.fail(.full, after: Int.random(in: 0..<6, using: &dice))
        case 2: disk.setFull(true)
        case 3, 4: disk.setFull(false)
        default: break
        }
    }

    private mutating func append(_ journal: SQLiteJournal) throws {
        appended += 1
        let length = [10, 300, 3000, 9000][Int.random(in: 0..<4, using: &dice)]
        let text = "\(appended) " + String(repeating: "\(appended % 10)", count: length)
        let next = (acknowledged.keys.max() ?? 0) + 1
        // Before: whatever comes of it, it may be there.
        for sequence in next...next + 2 { attempted[sequence, default: []].insert(text) }
        do {
            let sequence = try journal.append(text, at: Int64(appended))
            guard sequence >= next else {
                throw Failure(description: "batch \(sequence) is given twice, \(next - 1) was acknowledged")
            }
            acknowledged[sequence] = text
            acknowledgedSince += 1
        } catch let error as SQLiteJournalError {
            failedAppends += 1
            guard disk.isOff || honesty == .failing else { throw error }
            if disk.isOff { throw error }
        }
    }

    private mutating func keep(_ journal: SQLiteJournal) throws {
        guard let last = acknowledged.keys.max(), last > 0, let archive = journal.archive else { return }
        let sequence = max(kept, last - UInt64.random(in: 0...min(3, last - 1), using: &dice))
        let state = "state of \(sequence) " + String(repeating: "s", count: 2000)
        do {
            snapshots[sequence] = state
            try archive.keep(JournalSnapshot(sequence: sequence, time: Int64(sequence), state: Array(state.utf8)))
            kept = max(kept, sequence)
        } catch let error as SQLiteJournalError {
            if honesty != .failing || disk.isOff { throw error }
        }
    }

    // MARK: What an opening finds

    private mutating func open(_ journal: SQLiteJournal) throws {
        let size = FileManager.default.contents(of: directory.path)
        let before = disk.calls
        let opening = try journal.open()
        openings += 1
        acknowledgedSince = 0
        let calls = disk.calls - before
        // Each page is read a few times, and each of some steps of repair changes a few names.
        let most = 1000 + 12 * size / 512
        guard calls <= most else { throw Failure(description: "an opening takes \(calls) calls for \(size) bytes") }
        findings += opening.findings
        try check(opening, journal)
    }

    private mutating func check(_ opening: JournalOpening, _ journal: SQLiteJournal) throws {
        let last = acknowledged.keys.max() ?? 0
        let snapshot = try journal.newestSnapshot()
        if let snapshot {
            guard snapshots[snapshot.sequence] == String(decoding: snapshot.state, as: UTF8.self) else {
                throw Failure(description: "snapshot \(snapshot.sequence) was never made")
            }
        }
        let base = snapshot?.sequence ?? 0
        guard base >= kept || honesty == .lying else {
            throw Failure(description: "snapshot \(kept) was kept, the newest is \(base)")
        }
        let found = try batches(journal, from: base + 1)
        let reported = Set(opening.findings.flatMap(\.sequences))
        for sequence in found.keys.sorted() where sequence > last {
            guard sequence <= last + 1 else {
                throw Failure(description: "batch \(sequence) is there, the last that was acknowledged is \(last)")
            }
        }
        let absent = Set(base + 1..<max(base, opening.lastSequence) + 1).subtracting(found.keys)
        if let silent = absent.subtracting(lost).subtracting(reported).min() {
            throw Failure(description: "batch \(silent) is lost and not reported: \(opening.findings)")
        }
        if let invented = reported.intersection(found.keys).min() {
            throw Failure(description: "batch \(invented) is reported as lost, but exists")
        }
        if let again = reported.intersection(settled).min(), honesty == .honest {
            throw Failure(description: "batch \(again) is reported as lost twice")
        }
        try checkLosses(opening, found, base: base)
        lost.formUnion(absent)
        if honesty == .lying { kept = min(kept, base) }
        // What is lost by right is gone, and its sequences are given again.
        for sequence in acknowledged.keys where sequence > opening.lastSequence { acknowledged[sequence] = nil }
        for (sequence, text) in found { acknowledged[sequence] = text }
        if opening.lastSequence > 0, acknowledged[opening.lastSequence] == nil {
            acknowledged[opening.lastSequence] = ""
        }
    }

    /// What may be lost at all.
    private func checkLosses(_ opening: JournalOpening, _ found: [UInt64: String], base: UInt64) throws {
        guard honesty != .lying else { return }
        let needed = acknowledged.filter { $0.key > base && !lost.contains($0.key) && !$0.value.isEmpty }
        let missing = Set(needed.keys).subtracting(found.keys)
        if durability == .full, let first = missing.min() {
            throw Failure(description: "batch \(first) was acknowledged and is lost: \(opening.findings)")
        }
        // Only the latest may be lost otherwise, unless a call failed.
        if honesty == .honest, let first = missing.min(), let later = found.keys.filter({ $0 > first }).min() {
            throw Failure(description: "batch \(first) is lost, and \(later) after it is not")
        }
        if durability == .full, honesty == .honest, !opening.findings.isEmpty {
            throw Failure(description: "a disk that keeps its promises is found damaged: \(opening.findings)")
        }
    }

    private func batches(_ journal: SQLiteJournal, from first: UInt64) throws -> [UInt64: String] {
        var found: [UInt64: String] = [:]
        var before = first - 1
        try journal.replay(from: first) { batch in
            guard batch.sequence > before else {
                throw Failure(description: "batch \(batch.sequence) comes after \(before)")
            }
            before = batch.sequence
            let text = String(decoding: batch.commands, as: UTF8.self)
            guard acknowledged[batch.sequence] == text || attempted[batch.sequence]?.contains(text) == true else {
                throw Failure(description: "batch \(batch.sequence) was never appended: \(text.prefix(20))")
            }
            found[batch.sequence] = text
        }
        for (sequence, text) in found {
            guard let known = acknowledged[sequence], !known.isEmpty, known != text else { continue }
            throw Failure(description: "batch \(sequence) was \(known.prefix(20)) and is \(text.prefix(20))")
        }
        return found
    }
}

extension FileManager {
    /// In bytes: all files in a directory, but for SQLite's index of the WAL.
    fileprivate func contents(of directory: String) -> Int {
        ((try? subpathsOfDirectory(atPath: directory)) ?? []).filter { !$0.hasSuffix("-shm") }.reduce(0) {
            $0 + Int((try? attributesOfItem(atPath: directory + "/" + $1)[.size] as? UInt64) ?? 0)
        }
    }
}
