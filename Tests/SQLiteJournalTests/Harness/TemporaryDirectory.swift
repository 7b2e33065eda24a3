import Foundation
import Logging
import PopupJournal
import SQLiteJournal
import Testing

/// A directory of a test's own, gone with it.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        // In memory where there is such a place: hundreds of openings wait for no disk.
        let memory = "/dev/shm"
        let root =
            FileManager.default.isWritableFile(atPath: memory)
            ? URL(filePath: memory) : FileManager.default.temporaryDirectory
        path = root.appending(path: "journal-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// A data directory in it.
    func data(_ name: String = "data") -> DataDirectory { DataDirectory(path + "/" + name) }

    /// Copies a data directory as its files lie on disk: what is left when the process dies now.
    func crashImage(of directory: DataDirectory, _ name: String) throws -> DataDirectory {
        let image = data(name)
        // The next segment may be made meanwhile: a file that was listed has another name then.
        for _ in 0..<100 {
            do {
                try FileManager.default.copyItem(atPath: directory.path, toPath: image.path)
                return image
            } catch let error as CocoaError where [.fileNoSuchFile, .fileReadNoSuchFile].contains(error.code) {
                try? FileManager.default.removeItem(atPath: image.path)
            }
        }
        try #require(Bool(false), "\(directory.path) changes all the time")
        return image
    }
}

extension DataDirectory {
    /// The names of its files, without those that SQLite keeps beside databases.
    var files: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [])
            .filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") && !$0.hasSuffix("-journal") }.sorted()
    }

    /// All files that a flipped bit may hit: not the lock, nor SQLite's index of the WAL, which it makes anew.
    var contents: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [])
            .filter { $0 != "lock" && !$0.hasSuffix("-shm") && $0 != "damaged" }.sorted()
    }

    /// The WAL of the segment that is written: the segment prepared ahead may have one, too.
    var activeWAL: String? { contents.last { $0.hasPrefix("journal-") && $0.hasSuffix(".sqlite-wal") } }

    /// Waits until all that is done in the background is: only the active segment has a WAL.
    func waitUntilSealed() throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while contents.count(where: { $0.hasSuffix("-wal") || $0.hasSuffix("-journal") }) > 1 {
            try #require(ContinuousClock.now < deadline, "segments are not sealed: \(contents)")
            usleep(1000)
        }
    }

    func file(_ name: String) -> URL { URL(filePath: path + "/" + name) }

    /// What was quarantined.
    var quarantine: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path + "/damaged")) ?? []).sorted()
    }
}

let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

extension SQLiteJournal {
    /// A journal as the tests open it: with a clock that stands.
    convenience init(
        _ directory: DataDirectory, _ durability: Durability = .normal, segmentBytes: Int = 64 << 20,
        snapshotBytes: Int = 64 << 20, now: Int64 = 1000
    ) {
        self.init(
            directory: directory, durability: durability,
            options: Options(segmentBytes: segmentBytes, snapshotBytes: snapshotBytes, now: { now }), logger: quiet)
    }

    @discardableResult
    func append(_ text: String, at time: Int64 = 0) throws -> UInt64 {
        try append(Array(text.utf8).span.bytes, at: time)
    }

    /// What a restart would replay, one line a batch.
    func replayed(from sequence: UInt64 = 1) throws -> [String] {
        var lines: [String] = []
        try replay(from: sequence) { lines.append(line($0)) }
        return lines
    }
}

extension JournalArchive {
    func replayed(from sequence: UInt64 = 1) throws -> [String] {
        var lines: [String] = []
        try replay(from: sequence) { lines.append(line($0)) }
        return lines
    }

    func keep(_ text: String, through sequence: UInt64, at time: Int64 = 0) throws {
        try keep(JournalSnapshot(sequence: sequence, time: time, state: Array(text.utf8)))
    }
}

/// A batch as a line.
func line(_ batch: borrowing JournalBatch) -> String {
    "\(batch.sequence)@\(batch.time) \(String(decoding: batch.commands, as: UTF8.self))"
}

/// A snapshot as a line.
func line(_ snapshot: JournalSnapshot?) -> String? {
    snapshot.map { "\($0.sequence)@\($0.time) \(String(decoding: $0.state, as: UTF8.self))" }
}
