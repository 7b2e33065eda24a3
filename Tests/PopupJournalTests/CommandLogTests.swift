import PopupJournal
import Testing

@Suite("The log of a batch")
struct CommandLogTests {
    @Test("is read as it was written")
    func roundTrip() throws {
        var log = CommandLog()
        log.append(.command, Array("one".utf8).span.bytes)
        let before = log.bytes.count
        log.append(.command, Array("taken back".utf8).span.bytes)
        log.truncate(toByteCount: before)
        log.append(.removedPolicy, [UInt8]().span.bytes)
        log.append(.command, [UInt8](repeating: 7, count: 70_000).span.bytes)
        let entries = try CommandLog.entries(in: log.bytes)
        #expect(entries.map(\.kind) == [.command, .removedPolicy, .command])
        #expect(entries.map { log.bytes[$0.range].count } == [3, 0, 70_000])
        #expect(String(decoding: log.bytes[entries[0].range], as: UTF8.self) == "one")
    }

    @Test(
        "that is damaged is not read", arguments: [[1, 0, 0, 0], [99, 0, 0, 0, 0], [1, 2, 0, 0, 0, 7]] as [[UInt8]])
    func damaged(bytes: [UInt8]) {
        #expect(throws: CommandLogError.self) { try CommandLog.entries(in: bytes) }
    }
}
