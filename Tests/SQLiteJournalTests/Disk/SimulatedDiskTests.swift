import Foundation
import PopupJournal
@testable import SQLiteJournal
import Testing
import TestSupport

/// The journal on disks that lose what was not synchronized, fail, are full, or lie.
///
/// `POPUP_DISK_SEEDS=1000` runs more seeds than `make test` does, `POPUP_FIRST_SEED` begins elsewhere.
@Suite struct SimulatedDiskTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let first = environment["POPUP_FIRST_SEED"].flatMap(UInt64.init) ?? 1
    private static let count = environment["POPUP_DISK_SEEDS"].flatMap(UInt64.init) ?? 12

    @Test(arguments: [SQLiteJournal.Durability.full, .normal])
    func `whatever the power cut, what was acknowledged is there`(durability: SQLiteJournal.Durability) {
        run(.honest, durability)
    }

    @Test(arguments: [SQLiteJournal.Durability.full, .normal])
    func `a disk that fails, is full, or writes a part loses nothing that was acknowledged`(
        durability: SQLiteJournal.Durability
    ) {
        run(.failing, durability)
    }

    @Test func `what a disk loses that lies about synchronizing is reported`() {
        let marks = run(.lying, .full)

        // Such a disk does lose batches; a test in which none is lost tests nothing.
        #expect(marks.findings > 0)
    }

    @Test func `a power cut at any change of a short life loses nothing`() throws {
        var run = try DiskRun(seed: 7, .honest, .full)
        try played(&run, 24, after: nil)
        let changes = run.changes
        #expect(changes > 60)
        for change in 0..<changes {
            let loss = [SimulatedDisk.Loss.everything, .anySectors, .tail][change % 3]
            do {
                var run = try DiskRun(seed: 7, .honest, .full)
                try played(&run, 24, after: change, loss)
                try played(&run, 2, after: nil)
            } catch { Issue.record("seed 7, cut at change \(change), \(loss): \(error)") }
        }
    }

    /// Its empty segment is begun again after a failed write, which fails as well: what is left of it is closed.
    @Test func `a journal that could write nothing is closed`() throws {
        let temporary = try TemporaryDirectory()
        let directory = temporary.data()
        try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
        let disk = SimulatedDisk(under: directory.path, seed: 1)
        try SystemFileCalls.$current.withValue(DiskFileCalls(disk: disk)) {
            let journal = SQLiteJournal(directory)
            _ = try journal.open()
            for change in 0..<20 { disk.fail(.failed, after: change) }

            #expect(throws: SQLiteJournalError.self) { try journal.append("a") }
            #expect(throws: SQLiteJournalError.self) { try journal.append("b") }
            try? journal.close()

            disk.recover()
            #expect(try journal.open().lastSequence == 0)
            #expect(try journal.append("c") == 1)
            try journal.close()
        }
    }

    private func played(
        _ run: inout DiskRun, _ steps: Int, after: Int?, _ loss: SimulatedDisk.Loss = .nothing
    ) throws {
        try run.live(steps, DiskRun.End(after: after, loss: loss))
    }

    /// Runs the seeds, and says which failed.
    @discardableResult
    private func run(
        _ honesty: DiskRun.Honesty, _ durability: SQLiteJournal.Durability
    ) -> (findings: Int, failedAppends: Int) {
        var marks = (findings: 0, failedAppends: 0)
        for seed in Self.first..<Self.first + Self.count {
            do {
                var dice = SplitMix64(seed: seed ^ 0xD15C)
                var run = try DiskRun(seed: seed, honesty, durability)
                for _ in 0..<4 {
                    let isCut = Int.random(in: 0..<6, using: &dice) > 0
                    let end = DiskRun.End(
                        after: isCut ? Int.random(in: 0..<160, using: &dice) : nil,
                        loss: SimulatedDisk.Loss.allCases.randomElement(using: &dice) ?? .everything)
                    try run.live(Int.random(in: 5...50, using: &dice), end)
                }
                marks.findings += run.findings.count
                marks.failedAppends += run.failedAppends
            } catch {
                Issue.record(
                    """
                    seed \(seed), \(honesty), \(durability): \(error); again: POPUP_FIRST_SEED=\(seed) \
                    POPUP_DISK_SEEDS=1 swift test --filter SimulatedDiskTests
                    """)
            }
        }
        return marks
    }
}
