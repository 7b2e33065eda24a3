import Foundation
import PopupProtocol
import Testing

@testable import PopupClient

@Suite("An outbox file")
struct OutboxKeeperTests {
    private static let name = ProducerName(high: 1, low: 1)

    private func withPath<Result>(_ body: (String) throws -> Result) throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try body(folder.appending(path: "outbox").path)
    }

    private func open(_ path: String, _ name: ProducerName = Self.name) throws -> OutboxKeeper {
        try OutboxKeeper(path: path, newName: name)
    }

    @Test("is there again at the next start, with the same numbers")
    func restart() throws {
        try withPath { path in
            do {
                let keeper = try open(path)
                #expect(try keeper.store([[1], [2]]) == 1)
                #expect(try keeper.store([[3]]) == 3)
                keeper.settle([2])
            }
            let keeper = try open(path, ProducerName(high: 2, low: 2))
            #expect(keeper.status == OutboxStatus(path: path, recovered: 2, lostBytes: 0))
            #expect(keeper.contents.producer == Self.name)
            #expect(keeper.contents.commands.map(\.sequence) == [1, 3])
            #expect(try keeper.store([[4]]) == 4)
        }
    }

    @Test("belongs to one at a time")
    func lock() throws {
        try withPath { path in
            let keeper = try open(path)
            #expect(throws: ClientError.outboxInUse(path)) { _ = try open(path) }
            withExtendedLifetime(keeper) {}
        }
    }

    @Test("that can't be opened leaves its lock to the next attempt")
    func unopened() throws {
        try withPath { path in
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            #expect(throws: ClientError.outboxFailed(path, "open: Is a directory")) { _ = try open(path) }
            try FileManager.default.removeItem(atPath: path)
            #expect(try open(path).status.recovered == 0)
        }
    }

    @Test("is not made of a file that is none, nor where there is no folder")
    func unusable() throws {
        try withPath { path in
            try Data("a letter, and no outbox".utf8).write(to: URL(fileURLWithPath: path))
            #expect(throws: ClientError.noOutbox(path)) { _ = try open(path) }
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "a letter, and no outbox")
            #expect(
                throws: ClientError.outboxFailed(
                    "\(path)/below", "open \(path)/below.lock: Not a directory")
            ) { _ = try open(path + "/below") }
        }
    }

    @Test("goes on from what was there when it was interrupted between any two writes of a replacement")
    func interrupted() throws {
        try withPath { path in
            var after = OutboxContents(producer: Self.name)
            do {
                let keeper = try open(path)
                _ = try keeper.store([[1], [2]])
                after = keeper.contents
                _ = after.settle([1])
            }
            let replacement = after.file
            for end in 0...replacement.count {
                try Data(replacement[..<end]).write(to: URL(fileURLWithPath: path + ".new"))
                #expect(try open(path).contents.commands.map(\.sequence) == [1, 2])
            }
            try Data(replacement).write(to: URL(fileURLWithPath: path))
            #expect(try open(path).contents == after)
        }
    }

    @Test("goes on from the whole records when the last one was being written")
    func torn() throws {
        try withPath { path in
            do {
                let keeper = try open(path)
                _ = try keeper.store([[1], [2]])
            }
            let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            try bytes.dropLast(3).write(to: URL(fileURLWithPath: path))
            do {
                let keeper = try open(path)
                #expect(keeper.status.recovered == 1)
                #expect(keeper.status.lostBytes == OutboxRecord.commandOverhead + 1 - 3)
                // What was cut off had not been sent: its number is free.
                #expect(try keeper.store([[3]]) == 2)
            }
            #expect(try open(path).contents.commands.map(\.body) == [[1], [3]])
        }
    }

    @Test("does not grow with what is settled")
    func compaction() throws {
        try withPath { path in
            let keeper = try open(path)
            var longest = 0
            for round in 1...200 as ClosedRange<UInt64> {
                _ = try keeper.store([[UInt8](repeating: 7, count: 1000)])
                if round > 10 { keeper.settle([round - 10]) }
                let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
                longest = max(longest, size ?? 0)
            }
            #expect(keeper.contents.commands.count == 10)
            #expect(longest < OutboxKeeper.minCompactionBytes + 2000)
        }
    }
}
