import Foundation
import PopupProtocol
import Testing
import TestPrograms

@Suite("A data directory that may not be written to", .ownThread)
struct ReadOnlyTests {
    /// What permissions forbid its owner the broker can't do, be it root's.
    private let bound =
        geteuid() == 0 ? ["/usr/bin/setpriv", "--bounding-set=-dac_override,-dac_read_search"] : []

    private func setMode(_ mode: Int, of path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    @Test("keeps a broker from starting: one sentence, exit code 77, and nothing is changed")
    func start() throws {
        let stage = try Stage(policies: "  - {group: lobby}\n", launcher: bound)
        try stage.startBroker()
        try stage.wire().send(show("A", in: "lobby"))
        #expect(try stage.lobby() == ["A"])
        try stage.killBroker()
        let files = try stage.files { _ in true }.map(\.path)

        // Its files may not be written, or nothing in it be seen.
        for (mode, fileMode) in [(0o500, 0o400), (0o000, 0o600)] {
            for file in files { try setMode(fileMode, of: file) }
            try setMode(mode, of: stage.data)
            defer {
                try? setMode(0o700, of: stage.data)
                for file in files { try? setMode(0o600, of: file) }
            }
            try stage.launchBroker()
            let result = try stage.brokerResult()
            #expect(result.exit == .code(77))
            let sentences = result.lines + result.error.split(separator: "\n").map(String.init)
            #expect(sentences.count == 1 && sentences[0].hasPrefix("popup-broker: "), "\(sentences)")
            #expect(sentences.first?.contains(stage.data) == true, "\(sentences)")
        }
        #expect(try stage.files { _ in true }.map(\.path) == files)
        try stage.startBroker()
        #expect(try stage.lobby() == ["A"])
    }

    @Test("any more, while a broker has it, loses nothing: it goes on in the files that it has, and restarts from them")
    func whileRunning() throws {
        let stage = try Stage(
            policies: "  - {group: lobby}\n", settings: ["journal.segmentBytes=65536"], launcher: bound)
        try stage.startBroker()
        let wire = try stage.wire()
        try wire.send(show("p0", in: "lobby"))
        try wire.settle()
        try setMode(0o500, of: stage.data)
        defer { try? setMode(0o700, of: stage.data) }
        let text = String(repeating: "x", count: 8000)
        let ids = (1...40).map { "p\($0)" }
        for id in ids {
            try wire.send(show(id, in: "lobby", #""text":"\#(text)""#))
            try wire.settle()
        }
        #expect(try stage.lobby() == ["p0"] + ids)
        try setMode(0o700, of: stage.data)
        try wire.send(show("later", in: "lobby"))
        try wire.settle()
        #expect(try stage.lobby() == ["p0"] + ids + ["later"])
        try stage.killBroker()
        #expect(try stage.verify().exit == .code(0))
        try stage.startBroker()
        #expect(try stage.lobby() == ["p0"] + ids + ["later"])
    }
}
