import Glibc
import PopupProtocol
import Testing
import TestPrograms

@Suite("The policy of a configuration", .ownThread)
struct PolicySourceTests {
    private let folder: TemporaryDirectory
    private let configuration: String

    init() throws {
        folder = try TemporaryDirectory()
        configuration = try folder.write(
            "broker.yaml",
            """
            policies:
              - group: "store/*"
                preset: FIFO

            """)
    }

    /// Starts a broker with the configuration, on the same data each time.
    private func start() throws -> BrokerProcess {
        try BrokerProcess(configuration: configuration, arguments: ["--data-dir", folder.path("data")])
    }

    private func restart(_ broker: inout BrokerProcess) throws {
        #expect(try broker.terminate().exit == .code(0))
        broker = try start()
    }

    /// Has the configuration read again, and waits until it is.
    private func reload(_ broker: BrokerProcess) throws {
        func reloads(_ log: String) -> Int {
            log.split(separator: "\n").count { $0.contains("configuration reloaded") }
        }
        let before = reloads(broker.process.output.text(.error))
        broker.process.signal(SIGHUP)
        try broker.process.wait(for: "to read its configuration again") { _, error, _ in
            reloads(error) > before ? true : nil
        }
    }

    /// The output of a run of `popupctl policy` that must end well and say nothing else.
    private func policy(_ arguments: String..., of broker: BrokerProcess) throws -> String {
        let result = try Control(broker: broker).start(["policy"] + arguments).result()
        #expect(result.exit == .code(0))
        #expect(result.error == "")
        return result.output
    }

    /// Whether a popup of a higher priority interrupts the one that a group not used before shows.
    private func interrupts(in group: String, of broker: BrokerProcess) throws -> Bool {
        let wire = try broker.wire(following: "events/\(group)/")
        try wire.settle()
        try wire.send([show("\(group)-1", in: group), show("\(group)-2", in: group, #""priority":1"#)])
        let second = try wire.events(of: group, 2)[1]
        #expect(["\(group)-1 paused", "\(group)-2 queued"].contains(second))
        return second == "\(group)-1 paused"
    }

    @Test("stays in force through looks, reloads and restarts; one that a client sets replaces it until it is unset")
    func precedence() throws {
        var broker = try start()
        let configured = try policy("show", "store/*", of: broker)
        #expect(configured.hasPrefix("store/*: the configuration's policy of store/*\n  preset: FIFO\n"))
        // Looking changes nothing, whatever one looks at.
        #expect(
            try policy("show", "store/1", of: broker).hasPrefix("store/1: the configuration's policy of store/*\n"))
        #expect(try policy("show", of: broker).contains("\nstore/*: the configuration's policy of store/*\n"))
        #expect(try policy("show", "store/*", of: broker) == configured)
        #expect(try !interrupts(in: "store/looked", of: broker))
        try reload(broker)
        #expect(try policy("show", "store/*", of: broker) == configured)
        #expect(try !interrupts(in: "store/reloaded", of: broker))
        try restart(&broker)
        #expect(try policy("show", "store/*", of: broker) == configured)
        #expect(try !interrupts(in: "store/restarted", of: broker))

        #expect(try policy("set", "store/*", "--preset", "lifo", of: broker) == "store/*: policy set\n")
        let set = try policy("show", "store/*", of: broker)
        #expect(set.hasPrefix("store/*: the policy that a client has set for store/*\n  preset: LIFO\n"))
        #expect(try interrupts(in: "store/set", of: broker))
        try restart(&broker)
        #expect(try policy("show", "store/*", of: broker) == set)
        #expect(try interrupts(in: "store/set-restarted", of: broker))
        try reload(broker)
        #expect(try policy("show", "store/*", of: broker) == set)

        #expect(
            try policy("unset", "store/*", of: broker)
                == "store/*: policy removed; now the configuration's policy of store/*\n")
        #expect(try policy("show", "store/*", of: broker) == configured)
        #expect(try !interrupts(in: "store/unset", of: broker))
        try restart(&broker)
        #expect(try policy("show", "store/*", of: broker) == configured)
        #expect(try !interrupts(in: "store/unset-restarted", of: broker))
        #expect(try broker.terminate().exit == .code(0))
    }
}
