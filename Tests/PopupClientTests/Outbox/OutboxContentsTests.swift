import PopupProtocol
import Testing

@testable import PopupClient

@Suite("What an outbox file says")
struct OutboxContentsTests {
    private static let name = ProducerName(high: 0x0102_0304_0506_0708, low: 9)
    private static let other = ProducerName(high: 7, low: 7)

    /// A file as it grows, with what has to be read from it after each step.
    private struct Growth {
        var bytes: [UInt8]
        var steps: [(end: Int, contents: OutboxContents)] = []

        init() {
            var contents = OutboxContents(producer: OutboxContentsTests.name)
            bytes = contents.file
            steps = [(bytes.count, contents)]
            append(contents.add([[1, 2, 3]]), contents)
            append(contents.add([[4], []]), contents)
            append(contents.settle([2]), contents)
            append(contents.add([Array(repeating: 0, count: 300)]), contents)
            append(contents.settle([1, 3]), contents)
            append(contents.add([[5, 6]]), contents)
        }

        private mutating func append(_ more: [UInt8], _ contents: OutboxContents) {
            bytes += more
            steps.append((bytes.count, contents))
        }
    }

    private func read(_ bytes: [UInt8]) -> OutboxContents.Reading? {
        OutboxContents.read(bytes, newName: Self.other)
    }

    @Test("is read back as it was written, and in fewer bytes when it is written anew")
    func whole() throws {
        let growth = Growth()
        for step in growth.steps {
            #expect(read(Array(growth.bytes[..<step.end])) == OutboxContents.Reading(contents: step.contents))
        }
        let last = try #require(growth.steps.last?.contents)
        #expect(last.commands.map(\.sequence) == [4, 5])
        #expect(last.next == 6)
        #expect(last.file.count < growth.bytes.count)
        #expect(read(last.file) == OutboxContents.Reading(contents: last))
    }

    @Test("holds, cut off at any byte, all that was written before it, and nothing else")
    func truncated() throws {
        let growth = Growth()
        for end in 0..<growth.bytes.count {
            let reading = try #require(read(Array(growth.bytes[..<end])))
            guard let before = growth.steps.last(where: { $0.end <= end }) else {
                #expect(reading.contents == OutboxContents(producer: Self.other))
                continue
            }
            // A record of several commands may be there in part: they have not been told to be safe, nor sent.
            let after = growth.steps.first { $0.end > end }?.contents ?? before.contents
            #expect(!reading.isDamaged)
            #expect(reading.contents.producer == Self.name)
            let sequences = Set(reading.contents.commands.map(\.sequence))
            #expect(
                sequences.isSuperset(
                    of: Set(before.contents.commands.map(\.sequence)).intersection(after.commands.map(\.sequence))))
            #expect(
                sequences.isSubset(
                    of: Set(before.contents.commands.map(\.sequence)).union(after.commands.map(\.sequence))))
            #expect(reading.contents.next >= before.contents.next)
        }
    }

    @Test("loses no more than the record in which a bit was flipped, and invents nothing")
    func flipped() throws {
        var contents = OutboxContents(producer: Self.name)
        var bytes = contents.file
        let bodies: [[UInt8]] = [[1, 2, 3], [4, 5], [6]]
        for body in bodies { bytes += contents.add([body]) }
        for bit in 0..<bytes.count * 8 {
            var flipped = bytes
            flipped[bit / 8] ^= 1 << (bit % 8)
            guard let reading = read(flipped) else {
                // It is no outbox any more: refused, not overwritten.
                #expect(bit / 8 < OutboxRecord.signature.count)
                continue
            }
            let read = reading.contents.commands.map(\.body)
            #expect(reading.lostBytes > 0)
            #expect(read.allSatisfy { bodies.contains($0) })
            #expect(read.count >= bodies.count - 1)
            // What comes under numbers that may have been used goes under another name; only the very end of a file may
            // be what has never been written.
            #expect(reading.isDamaged || read == Array(bodies.dropLast()))
            if reading.isDamaged {
                #expect(reading.contents.producer == Self.other)
                #expect(reading.contents.commands.map(\.sequence) == Array(1...UInt64(read.count)))
            }
        }
    }

    @Test("is not disturbed by zeros that a file system left at the end")
    func zeros() {
        let growth = Growth()
        let reading = read(growth.bytes + [UInt8](repeating: 0, count: 100))
        #expect(reading?.contents == growth.steps.last?.contents)
        #expect(reading?.lostBytes == 100)
        #expect(reading?.isDamaged == false)
    }

    @Test("is numbered anew under another name")
    func startingOver() {
        var contents = Growth().steps[5].contents
        contents.startOver(as: Self.other)
        #expect(contents.producer == Self.other)
        #expect(contents.commands.map(\.sequence) == [1])
        #expect(contents.next == 2)
        #expect(read(contents.file)?.contents == contents)
    }

    @Test("goes on from no sequence that leaves no room for others: such a record is damaged")
    func largestSequences() throws {
        for sequence in [OutboxRecord.maxSequence + 1, .max - 1, .max] {
            let records: [OutboxRecord] = [
                .numbering(Self.name, next: sequence), .command(Self.name, sequence: sequence, body: [1]),
            ]
            for record in records {
                var bytes = OutboxRecord.signature
                record.append(to: &bytes)
                let reading = try #require(read(bytes))
                #expect(reading.isDamaged)
                var contents = reading.contents
                _ = contents.add([[2]])
                #expect(contents.commands.map(\.sequence) == [1])
            }
        }
        var bytes = OutboxRecord.signature
        OutboxRecord.numbering(Self.name, next: OutboxRecord.maxSequence).append(to: &bytes)
        #expect(try #require(read(bytes)).contents.next == OutboxRecord.maxSequence)
    }

    @Test("a command under the last sequence is damaged: none could follow it, and the file could not be written again")
    func lastSequence() throws {
        var bytes = OutboxRecord.signature
        OutboxRecord.command(Self.name, sequence: OutboxRecord.maxSequence, body: [1]).append(to: &bytes)
        #expect(try #require(read(bytes)).isDamaged)
    }

    @Test("counts the bytes of a command that comes twice once")
    func twice() throws {
        var bytes = OutboxRecord.signature
        OutboxRecord.command(Self.name, sequence: 1, body: [1]).append(to: &bytes)
        OutboxRecord.command(Self.name, sequence: 1, body: [1, 2, 3]).append(to: &bytes)
        let contents = try #require(read(bytes)).contents
        #expect(read(contents.file)?.contents == contents)
        #expect(contents.openBytes == 3 + OutboxRecord.commandOverhead)
    }
}
