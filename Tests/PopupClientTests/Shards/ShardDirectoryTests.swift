import Foundation
import PopupProtocol
import Testing

@testable import PopupClient

@Suite("A directory of shards")
struct ShardDirectoryTests {
    private static let nowhere = BrokerEndpoints(ingress: "tcp://127.0.0.1:1", egress: "tcp://127.0.0.1:2")

    private func directory(_ groups: [String: String]) throws -> ShardDirectory {
        let names = Set(groups.values)
        return try ShardDirectory(
            shards: Dictionary(uniqueKeysWithValues: names.map { ($0, Self.nowhere) }), groups: groups)
    }

    @Test(
        "takes the most specific name or pattern, and the default shard last",
        arguments: [
            ("store/12/till", "exact"), ("store/12/door", "narrow"), ("store/12", "wide"),
            ("store/12/till/2", "narrow"),
            ("store", "rest"), ("store/13/till", "wide"), ("storefront/1", "rest"), ("lobby", "rest"),
            ("no group/", "rest"), ("", "rest"), ("*", "rest"), ("store/*", "rest"),
        ])
    func precedence(group: String, shard: String) throws {
        let directory = try directory([
            "*": "rest", "store/*": "wide", "store/12/*": "narrow", "store/12/till": "exact",
        ])
        #expect(directory.shard(of: group) == shard)
    }

    @Test("decides as the policies of a broker would: the last matching pattern in their order counts")
    func sameAsPolicies() throws {
        let patterns = ["*", "a/*", "a/b/*", "a/b/c/*", "a", "a/b", "a/b/c", "b/*", "b/a/*", "b/a"]
        var groups: [String] = []
        for first in ["a", "b", "c"] {
            groups += [first, "\(first)/a", "\(first)/b", "\(first)/b/c", "\(first)/b/c/d", "\(first)/a/b/c/d/e/f/g"]
        }
        // Each pattern but `*` is there or not.
        for choice in 0..<(1 << (patterns.count - 1)) {
            let chosen = patterns.enumerated().filter { $0.offset == 0 || choice >> ($0.offset - 1) & 1 == 1 }
            let rules = Dictionary(
                uniqueKeysWithValues: chosen.map { ($0.element, "shard-\($0.offset)") })
            let directory = try directory(rules)
            for group in groups {
                let name = try #require(GroupName(group))
                let counts = rules.keys.compactMap(GroupPattern.init).filter { $0.matches(name) }.max()
                #expect(directory.shard(of: group) == counts.flatMap { rules[$0.text] })
            }
        }
    }

    @Test(
        "knows which shards may have groups of a pattern",
        arguments: [
            ("*", ["exact", "narrow", "rest", "wide"]), ("store/*", ["exact", "narrow", "wide"]),
            ("store/12/*", ["exact", "narrow"]), ("store/12/till/*", ["narrow"]), ("store/13/*", ["wide"]),
            ("lobby/*", ["rest"]), ("lobby", ["rest"]), ("store/12/till", ["exact"]),
        ])
    func ofPatterns(pattern: String, shards: [String]) throws {
        let directory = try directory([
            "*": "rest", "store/*": "wide", "store/12/*": "narrow", "store/12/till": "exact",
        ])
        #expect(try directory.shards(of: pattern) == shards)
        #expect(throws: ClientError.invalidGroup("a//b")) { try directory.shards(of: "a//b") }
    }

    @Test("is read from JSON, with lists of endpoints and files of keys")
    func json() throws {
        let directory = try ShardDirectory(
            json: Data(
                """
                {"shards": {"east": {"ingress": ["tcp://a:1", "tcp://b:1"], "egress": "tcp://a:2,tcp://b:2"},
                            "west": {"ingress": "tcp://c:1", "egress": "tcp://c:2",
                                     "keyFile": "me.key", "serverKeyFile": "west.pub"}},
                 "groups": {"store/*": "west", "*": "east"}}
                """.utf8))
        #expect(directory.names == ["east", "west"])
        #expect(directory.defaultShard == "east")
        #expect(directory.shard(of: "store/1") == "west")
        #expect(
            try directory.endpoints(of: "east")
                == BrokerEndpoints(ingress: "tcp://a:1,tcp://b:1", egress: "tcp://a:2,tcp://b:2"))
        #expect(
            try directory.endpoints(of: "west")
                == BrokerEndpoints(
                    ingress: "tcp://c:1", egress: "tcp://c:2", keyFile: "me.key", serverKeyFile: "west.pub"))
        #expect(throws: ShardDirectoryError(nil, "there is no shard `north`; there is `east`, `west`")) {
            try directory.endpoints(of: "north")
        }
    }

    @Test(
        "that has a mistake is refused, with its place and what to do",
        arguments: [
            ("", "is not JSON; check it with `python3 -m json.tool`"),
            ("[]", "must be an object"),
            (#"{"groups":{"*":"a"}}"#, "shards: is missing"),
            (#"{"shards":{"a":{}}}"#, "shards.a.ingress: is missing"),
            (#"{"shards":{"a":{"ingress":[],"egress":"x"}}}"#, "shards.a.ingress: has no endpoint"),
            (
                #"{"shards":{"a":{"ingress":["x",1],"egress":"x"}}}"#,
                "shards.a.ingress[1]: must be a text that is not empty"
            ),
            (
                #"{"shards":{"a":{"ingres":"x"}}}"#,
                "shards.a: there is no member `ingres`; there is `ingress`, `egress`, `keyFile`, `serverKeyFile`"
            ),
            (#"{"shards":{"a":{"ingress":"x","egress":"y"}}}"#, "groups: is missing"),
            (
                #"{"shards":{"a":{"ingress":"x","egress":"y"}},"groups":{"b/*":"a"}}"#,
                "groups: `*` is missing; it names the shard of all groups that nothing else matches"
            ),
            (
                #"{"shards":{"a":{"ingress":"x","egress":"y"}},"groups":{"*":"b"}}"#,
                "groups.*: there is no shard `b`; there is `a`"
            ),
            (
                #"{"shards":{"a.b":{"ingress":"x","egress":"y"}},"groups":{"*":"a.b"}}"#,
                "shards: `a.b` is not the name of a shard; use 1 to 64 of A–Z a–z 0–9 _ -"
            ),
            (
                #"{"shards":{"a":{"ingress":"x","egress":"y"}},"groups":{"*":"a","a//b":"a"}}"#,
                "groups: \(ClientError.invalidGroup("a//b"))"
            ),
        ])
    func mistakes(json: String, error: String) throws {
        let thrown = #expect(throws: ShardDirectoryError.self) { try ShardDirectory(json: Data(json.utf8)) }
        #expect(thrown?.description == error)
    }

    @Test("has limits")
    func limits() throws {
        let shards = Dictionary(uniqueKeysWithValues: (0...ShardDirectory.maxShards).map { ("s\($0)", Self.nowhere) })
        #expect(throws: ShardDirectoryError("shards", "there are 65 shards; at most 64 are possible")) {
            try ShardDirectory(shards: shards, groups: ["*": "s0"])
        }
        var groups = Dictionary(uniqueKeysWithValues: (1..<ShardDirectory.maxRules).map { ("g\($0)", "a") })
        groups["*"] = "a"
        #expect(try directory(groups).groups.count == ShardDirectory.maxRules)
        groups["one-more"] = "a"
        #expect(throws: ShardDirectoryError.self) { try directory(groups) }
    }

    @Test("names the file that cannot be read")
    func file() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        var thrown = #expect(throws: ShardDirectoryError.self) { try ShardDirectory(file: path) }
        #expect(thrown?.description == "\(path): cannot be read; check its name and permissions")
        #expect(thrown?.isUnreadable == true)
        try Data("{}".utf8).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        thrown = #expect(throws: ShardDirectoryError.self) { try ShardDirectory(file: path) }
        #expect(thrown?.description == "\(path): shards: is missing")
        #expect(thrown?.isUnreadable == false)
    }
}
