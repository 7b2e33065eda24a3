import Foundation
import GRDBSQLite
import Logging
@testable import PopupBroker
import PopupJournal
import PopupScheduling
import PopupProtocol
@testable import SQLiteJournal
import SwiftProtobuf

/// Data directories as brokers leave them, each a list of files.
enum DataDirectoryTemplates {
    struct File {
        var name: String
        var bytes: [UInt8]
    }

    /// Small, so that a few batches fill one.
    static let segmentBytes = 16_384

    /// Closed in order; as a killed process leaves it; with a snapshot and what came after it.
    static let all: [[File]] = {
        fixRandomness()
        do {
            return try [make(isClosed: true), make(isClosed: false), make(isClosed: false, withSnapshot: true)]
        } catch {
            fatalError("the data directories of the fuzzer can't be made: \(error)")
        }
    }()

    /// SQLite draws the salts of a WAL: they are the same in each process from now on.
    private static func fixRandomness() {
        sqlite3_vfs_find(nil)?.pointee.xRandomness = { _, count, bytes in
            for place in 0..<Int(count) { bytes?[place] = CChar(truncatingIfNeeded: place) }
            return count
        }
    }

    private static func make(isClosed: Bool, withSnapshot: Bool = false) throws -> [File] {
        let path = ScratchFolder.path("template")
        try? FileManager.default.removeItem(atPath: path)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let first = journal(path, segmentBytes: segmentBytes)
        _ = try first.open()
        for number in 0..<18 {
            try append(number, to: first)
            if withSnapshot, number == 6 || number == 12 { try keepSnapshot(of: first) }
        }
        try first.close()
        guard !isClosed else { return try read(path) }
        // So large a segment that nothing is done with its files beside the appending.
        let second = journal(path, segmentBytes: 1 << 20)
        _ = try second.open()
        for number in 18..<24 { try append(number, to: second) }
        let files = try read(path)
        try second.close()
        return files
    }

    private static func journal(_ path: String, segmentBytes: Int) -> SQLiteJournal {
        SQLiteJournal(
            directory: DataDirectory(path), durability: .normal,
            options: options(segmentBytes: segmentBytes),
            logger: Logger(label: "fuzz") { _ in SwiftLogNoOpLogHandler() })
    }

    /// Nothing goes by the clock, nor by what threads get done.
    static func options(segmentBytes: Int) -> SQLiteJournal.Options {
        var options = SQLiteJournal.Options(segmentBytes: segmentBytes, now: { 1000 })
        options.waitsForMaintenance = true
        return options
    }

    private static func append(_ number: Int, to journal: SQLiteJournal) throws {
        var log = CommandLog()
        if number == 0 {
            log.append(.settings, JournaledSettings(limits: Limits(), seed: 0).bytes.span.bytes)
        }
        let text = String(repeating: "\(number % 10)", count: 600)
        let commands = [
            "{\"show\":{\"id\":\"p\(number)\",\"group\":\"g\(number % 3)\",\"durationMs\":700,\"text\":\"\(text)\"}}",
            "{\"producer\":\"\(String(repeating: "a", count: 32))\",\"sequence\":\"\(number + 1)\",\"advance\":{\"group\":\"g1\"}}",
        ]
        for command in commands {
            let bytes: [UInt8] = try WireCommand(jsonString: command).serializedBytes()
            log.append(.command, bytes.span.bytes)
        }
        _ = try journal.append(log.bytes.span.bytes, at: Int64(1000 + number * 250))
    }

    private static func keepSnapshot(of journal: SQLiteJournal) throws {
        guard let archive = journal.archive else { return }
        var state = try BrokerState.recover(
            from: archive.newestSnapshot(), JournaledSettings(limits: Limits(), seed: 0)
        ) { try archive.replay(from: $0, $1) }
        try archive.keep(state.snapshot())
    }

    private static func read(_ path: String) throws -> [File] {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted().compactMap { name in
            guard let data = FileManager.default.contents(atPath: "\(path)/\(name)") else { return nil }
            return File(name: name, bytes: Array(data))
        }
    }
}
