import Foundation
import Testing

/// The fuzzers' corpora through the same entry points, without a fuzzer: an input that once broke something never does again.
@Suite("Corpora of the fuzzers")
struct CorpusTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Corpus")

    @Test("hold what must hold whatever comes", arguments: FuzzTarget.allCases)
    func replay(_ target: FuzzTarget) throws {
        let folder = Self.folder.appending(path: target.rawValue)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(!names.isEmpty, "\(folder.path) holds no input; write the seeds: Scripts/fuzz-seeds.py")
        var accepted: [String] = []
        for name in names {
            let input = try Data(contentsOf: folder.appending(path: name))
            #expect(throws: Never.self, "\(target.rawValue)/\(name)") {
                if try target.run(Array(input)) { accepted.append(name) }
            }
        }
        // A fuzzer that begins with refusals alone hardly gets behind them.
        #expect(
            accepted.contains { $0.hasPrefix("seed-") },
            "no seed of \(folder.path) is accepted; write them: make fuzz-seeds")
    }

    @Test("belong to a target each, and to nothing else")
    func folders() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).sorted()
        #expect(names == FuzzTarget.allCases.map(\.rawValue).sorted())
    }
}
