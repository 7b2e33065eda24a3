import Foundation
import PopupClient
import PopupProtocol
import TestPrograms
import Testing

@Suite("The data directory", .timeLimit(.minutes(5)))
struct JournalTests {
    private let folder = TemporaryDirectory()

    /// Starts a broker on the folder, asks it for popups and kills it.
    private func fill(_ count: Int) async throws {
        let broker = try await RunningBroker("--data-dir", folder.path, environment: [:])
        let admin = try AdminClient(broker.endpoints, limits: .patient)
        for number in 1...count {
            try await admin.show(Popup(id: "p\(number)", group: "lobby", text: "Number \(number)"))
        }
        #expect(try await admin.count() == count)
        await admin.close()
        broker.signal(SIGKILL)
        _ = await broker.exitStatus()
    }

    @Test("What was accepted is there after a kill, in a greater epoch")
    func survives() async throws {
        try await fill(3)
        let broker = try await RunningBroker("--data-dir", folder.path, environment: [:])
        let admin = try AdminClient(broker.endpoints, limits: .patient)
        #expect(try await admin.list().popups.map(\.id) == ["p1", "p2", "p3"])
        // A repetition changes nothing.
        try await admin.show(Popup(id: "p2", group: "lobby", text: ""))
        #expect(try await admin.count() == 3)
        await admin.close()
    }

    @Test("A second broker says who has it and what to do, exit 75")
    func second() async throws {
        let first = try await RunningBroker("--data-dir", folder.path, environment: [:])
        let second = try await Program.run(
            "run", "--ingress", "tcp://127.0.0.1:*", "--egress", "tcp://127.0.0.1:*", "--data-dir", folder.path)
        #expect(second.status == 75)
        #expect(second.output == [])
        #expect(
            second.errors == [
                "popup-broker: the data directory \(folder.path) is in use by process \(first.processID); stop that broker, "
                    + "or name another directory"
            ])
    }

    @Test("Without --data-dir it is the ingress endpoint's, in the user's state directory")
    func standard() async throws {
        let state = folder.path
        let broker = try await RunningBroker(
            ingress: "ipc://\(folder.path)/in.sock", arguments: [], environment: ["XDG_STATE_HOME": state])
        broker.signal(SIGTERM)
        _ = await broker.exitStatus()
        let name = "\(folder.path)/in.sock".dropFirst().map { $0.isLetter || $0.isNumber || $0 == "." ? $0 : "-" }
        let info = try await Program.run("journal", "info", "\(state)/popup-broker/\(String(name))")
        #expect(info.status == 0)
        #expect(info.output[2] == "in use    no")
    }

    @Test(
        "On a free port without --data-dir, and with --durability memory, nothing is kept", arguments: [nil, "memory"])
    func memory(durability: String?) async throws {
        let state = folder.path
        let broker = try await RunningBroker(
            ingress: durability == nil ? "tcp://127.0.0.1:*" : "ipc://\(state)/in.sock",
            arguments: durability.map { ["--durability", $0] } ?? [], environment: ["XDG_STATE_HOME": state])
        if durability == nil { try await broker.logged("a broker on a free port has no data directory of its own") }
        #expect(try FileManager.default.contentsOfDirectory(atPath: state).filter { $0 != "in.sock" } == [])
    }

    @Test("info, verify, export and backup work beside a running broker; compact says that it doesn't")
    func beside() async throws {
        let broker = try await RunningBroker("--data-dir", folder.path, environment: [:])
        let admin = try AdminClient(broker.endpoints, limits: .patient)
        try await admin.show(Popup(id: "A", group: "lobby", priority: 3, text: "Hello\u{202E}"))
        try await admin.dismiss("A", action: "ok")
        #expect(try await admin.count() == 0)
        await admin.close()

        let info = try await Program.run("journal", "info", folder.path, "--json")
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(info.output[0].utf8)) as? [String: Any])
        #expect(object["process"] as? Int == Int(broker.processID))
        #expect(object["lastSequence"] as? Int == 3)

        #expect(try await Program.run("journal", "verify", folder.path).output == ["no damage found"])

        let export = try await Program.run("journal", "export", folder.path)
        #expect(export.errors == [])
        #expect(export.output.map { $0.replacing(/"at":\d+,/, with: "") }.count == 2)
        // Nothing that a terminal would obey.
        #expect(export.output[0].contains(#""text":"Hello\u202e""#))
        #expect(export.output[1].hasSuffix(#""dismiss":{"id":"A","action":"ok"}}"#))
        let recording = try TemporaryFile(export.output.joined(separator: "\n") + "\n", name: "lobby.jsonl")
        let simulated = try await Program.run("simulate", recording.path)
        #expect(simulated.output.count == 2)

        let copy = TemporaryDirectory()
        let backup = try await Program.run("journal", "backup", folder.path, "--to", copy.path)
        #expect(backup.status == 0 && backup.output == ["copied to \(copy.path), no damage found"])
        #expect(try await Program.run("journal", "verify", copy.path).status == 0)

        let compact = try await Program.run("journal", "compact", folder.path)
        #expect(compact.status == 75)
    }

    @Test("A backup can be started from")
    func restore() async throws {
        try await fill(2)
        let copy = TemporaryDirectory()
        #expect(try await Program.run("journal", "backup", folder.path, "--to", copy.path).status == 0)
        let broker = try await RunningBroker("--data-dir", copy.path, environment: [:])
        let admin = try AdminClient(broker.endpoints, limits: .patient)
        #expect(try await admin.list().popups.map(\.id) == ["p1", "p2"])
        await admin.close()
    }

    @Test("compact leaves snapshots in the place of commands, and a broker goes on from them")
    func compact() async throws {
        try await fill(50)
        #expect(try await Program.run("journal", "compact", folder.path).status == 0)
        let export = try await Program.run("journal", "export", folder.path)
        #expect(export.output == [])
        #expect(try await Program.run("journal", "verify", folder.path).status == 0)
        let broker = try await RunningBroker("--data-dir", folder.path, environment: [:])
        let admin = try AdminClient(broker.endpoints, limits: .patient)
        #expect(try await admin.count() == 50)
        await admin.close()
    }

    @Test("A flipped bit is told by verify and at the start, and what is whole is recovered")
    func damaged() async throws {
        try await fill(20)
        let segment = try #require(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).first { $0.hasSuffix(".sqlite-wal") })
        let url = URL(filePath: folder.path).appending(path: segment)
        var bytes = try Data(contentsOf: url)
        // Each page that holds it was written with each of its changes.
        var places = 0
        while let place = bytes.range(of: Data("Number 13".utf8)) {
            bytes[place.lowerBound] ^= 1
            places += 1
        }
        #expect(places > 0)
        try bytes.write(to: url)

        let verify = try await Program.run("journal", "verify", folder.path)
        #expect(verify.status == 65)
        #expect(!verify.output.isEmpty)
        let broker = try await RunningBroker("--data-dir", folder.path, environment: [:])
        try await broker.logged("the journal is not as it was written")
        let admin = try AdminClient(broker.endpoints, limits: .patient)
        let ids = try await admin.list().popups.map(\.id)
        #expect(ids.count < 20 && ids == (1...20).map { "p\($0)" }.filter(ids.contains))
        #expect(!ids.contains("p13"))
        #expect(try await admin.statistics().journalFindings > 0)
        await admin.close()
        #expect(try await Program.run("journal", "verify", folder.path).status == 0)
    }

    @Test("No journal: one sentence with what to do, exit 66", arguments: ["info", "verify", "export", "compact"])
    func none(command: String) async throws {
        let result = try await Program.run("journal", command, "\(folder.path)/nothing")
        #expect(result.status == 66)
        #expect(
            result.errors == [
                "popup-broker: \(folder.path)/nothing contains no journal; name the data directory of a broker"
            ])
    }

    @Test("Another program's directory is left alone, also one with a file called `lock`: exit 65")
    func foreign() async throws {
        for name in ["lock", "other.db"] {
            try "another's".write(toFile: "\(folder.path)/\(name)", atomically: true, encoding: .utf8)
        }
        let result = try await Program.run(
            "run", "--ingress", "tcp://127.0.0.1:*", "--egress", "tcp://127.0.0.1:*", "--data-dir", folder.path)
        #expect(result.status == 65)
        #expect(
            result.errors == [
                "popup-broker: \(folder.path) is not a data directory: it contains other.db and no journal; name an empty or a "
                    + "new directory"
            ])
        #expect(try String(contentsOfFile: "\(folder.path)/lock", encoding: .utf8) == "another's")
    }

    @Test("The directory is an argument of the `journal` commands, or --data-dir, but not both")
    func forms() async throws {
        try await fill(1)
        let named = try await Program.run("journal", "info", folder.path)
        #expect(named.status == 0 && named.output[0] == "directory \(folder.path)")
        #expect(try await Program.run("journal", "info", "--data-dir", folder.path).output == named.output)
        #expect(try await Program.run("journal", "info", folder.path, "--data-dir", folder.path).status == 64)
    }

    @Test("An empty name is not a directory: exit 64")
    func unnamed() async throws {
        #expect(try await Program.run("run", "--data-dir", "").status == 64)
    }

    @Test("A directory that cannot be created: one sentence with what to do")
    func notMakeable() async throws {
        let file = try TemporaryFile("")
        let result = try await Program.run(
            "run", "--ingress", "tcp://127.0.0.1:*", "--egress", "tcp://127.0.0.1:*", "--data-dir", "\(file.path)/data")
        #expect(result.status == 74)
        #expect(result.errors.count == 1 && result.errors[0].hasPrefix("popup-broker: cannot "))
    }

    @Test("A full disk: commands are refused OVERLOAD, and taken again when there is room")
    func full() async throws {
        let broker = try await RunningBroker("--data-dir", folder.path, environment: [:])
        var patience = ClientLimits()
        patience.sendTimeout = .seconds(6)
        let admin = try AdminClient(broker.endpoints, limits: patience)
        try await admin.connected(timeout: .seconds(60))
        try await admin.show(Popup(id: "before", group: "lobby", text: "There is room"))

        // Files that may not grow, nor others be begun, stand for the disk.
        try await limitFiles(of: broker, to: "4096")
        let error = await #expect(throws: ClientError.self) {
            try await admin.show(Popup(id: "meanwhile", group: "lobby", text: "There is none"))
        }
        // On a slow machine it may not be known yet: then it is committed when there is room.
        let isRefused =
            switch error {
            case .refused(let refusal): refusal.reason == .overload
            case .acknowledgementTimedOut: false
            default: try #require(nil as Bool?, "\(String(describing: error))")
            }
        try await broker.logged("the journal could not commit")
        #expect(try await admin.list().popups.map(\.id) == ["before"])

        try await limitFiles(of: broker, to: "unlimited")
        try await admin.show(Popup(id: "after", group: "lobby", text: "There is again"))
        try await admin.connection.flush()
        let kept = try await admin.list().popups.map(\.id)
        #expect(kept.filter { $0 != "meanwhile" } == ["before", "after"])
        #expect(!isRefused || !kept.contains("meanwhile"))
        await admin.close()
        broker.signal(SIGKILL)
        _ = await broker.exitStatus()

        let second = try await RunningBroker("--data-dir", folder.path, environment: [:])
        let other = try AdminClient(second.endpoints, limits: .patient)
        #expect(try await other.list().popups.map(\.id) == kept)
        await other.close()
    }
}

/// prlimit(1): the largest file that a process may write, in bytes.
private func limitFiles(of broker: RunningBroker, to bytes: String) async throws {
    let program = try RunningProgram(
        URL(filePath: "/usr/bin/prlimit"), ["--pid", "\(broker.processID)", "--fsize=\(bytes):unlimited"],
        environment: [:])
    #expect(await program.exitCode() == 0)
}

/// A path of its own, and what is made there goes with it.
final class TemporaryDirectory: Sendable {
    let path: String

    init() {
        path = FileManager.default.temporaryDirectory.appending(path: "popups-\(UUID().uuidString)").path
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}
