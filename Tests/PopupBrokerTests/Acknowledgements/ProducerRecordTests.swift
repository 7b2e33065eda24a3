@testable import PopupBroker
import PopupProtocol
import PopupScheduling
@testable import PopupState
import SwiftProtobuf
import Testing
import TestSupport

@Suite("What is known of a producer")
struct ProducerRecordTests {
    private static let producer = ProducerName(high: 1, low: 2)

    /// The same, the simplest way.
    private struct Model {
        var digests: [UInt64: UInt64] = [:]
        var refused: [UInt64: String] = [:]

        var cumulative: UInt64 {
            var next: UInt64 = 0
            while next < .max, digests[next + 1] != nil { next += 1 }
            return next
        }

        var highest: UInt64 { digests.keys.max() ?? 0 }

        func isRecent(_ sequence: UInt64) -> Bool { highest - sequence < 256 }

        /// What an acknowledgement says.
        var ack: WireAck {
            .with { ack in
                let cumulative = cumulative
                ack.cumulative = cumulative
                let above = digests.keys.filter { $0 > cumulative }
                var bits = [UInt8](repeating: 0, count: above.isEmpty ? 0 : 32)
                for sequence in above where sequence - cumulative - 2 < 256 {
                    let bit = Int(sequence - cumulative - 2)
                    bits[bit / 8] |= 1 << UInt8(bit % 8)
                }
                ack.selective.append(contentsOf: bits)
                let recent = refused.filter { cumulative < 256 || $0.key > cumulative - 256 }.sorted { $0.key < $1.key }
                ack.refusals = recent.enumerated().map { index, refused in
                    .with {
                        $0.sequence = refused.key
                        $0.reason = .invalid
                        $0.detail = index + 32 < recent.count ? "" : refused.value
                    }
                }
            }
        }

        mutating func settle(_ sequence: UInt64, _ digest: UInt64, _ detail: String?) {
            guard digests[sequence] == nil else { return }
            digests[sequence] = digest
            refused[sequence] = detail
        }
    }

    private func ack(_ record: ProducerRecord) throws -> WireAck {
        var bytes: [UInt8] = []
        record.appendAck(to: &bytes)
        return try WireAck(serializedBytes: bytes)
    }

    private func bytes(_ record: ProducerRecord) -> [UInt8] {
        var bytes: [UInt8] = []
        record.append(to: &bytes)
        return bytes
    }

    @Test("is the same for every order of six sequences, with repetitions")
    func everyOrder() throws {
        var word = [Int](repeating: 0, count: 6)
        var words = 0
        while true {
            var record = ProducerRecord(Self.producer, at: 0)
            var settled: Set<UInt64> = []
            for letter in word {
                let sequence = UInt64(letter + 1)
                #expect(record.isSettled(sequence) == settled.contains(sequence))
                guard settled.insert(sequence).inserted else { continue }
                #expect(
                    record.adjoins(sequence)
                        == (sequence == 1 || settled.contains { $0 + 1 == sequence || $0 - 1 == sequence }))
                record.settle(sequence, digest: sequence * 7, refusal: nil)
            }
            let cumulative = UInt64((1...7).first { !settled.contains($0) } ?? 7) - 1
            let ack = try ack(record)
            #expect(ack.cumulative == cumulative)
            #expect(Set(ack.acknowledgedAbove) == settled.filter { $0 > cumulative })
            for sequence in UInt64(1)...7 {
                #expect(record.isSettled(sequence) == settled.contains(sequence))
                if settled.contains(sequence) { #expect(record.digest(of: sequence) == sequence * 7) }
            }
            words += 1
            guard let place = word.lastIndex(where: { $0 < 5 }) else { break }
            word[place] += 1
            for index in place + 1..<6 { word[index] = 0 }
        }
        #expect(words == 46_656)
    }

    @Test("is what the simplest model says, for sequences near and far", arguments: 1...40)
    func random(seed: UInt64) throws {
        var dice = SplitMix64(seed: seed)
        var record = ProducerRecord(Self.producer, at: 0)
        var model = Model()
        // The first half of the runs ends at the largest number.
        let top: UInt64 = seed <= 20 ? .max : 3000
        for step in 0..<400 {
            let sequence: UInt64 =
                switch Int.random(in: 0..<10, using: &dice) {
                case 0...3: max(1, model.highest < top ? model.highest + 1 : top)
                case 4...6: UInt64.random(in: 1...40, using: &dice)
                case 7:
                    UInt64.random(
                        in: (model.highest > 300 ? model.highest - 300 : 1)...max(1, model.highest), using: &dice)
                case 8 where step > 200: top - UInt64.random(in: 0..<300, using: &dice)
                default: model.cumulative + UInt64.random(in: 1...4, using: &dice)
                }
            #expect(record.isSettled(sequence) == (model.digests[sequence] != nil))
            guard model.digests[sequence] == nil else { continue }
            let digest = UInt64.random(in: 0 ... .max, using: &dice)
            let detail = Int.random(in: 0..<3, using: &dice) == 0 ? "step \(step)" : nil
            record.settle(sequence, digest: digest, refusal: detail.map { SettledRefusal(.invalid, $0) })
            model.settle(sequence, digest, detail)
            #expect(record.outcomeBytes == record.countedOutcomeBytes)
        }
        #expect(try ack(record) == model.ack)
        #expect(record.highest == model.highest)
        for (sequence, digest) in model.digests {
            #expect(record.isSettled(sequence))
            #expect(record.digest(of: sequence) == (model.isRecent(sequence) ? digest : nil))
        }
        let restored = try ProducerRecord(bytes: bytes(record)[...])
        #expect(bytes(restored) == bytes(record))
        #expect(try ack(restored) == model.ack)
    }

    @Test("stays small for a producer of one command, wherever that begins", arguments: [1, 256, 1000, UInt64.max])
    func small(sequence: UInt64) throws {
        var record = ProducerRecord(Self.producer, at: 1_700_000_000_000)
        record.settle(sequence, digest: 5, refusal: nil)
        #expect(record.digest(of: sequence) == 5)
        #expect(bytes(record).count <= 16 + 6 + 10 + 1 + 11 + 8 + 1)
        #expect(try ProducerRecord(bytes: bytes(record)[...]).isSettled(sequence))
    }

    @Test("keeps the details of the last 32 refusals, and shortens long ones to whole characters")
    func details() {
        var record = ProducerRecord(Self.producer, at: 0)
        for sequence in UInt64(1)...40 {
            record.settle(sequence, digest: 0, refusal: SettledRefusal(.invalid, String(repeating: "é", count: 150)))
        }
        #expect(record.refusals.map(\.sequence) == Array(1...40))
        #expect(
            record.refusals.map(\.refusal.detail.utf8.count) == [Int](repeating: 0, count: 8)
                + [Int](repeating: 200, count: 32))
        #expect(SettledRefusal.shortened("a" + String(repeating: "é", count: 150)).utf8.count == 199)
    }

    @Test("is never read from bytes that are damaged, and never invented")
    func damaged() throws {
        var record = ProducerRecord(Self.producer, at: 77)
        for sequence: UInt64 in [1, 2, 5, 6, 9, 400] {
            record.settle(sequence, digest: sequence, refusal: sequence == 9 ? SettledRefusal(.notFound, "no") : nil)
        }
        record.settle(399, digest: 3, refusal: SettledRefusal(.invalid, "é"))
        let whole = bytes(record)
        for count in 0..<whole.count {
            #expect(throws: JournalContentError.self) { try ProducerRecord(bytes: whole[..<count]) }
        }
        #expect(throws: JournalContentError.self) { try ProducerRecord(bytes: (whole + [0])[...]) }
        for index in whole.indices {
            for bit in UInt8(0)..<8 {
                var damaged = whole
                damaged[index] ^= 1 << bit
                if let read = try? ProducerRecord(bytes: damaged[...]) {
                    #expect(read.ranges.first.map { $0.lowerBound > read.cumulative + 1 } ?? true)
                }
            }
        }
    }
}

extension ProducerRecord {
    /// Settles a sequence where there is room for all that it needs.
    fileprivate mutating func settle(_ sequence: UInt64, digest: UInt64, refusal: SettledRefusal?) {
        var memory = OutcomeMemory(ProducerSessions.Bounds())
        settle(sequence, digest: digest, refusal: refusal, in: &memory)
    }
}
