import Checksums
import PopupJournal
import Testing

private let owner = LogOwner(high: 0x0102_0304_0506_0708, low: 0x090A_0B0C_0D0E_0F10)
private let head = LogHead(
    level: 1, epoch: 0x1112_1314_1516_1718, index: 7, owner: owner, time: 1000, horizon: 4000, chain: 0xA1B2_C3D4)
private let entry = LogEntry(
    .batch, epoch: 9, index: 8, time: 1200, horizon: 4200, chain: 0xA1B2_C3D4, commands: [1, 2, 3])

private func checksum(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    let value = Array(bytes).withUnsafeBytes { CRC32C.checksum(of: $0) }
    return (0..<4).map { UInt8(truncatingIfNeeded: value >> UInt32(24 - $0 * 8)) }
}

@Suite struct SharedLogRecordTests {
    @Test func `a head is 64 bytes: letters, level, epoch, index, owner, time, horizon, chain, checksum`() {
        let fields: [UInt8] =
            [0x50, 0x42, 0x48, 0x31] + [0, 0, 0, 1] + [0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18]
            + [0, 0, 0, 0, 0, 0, 0, 7] + Array(1...16) + [0, 0, 0, 0, 0, 0, 0x03, 0xE8]
            + [0, 0, 0, 0, 0, 0, 0x0F, 0xA0] + [0xA1, 0xB2, 0xC3, 0xD4]

        #expect(head.bytes == fields + checksum(fields))
        #expect(head.bytes.count == LogHead.byteCount)
    }

    @Test func `an entry is 48 bytes and its commands, and the checksum covers both`() {
        let fields: [UInt8] =
            [0x50, 0x42, 0x45, 0x31] + [0, 0, 0, 1] + [0, 0, 0, 0, 0, 0, 0, 9] + [0, 0, 0, 0, 0, 0, 0, 8]
            + [0, 0, 0, 0, 0, 0, 0x04, 0xB0] + [0, 0, 0, 0, 0, 0, 0x10, 0x68] + [0xA1, 0xB2, 0xC3, 0xD4]

        #expect(entry.bytes == fields + checksum(fields + [1, 2, 3]) + [1, 2, 3])
    }

    @Test func `the chain is the checksum of the chain before and of the entry's checksum`() {
        let own = entry.bytes[44..<48]

        let after = entry.chainAfter

        #expect(withUnsafeBytes(of: after.bigEndian, Array.init) == checksum([0xA1, 0xB2, 0xC3, 0xD4] + own))
    }

    @Test func `what is written is read, whatever it holds`() throws {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<500 {
            let time = Int64.random(in: 0...1 << 50, using: &random)
            let someHead = LogHead(
                level: .random(in: 0 ... .max, using: &random), epoch: random.next(), index: random.next(),
                owner: LogOwner(high: random.next(), low: random.next()), time: time,
                horizon: time + .random(in: 0...5000, using: &random), chain: .random(in: 0 ... .max, using: &random))
            let count = Int.random(in: 0...300, using: &random)
            let someEntry = LogEntry(
                LogEntry.Kind.allCases.randomElement(using: &random) ?? .batch, epoch: random.next(),
                index: max(1, random.next()), time: time, horizon: someHead.horizon, chain: someHead.chain,
                commands: (0..<count).map { _ in .random(in: 0 ... .max, using: &random) })

            #expect(try LogHead(someHead.bytes) == someHead)
            #expect(try LogEntry(someEntry.bytes) == someEntry)
        }
    }

    @Test func `each damaged, missing or added byte is noticed`() {
        for position in head.bytes.indices {
            for bit in 0..<8 {
                var damaged = head.bytes
                damaged[position] ^= 1 << bit
                #expect(throws: LogRecordError.damaged) { try LogHead(damaged) }
            }
            #expect(throws: LogRecordError.damaged) { try LogHead(Array(head.bytes.prefix(position))) }
        }
        for position in entry.bytes.indices {
            for bit in 0..<8 {
                var damaged = entry.bytes
                damaged[position] ^= 1 << bit
                #expect(throws: LogRecordError.damaged) { try LogEntry(damaged) }
            }
            #expect(throws: LogRecordError.damaged) { try LogEntry(Array(entry.bytes.prefix(position))) }
        }
        #expect(throws: LogRecordError.damaged) { try LogHead(head.bytes + [0]) }
        #expect(throws: LogRecordError.damaged) { try LogEntry(entry.bytes + [0]) }
    }

    @Test(arguments: [0, 5, 0xFFFF, 0x0001_0001] as [UInt32])
    func `an entry of an unknown kind or flag is of a newer version`(kindAndFlags: UInt32) {
        var fields = Array(entry.bytes.prefix(44))
        for byte in 0..<4 { fields[4 + byte] = UInt8(truncatingIfNeeded: kindAndFlags >> UInt32(24 - byte * 8)) }

        #expect(throws: LogRecordError.newer) { try LogEntry(fields + checksum(fields)) }
    }

    @Test func `a horizon before the time is refused`() {
        var wrong = head
        wrong.horizon = wrong.time - 1
        let bytes = wrong.bytes

        #expect(throws: LogRecordError.damaged) { try LogHead(bytes) }
    }

    @Test
    func `a head, an entry and a manifest are refused if nothing can follow them: no number of the next overflows`() {
        for (epoch, index, time) in [
            (UInt64.max, UInt64(1), Int64(1)), (1, .max, 1), (1, .max - 32, 1), (1, 1, 1 << 62), (1, 1, .max),
        ] {
            let wrongHead = LogHead(
                level: 1, epoch: epoch, index: index, owner: owner, time: 0, horizon: time, chain: 0)
            let wrongEntry = LogEntry(.batch, epoch: epoch, index: index, time: 0, horizon: time, chain: 0)
            let snapshot = LogSnapshot(index: index, epoch: epoch, time: time, chain: 0, state: [1])
            let wrongManifest = SnapshotManifest(of: snapshot, by: owner, chunkBytes: 1)

            #expect(throws: LogRecordError.damaged) { try LogHead(wrongHead.bytes) }
            #expect(throws: LogRecordError.damaged) { try LogEntry(wrongEntry.bytes) }
            #expect(throws: LogRecordError.damaged) { try SnapshotManifest(wrongManifest.bytes) }
        }
    }
}

@Suite struct SnapshotManifestTests {
    private let snapshot = LogSnapshot(
        index: 9, epoch: 8, time: 1000, chain: 0xA1B2_C3D4, state: [1, 2, 3, 4, 5], rules: 0x0102_0304)

    @Test func `a manifest is 72 bytes: letters, index, epoch, time, chain, maker, size, chunks, checksum, rules`() {
        let fields: [UInt8] =
            [0x50, 0x42, 0x53, 0x31] + [0, 0, 0, 0, 0, 0, 0, 9] + [0, 0, 0, 0, 0, 0, 0, 8]
            + [0, 0, 0, 0, 0, 0, 0x03, 0xE8] + [0xA1, 0xB2, 0xC3, 0xD4] + Array(1...16)
            + [0, 0, 0, 0, 0, 0, 0, 5] + [0, 0, 0, 3] + checksum([1, 2, 3, 4, 5] as [UInt8])
            + [1, 2, 3, 4]

        #expect(SnapshotManifest(of: snapshot, by: owner, chunkBytes: 2).bytes == fields + checksum(fields))
    }

    @Test func `a manifest is read as it was written, and its snapshot is that of the same state only`() throws {
        let manifest = try SnapshotManifest(SnapshotManifest(of: snapshot, by: owner, chunkBytes: 5).bytes)

        #expect(manifest == SnapshotManifest(of: snapshot, by: owner, chunkBytes: 5))
        #expect(manifest.chunkCount == 1)
        #expect(manifest.digest == snapshot.digest)
        #expect(try manifest.snapshot(of: [1, 2, 3, 4, 5]) == snapshot)
        #expect(throws: LogRecordError.damaged) { try manifest.snapshot(of: [1, 2, 3, 4]) }
        #expect(throws: LogRecordError.damaged) { try manifest.snapshot(of: [1, 2, 3, 5, 4]) }
    }

    @Test(arguments: [(0, 1), (1, 0), (4, 5)] as [(UInt64, UInt32)])
    func `a manifest with more chunks than bytes, or with none for its bytes, is refused`(bytes: UInt64, chunks: UInt32)
    {
        var manifest = SnapshotManifest(of: snapshot, by: owner, chunkBytes: 5)
        (manifest.byteCount, manifest.chunkCount) = (bytes, chunks)

        #expect(throws: LogRecordError.damaged) { try SnapshotManifest(manifest.bytes) }
    }

    @Test func `states after the same entry contradict one another if the same rules have made them`() {
        var other = snapshot
        #expect(!snapshot.digest.contradicts(other.digest))
        other.state = [1, 2, 3, 4, 6]
        #expect(snapshot.digest.contradicts(other.digest))
        other.state = [1, 2, 3, 4]
        #expect(snapshot.digest.contradicts(other.digest))

        other.rules += 1
        #expect(!snapshot.digest.contradicts(other.digest))
        let (unknown, different) = (
            LogSnapshot(index: 9, epoch: 8, time: 1000, chain: 0, state: [1]),
            LogSnapshot(index: 9, epoch: 8, time: 1000, chain: 0, state: [2])
        )
        #expect(!unknown.digest.contradicts(different.digest))
    }

    @Test func `each version of the program has rules of its own`() {
        let numbers = ["0.2.0", "0.2.1", "0.3.0", "1.0.0", "1.0.0-rc.1"].map { SnapshotDigest.rules(ofVersion: $0) }

        #expect(Set(numbers).count == numbers.count && !numbers.contains(0))
        #expect(SnapshotDigest.rules(ofVersion: "0.2.0") == numbers[0])
    }

    @Test func `a manifest of no entry, or of a time below zero, is refused`() {
        var manifest = SnapshotManifest(of: snapshot, by: owner, chunkBytes: 5)
        manifest.index = 0
        #expect(throws: LogRecordError.damaged) { try SnapshotManifest(manifest.bytes) }
        manifest = SnapshotManifest(of: snapshot, by: owner, chunkBytes: 5)
        manifest.time = -1
        #expect(throws: LogRecordError.damaged) { try SnapshotManifest(manifest.bytes) }
    }

    @Test func `each damaged byte of a manifest is noticed`() {
        let bytes = SnapshotManifest(of: snapshot, by: owner, chunkBytes: 5).bytes
        for position in bytes.indices {
            var damaged = bytes
            damaged[position] ^= 1
            #expect(throws: LogRecordError.damaged) { try SnapshotManifest(damaged) }
        }
    }
}

@Suite struct HeadWriteTests {
    private let write = HeadWrite.append([1, 2, 3], after: head, at: 1500, horizon: 4500)

    @Test func `an append replaces index, time, horizon and chain, and nothing else`() throws {
        let appended = try #require(write.entry)
        var expected = head
        expected.index = 8
        expected.time = 1500
        expected.horizon = 4500
        expected.chain = appended.chainAfter

        #expect(write.new == expected)
        #expect(appended.chain == head.chain)
        #expect(appended.commands == [1, 2, 3])
    }

    @Test func `a take-over exceeds the epoch of the head, whatever the wall clock says`() {
        let successor = LogOwner(high: 1, low: 2)
        let behind = HeadWrite.takeOver(after: head, by: successor, epoch: 5, at: 4000, horizon: 7000)
        let later = HeadWrite.takeOver(after: head, by: successor, epoch: UInt64.max - 1, at: 4000, horizon: 7000)

        #expect(behind.new.epoch == head.epoch + 1)
        #expect(later.new.epoch == UInt64.max - 1)
        #expect(behind.new.owner == successor)
    }

    @Test func `an append never takes the horizon back, and a hand-over takes it to the time`() {
        #expect(HeadWrite.append([], after: head, at: 1001, horizon: 1002).new.horizon == head.horizon)
        let handOver = HeadWrite.handOver(after: head, at: 1700).new
        #expect(handOver.time == 1700 && handOver.horizon == 1700)
    }

    @Test func `a refusal with the own head means that an earlier attempt is in`() {
        #expect(write.outcome(of: .succeeded) == .committed)
        #expect(write.outcome(of: .refused(write.new)) == .committed)
    }

    @Test func `a refusal with another head is for good`() {
        let other = HeadWrite.append([9], after: head, at: 1500, horizon: 4500).new

        #expect(write.outcome(of: .refused(other)) == .overtaken(by: other))
    }

    @Test func `a refusal with the head that was expected says nothing: a copy may still be carried out`() {
        #expect(write.outcome(of: .refused(head)) == .unknown)
    }

    @Test func `what the older of the two newest snapshots needs is kept`() {
        #expect(LogDropPlan(snapshots: []) == nil)
        #expect(LogDropPlan(snapshots: [5]) == nil)
        let plan = LogDropPlan(snapshots: [30, 10, 20, 40])
        #expect(plan?.lastEntry == 30)
        #expect(plan?.kept == [30, 40])
        #expect(plan?.snapshots == [10, 20])
    }
}
