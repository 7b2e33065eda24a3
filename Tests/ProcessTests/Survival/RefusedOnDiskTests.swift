import Foundation
import PopupProtocol
import TestPrograms
import Testing

/// What refused commands leave in the data directory.
@Suite("Refused commands", .ownThread)
struct RefusedOnDiskTests {
    private static let segmentBytes = 512 << 10
    private let stage: Stage

    init() throws {
        stage = try Stage(
            durability: "normal", policies: "  - {group: lobby}\n",
            settings: ["journal.segmentBytes=\(Self.segmentBytes)", "limits.refusalLogLines=0"])
        try stage.startBroker()
    }

    /// In bytes: all files of the data directory.
    private func size() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: stage.data).reduce(0) { sum, name in
            // A file that goes meanwhile counts no more.
            let attributes = try? FileManager.default.attributesOfItem(atPath: "\(stage.data)/\(name)")
            return sum + (attributes?[.size] as? Int ?? 0)
        }
    }

    private func batches() throws -> String {
        let info = try ChildProcess(Programs.broker, ["journal", "info", stage.data]).result().output
        return info.split(separator: "\n").first { $0.hasPrefix("batches ") }.map(String.init) ?? ""
    }

    @Test("that are numbered go from the disk as others do: six segments and two snapshots is the most")
    func numbered() throws {
        let wire = try stage.wire()
        let producer = String(repeating: "a", count: 32)
        let digits = String(repeating: "1", count: 200)
        var (sequence, most) = (0, 0)
        // Each step is more than a segment, in rows of some 170 bytes: a snapshot is due in each. It is waited for: it
        // gives way to all else, so a busy machine may make it late.
        for step in 1...8 {
            for _ in 1...20 {
                let commands = (0..<200).map { _ in
                    sequence += 1
                    return
                        #"{"producer":"\#(producer)","sequence":"\#(sequence)","show":{"id":"R","group":"g","durationMs":-\#(digits)}}"#
                }
                try wire.send(#"{"commands":[\#(commands.joined(separator: ","))]}"#)
            }
            try wire.settle()
            most = max(most, try size())
            try stage.brokerLogs("snapshot made", times: step)
        }
        #expect(try wire.ask(#""stats":{}"#).stats.refused == UInt64(sequence))
        #expect(most <= 6 * Self.segmentBytes + 2 * 65_536, "\(most) bytes")
        #expect(most > Self.segmentBytes)
        #expect(!FileManager.default.fileExists(atPath: stage.data + "/journal-00000000000000000001.sqlite"))
    }

    @Test("that have no number leave nothing")
    func unnumbered() throws {
        let wire = try stage.wire()
        try wire.settle()
        try wire.settle()
        let before = try batches()
        #expect(!before.isEmpty)
        for number in 0..<500 { try wire.send(show("R\(number)", in: "g", #""durationMs":-1"#)) }
        while try wire.ask(#""stats":{}"#).stats.refused < 500 {}
        #expect(try batches() == before)
    }
}
