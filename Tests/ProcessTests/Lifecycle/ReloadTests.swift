import Glibc
import Testing
import TestPrograms

@Suite("A hangup", .ownThread)
struct ReloadTests {
    let folder: TemporaryDirectory
    let broker: BrokerProcess
    let wire: Wire

    init() throws {
        folder = try TemporaryDirectory()
        let file = try folder.write("broker.yaml", Self.file(preset: "FIFO"))
        broker = try BrokerProcess(configuration: file)
        wire = try broker.wire(following: "events/")
    }

    private static func file(preset: String) -> String {
        """
        policies:
          - group: "store/*"
            preset: \(preset)

        """
    }

    /// Whether a newcomer goes on top in a group not used before.
    private func interrupts(_ group: String) throws -> Bool {
        try wire.send([show("\(group)-1", in: group), show("\(group)-2", in: group, #""priority":1"#)])
        try wire.wait(for: "the second") { $0.events(of: group).count >= 2 }
        return wire.events(of: group)[1].words.hasSuffix("paused")
    }

    @Test("brings the policies of a good file into force")
    func goodFile() throws {
        #expect(try !interrupts("store/before"))
        try folder.write("broker.yaml", Self.file(preset: "LIFO"))
        broker.process.signal(SIGHUP)

        let deadline = Deadline.standard
        var tries = 0
        while try !interrupts("store/after-\(tries)"), !deadline.isOver { tries += 1 }
        #expect(!deadline.isOver)
    }

    @Test("with a bad file names what is wrong and keeps the old one")
    func badFile() throws {
        try folder.write("broker.yaml", Self.file(preset: "LIVO"))
        broker.process.signal(SIGHUP)
        _ = try broker.process.wait(for: "to name the mistake") { _, error, _ in
            error.contains("policies[0].preset") && error.contains("broker.yaml:3") ? true : nil
        }

        #expect(try !interrupts("store/after"))
        // And it still listens: a mended file is taken.
        try folder.write("broker.yaml", Self.file(preset: "LIFO"))
        broker.process.signal(SIGHUP)
        let deadline = Deadline.standard
        var tries = 0
        while try !interrupts("store/mended-\(tries)"), !deadline.isOver { tries += 1 }
        #expect(!deadline.isOver)
        #expect(try broker.terminate().exit == .code(0))
    }
}
