import Foundation
import PopupClient
import Testing
import TestPrograms

@Suite("Two brokers as shards", .ownThread)
struct ShardsTests {
    let east: BrokerProcess
    let west: BrokerProcess
    let directory = try? TemporaryDirectory()
    let file: String

    init() throws {
        east = try BrokerProcess()
        west = try BrokerProcess()
        file = try #require(directory).write(
            "shards.json",
            """
            {"shards": {"east": {"ingress": "\(east.ingress)", "egress": "\(east.egress)"},
                        "west": {"ingress": ["\(west.ingress)"], "egress": ["\(west.egress)"]}},
             "groups": {"store/*": "west", "*": "east"}}
            """)
    }

    private func run(_ arguments: String..., file: String? = nil) throws -> ChildProcess.Result {
        let environment = ["POPUP_BROKER_SHARDS": file ?? self.file]
        return try ChildProcess(Programs.control, Control.withAmpleTime(arguments), environment: environment).result()
    }

    /// The ids of the live popups of a shard.
    private func popups(of shard: String) throws -> String {
        let list = try run("list", "--shard", shard)
        #expect(list.exit == .code(0))
        return list.output.split(separator: "\n").dropFirst().compactMap { $0.split(separator: " ").first }
            .sorted().joined(separator: " ")
    }

    @Test("popupctl sends a command to the shard of its group")
    func routed() throws {
        for (id, group) in [("A", "lobby"), ("B", "store/1"), ("C", "store/1"), ("D", "store")] {
            #expect(try run("show", "--group", group, "--id", id, "Hello").exit == .code(0))
        }
        #expect(try popups(of: "east") == "A D")
        #expect(try popups(of: "west") == "B C")
        #expect(try run("count", "store/*").output == "2\n")
        #expect(try run("advance", "store/1").output.contains("store/1: shows C"))
        #expect(try popups(of: "west") == "C")
        #expect(try run("clear", "lobby").output == "1 popup closed\n")
        #expect(try popups(of: "east") == "D")
        // Every command that names a group goes to its shard.
        #expect(try run("suspend", "store/1", "--token", "t").exit == .code(0))
        #expect(try run("suspensions", "store/1").output.contains("store/1"))
        #expect(try run("resume", "t", "--shard", "west").exit == .code(0))
        #expect(try run("policy", "set", "store/1", "--preset", "LIFO").exit == .code(0))
        #expect(try run("policy", "set", "--policy", #"{"group":"store/2","preset":"LIFO"}"#).exit == .code(0))
        #expect(try run("policy", "show", "store/1").output.contains("LIFO"))
        #expect(try run("policy", "show", "--shard", "west").output.contains("store/2"))
        #expect(try run("policy", "unset", "store/1").exit == .code(0))
        #expect(try run("groups", "store/1").output.contains("store/1"))
        #expect(try run("history", "store/1").output.contains("B"))
        #expect(try run("renderers", "store/1").exit == .code(0))
        #expect(try run("list", "--ingress", east.ingress, "--egress", east.egress).output.contains("D"))
        // The id alone tells no shard.
        #expect(try run("dismiss", "D", "--shard", "east").exit == .code(0))
        #expect(try popups(of: "east") == "")
    }

    @Test("popupctl clear --all-shards sends one command to each, and goes on if one is not there")
    func allShards() throws {
        for (id, group) in [("A", "lobby"), ("B", "store/1"), ("C", "store/1")] {
            #expect(try run("show", "--group", group, "--id", id, "Hello").exit == .code(0))
        }
        #expect(
            try run("clear", "--all-shards", "--json", "nothing").output
                == "{\"cleared\":0,\"left\":0,\"shard\":\"east\"}\n{\"cleared\":0,\"left\":0,\"shard\":\"west\"}\n")
        #expect(try run("clear", "--all-shards", "*").output == "east: 1 popup closed\nwest: 2 popups closed\n")
        #expect(try popups(of: "east") == "")
        #expect(try popups(of: "west") == "")

        #expect(try run("show", "--group", "store/1", "--id", "D", "Hello").exit == .code(0))
        _ = try east.terminate()
        let partial = try run("clear", "--all-shards", "*", "--timeout", "5s")
        #expect(partial.output == "west: 1 popup closed\n")
        #expect(partial.error.hasPrefix("popupctl: shard east: no "))
        #expect(partial.exit == .code(75))
        #expect(try popups(of: "west") == "")
    }

    @Test("popupctl says which shard is missing, and what is wrong with a directory")
    func mistakes() throws {
        func fails(_ error: String, code: Int32 = 64, _ result: ChildProcess.Result) {
            #expect(result == .init(exit: .code(code), output: "", error: "popupctl: \(error)\n"))
        }
        fails(
            "the command names no group, so the directory does not tell its shard; name it with --shard: east, west",
            try run("stats"))
        fails("*: there are groups in several shards; name one with --shard: east, west", try run("clear", "*"))
        let both = try run("stats", "--shards", file, "--ingress", east.ingress)
        #expect(both.exit == .code(64) && both.error.contains("not both"))
        fails("there is no shard `north`; there is `east`, `west`", try run("stats", "--shard", "north"))
        fails(
            "--shard east needs the directory of shards: name its file with --shards",
            try run("stats", "--shard", "east", file: ""))
        fails(
            "--all-shards needs the directory of shards: name its file with --shards",
            try run("clear", "*", "--all-shards", file: ""))
        fails(
            "/no/file: cannot be read; check its name and permissions", code: 66,
            try run("stats", "--shards", "/no/file"))
        let wrong = try #require(directory).write("wrong.json", #"{"shards":{},"groups":{}}"#)
        fails(
            "\(wrong): groups: `*` is missing; it names the shard of all groups that nothing else matches",
            try run("stats", "--shards", wrong))
    }

    @Test("a producer of the library sends each popup to the shard of its group, in order, once")
    func library() async throws {
        let producer = try ShardedProducer(ShardDirectory(file: file))
        let groups = ["lobby", "store/1", "store/2", "hall"]
        try producer.enqueue((0..<400).map { Popup(id: "p-\($0)", group: groups[$0 % 4], text: "Hello") })
        try await producer.flush()
        try await producer.cancel("p-0", of: "lobby")
        for (shard, expected) in [("east", ["lobby": 99, "hall": 100]), ("west", ["store/1": 100, "store/2": 100])] {
            let admin = AdminClient(try producer.producer(named: shard).connection)
            for (group, count) in expected {
                var selector = PopupSelector()
                selector.group = group
                #expect(try await admin.count(selector) == count)
                let ids = try await admin.peek(group).popups.compactMap { Int($0.id.dropFirst(2)) }
                #expect(!ids.isEmpty && ids == ids.sorted())
            }
            #expect(try await admin.count() == expected.values.reduce(0, +))
        }
        await producer.close()
    }
}
