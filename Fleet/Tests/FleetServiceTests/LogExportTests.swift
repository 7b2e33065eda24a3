import FleetState
import Foundation
import Logging
import PopupFleet
import PopupJournal
import SQLiteJournal
import Testing

@testable import FleetService

/// What an export writes, and what it refuses.
@Suite(.timeLimit(.minutes(10))) struct LogExportTests {
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    private let folder = FileManager.default.temporaryDirectory.appending(path: "export-\(UUID())").path

    /// Returns a log with settings and a batch without commands, and the state that it determines.
    private func log() throws -> (ScriptedLog, state: [UInt8]) {
        let log = ScriptedLog()
        var replica = Replica<BrokerReplica>()
        var head = log.with { $0.head }
        var settings = CommandLog()
        settings.append(.settings, [UInt8](repeating: 1, count: 40).span.bytes)
        let writes: [(LogHead) -> HeadWrite] = [
            { .takeOver(after: $0, by: LogOwner(high: 1, low: 1), epoch: 9_000_000_000_000, at: 2000, horizon: 5000) },
            { .append(settings.bytes, after: $0, at: 3000, horizon: 6000) },
            { .advance(after: $0, to: 7000, horizon: 9000) },
        ]
        for write in writes {
            let write = write(head)
            head = write.new
            log.with {
                $0.head = head
                if let entry = write.entry { $0.entries.append(entry) }
            }
            if let entry = write.entry { try replica.apply(entry) }
        }
        return (log, try replica.snapshot().state)
    }

    private func journal(_ path: String) -> SQLiteJournal {
        SQLiteJournal(directory: DataDirectory(path), durability: .full, logger: logger)
    }

    @Test func `a data directory has the state, the time and a greater epoch than the log`() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (log, state) = try log()

        let head = try await LogExport.write(log, to: folder + "/data", logger: logger)

        let journal = journal(folder + "/data")
        let opening = try journal.open()
        defer { try? journal.close() }
        #expect(opening.epoch > head.epoch && opening.findings.isEmpty)
        #expect(journal.recordedTime == 9000)
        #expect(try journal.newestSnapshot()?.state == state)
        #expect(try BrokerReplica.snapshot(of: journal).time == 9000)
    }

    @Test func `what an export left that was killed does not stop the next one`() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let rest = folder + "/data.partial/content"
        try FileManager.default.createDirectory(atPath: rest, withIntermediateDirectories: true)
        try Data([1]).write(to: URL(filePath: rest + "/rest"))
        try Data().write(to: URL(filePath: folder + "/data.partial/" + PartialDirectory.mark))
        let (log, state) = try log()

        _ = try await LogExport.write(log, to: folder + "/data/", logger: logger)

        #expect(try LogExport.read(folder + "/data", logger: logger).state == state)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["data"])
    }

    @Test func `what an export has not left in the place of its unfinished directory is not removed`() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let foreign = folder + "/data.partial"
        try FileManager.default.createDirectory(atPath: foreign + "/content", withIntermediateDirectories: true)
        try Data([1]).write(to: URL(filePath: foreign + "/content/file"))
        let (log, _) = try log()

        await #expect(throws: ExportError.notEmpty(foreign)) {
            try await LogExport.write(log, to: folder + "/data", logger: logger)
        }

        #expect(try FileManager.default.contentsOfDirectory(atPath: foreign + "/content") == ["file"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["data.partial"])
    }

    @Test func `what is there is not replaced, and a log that cannot be read leaves nothing`() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder + "/data", withIntermediateDirectories: true)
        try Data([1]).write(to: URL(filePath: folder + "/data/file"))
        let (log, _) = try log()
        await #expect(throws: ExportError.notEmpty(folder + "/data")) {
            try await LogExport.write(log, to: folder + "/data", logger: logger)
        }

        log.with { $0.entries[1].chain += 1 }
        await #expect(throws: ReplicaDiffers.self) {
            try await LogExport.write(log, to: folder + "/other", logger: logger)
        }
        log.with { $0.entries.removeFirst() }
        await #expect(throws: ExportError.shortened) {
            try await LogExport.write(log, to: folder + "/other", logger: logger)
        }

        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["data"])
    }

    @Test func `a log none of whose snapshots is whole is exported if all of its entries are there, and only then`()
        async throws
    {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (log, state) = try log()
        log.with { $0.torn = [1, 2] }

        _ = try await LogExport.write(log, to: folder + "/data", logger: logger)

        #expect(try LogExport.read(folder + "/data", logger: logger).state == state)
        log.with { $0.entries.removeFirst() }
        // Trying again does not help, as with entries that are removed while they are read.
        await #expect(throws: SharedLogError.unreadable(.damaged)) {
            try await LogExport.write(log, to: folder + "/other", logger: logger)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["data"])
    }

    @Test func `reading what is no data directory makes none`() {
        #expect(throws: SQLiteJournalError.noJournal(directory: folder)) {
            try LogExport.read(folder, logger: logger)
        }
        #expect(!FileManager.default.fileExists(atPath: folder))
    }
}
