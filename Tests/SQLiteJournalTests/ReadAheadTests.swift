import PopupJournal
import Synchronization
import Testing

@testable import SQLiteJournal

/// The error of a reading, or of what is done with a batch.
private struct Failure: Error, Equatable {
    var number: UInt64
}

@Suite("Reading ahead")
struct ReadAheadTests {
    /// Calls `body` with `count` batches of `bytes` bytes each, and then throws if `failing`.
    private static func read(
        _ count: UInt64, bytes: Int, failing: Bool = false, _ body: (borrowing JournalBatch) throws -> Void
    ) throws {
        for number in 0..<count {
            try body(
                JournalBatch(
                    sequence: number + 1, time: Int64(number) * 3,
                    commands: [UInt8](repeating: UInt8(number % 251), count: bytes)))
        }
        if failing { throw Failure(number: count) }
    }

    /// Small batches, of which thousands are a portion, and large ones, of which one or two are.
    @Test(
        "returns all batches in their order, and their content",
        arguments: [(0, 10), (1, 10), (50_000, 10), (40, 700_000), (9, 3_000_000)] as [(UInt64, Int)])
    func order(count: UInt64, bytes: Int) throws {
        var next: UInt64 = 0
        try ReadAhead.run {
            try Self.read(count, bytes: bytes, $0)
        } _: { batch in
            #expect(batch.sequence == next + 1)
            #expect(batch.time == Int64(next) * 3)
            #expect(batch.commands.count == bytes)
            #expect(batch.commands.allSatisfy { $0 == UInt8(next % 251) })
            next += 1
        }
        #expect(next == count)
    }

    @Test("throws the error of the reading after the batches before it", arguments: [0, 7, 10_000] as [UInt64])
    func failedReading(count: UInt64) throws {
        var seen: UInt64 = 0
        #expect(throws: Failure(number: count)) {
            try ReadAhead.run {
                try Self.read(count, bytes: 1000, failing: true, $0)
            } _: { _ in
                seen += 1
            }
        }
        #expect(seen == count)
    }

    @Test("ends the reading when a batch cannot be applied, before it returns", arguments: [1, 5000] as [UInt64])
    func failedUse(last: UInt64) throws {
        let read = Atomic<UInt64>(0)
        let hasEnded = Atomic(false)
        #expect(throws: Failure(number: last)) {
            try ReadAhead.run { take in
                defer { hasEnded.store(true, ordering: .sequentiallyConsistent) }
                try Self.read(1_000_000, bytes: 1000) { batch in
                    read.store(batch.sequence, ordering: .relaxed)
                    try take(batch)
                }
            } _: { batch in
                #expect(batch.sequence <= last)
                if batch.sequence == last { throw Failure(number: last) }
            }
        }
        let (ended, batches) = (hasEnded.load(ordering: .sequentiallyConsistent), read.load(ordering: .relaxed))
        #expect(ended)
        // A few portions of a megabyte more, not all million.
        #expect(batches < last + 10_000)
    }
}
