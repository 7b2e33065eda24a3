import Foundation
import PopupJournal
import SQLiteJournal
import Testing
import TestSupport

/// Bits are flipped and files cut off anywhere. Nothing is ever replayed that was not written, and no loss is passed
/// over.
///
/// `JOURNAL_DAMAGES` sets how many offsets are tried in each file; more than a few belong in a long run.
@Suite("A damaged journal")
struct AnyDamageTests {
    private let temporary: TemporaryDirectory
    private let written: WrittenJournal
    private let offsets: Int

    init() throws {
        temporary = try TemporaryDirectory()
        written = try WrittenJournal(temporary)
        offsets = ProcessInfo.processInfo.environment["JOURNAL_DAMAGES"].flatMap { Int($0) } ?? 4
    }

    private func tryDamages(
        of image: DataDirectory, seed: UInt64, _ damage: (inout Data, Int, inout SplitMix64) -> String
    ) throws {
        var random = SplitMix64(seed: seed)
        for name in image.contents {
            let size = try Data(contentsOf: image.file(name)).count
            let parts = min(offsets, size)
            for part in 0..<parts {
                // Evenly over the file, somewhere in each part.
                let offset = Int.random(in: part * size / parts..<(part + 1) * size / parts, using: &random)
                try tryOne(image, name) { data in damage(&data, offset, &random) }
            }
        }
    }

    private func tryOne(_ image: DataDirectory, _ name: String, _ damage: (inout Data) -> String) throws {
        let copy = try temporary.crashImage(of: image, "damaged")
        defer { try? FileManager.default.removeItem(atPath: copy.path) }
        var data = try Data(contentsOf: copy.file(name))
        let what = damage(&data)
        try data.write(to: copy.file(name))
        try WrittenJournal.check(copy, "\(name) \(what)")
    }

    @Test("opens as it was written when nothing is damaged")
    func undamaged() throws {
        for image in [written.killed, written.closed] {
            let journal = SQLiteJournal(image)
            #expect(try journal.open() == JournalOpening(epoch: 1001, lastSequence: UInt64(WrittenJournal.last)))
            #expect(line(try journal.newestSnapshot()) == "20@20 state of twenty")
            #expect(image.quarantine == [])
            try journal.close()
            try WrittenJournal.check(image, "undamaged")
        }
    }

    @Test("survives a flipped bit anywhere", arguments: [false, true])
    func flipped(_ isClosed: Bool) throws {
        try tryDamages(of: isClosed ? written.closed : written.killed, seed: 1) { data, offset, random in
            let bit = UInt8.random(in: 0..<8, using: &random)
            data[offset] ^= 1 << bit
            return "bit \(bit) of byte \(offset)"
        }
    }

    @Test("survives zeros over a part of a file anywhere", arguments: [false, true])
    func zeros(_ isClosed: Bool) throws {
        try tryDamages(of: isClosed ? written.closed : written.killed, seed: 2) { data, offset, random in
            let count = min(Int.random(in: 1...6000, using: &random), data.count - offset)
            data.replaceSubrange(offset..<offset + count, with: Data(count: count))
            return "\(count) zeros at \(offset)"
        }
    }

    @Test("survives being cut off anywhere", arguments: [false, true])
    func cut(_ isClosed: Bool) throws {
        try tryDamages(of: isClosed ? written.closed : written.killed, seed: 3) { data, offset, _ in
            data = data.prefix(offset)
            return "cut to \(offset) bytes"
        }
    }

    @Test("survives the loss of any file", arguments: [false, true])
    func lost(_ isClosed: Bool) throws {
        let image = isClosed ? written.closed : written.killed
        for name in image.contents {
            let copy = try temporary.crashImage(of: image, "damaged")
            try FileManager.default.removeItem(at: copy.file(name))
            try WrittenJournal.check(copy, "without \(name)")
            try FileManager.default.removeItem(atPath: copy.path)
        }
    }
}
