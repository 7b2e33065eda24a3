import PopupAccess
import PopupClient
import Testing

@testable import PopupGateway

@Suite("The patterns that a hub follows")
struct FollowedPatternsTests {
    private final class Reader: PatternReader {
        let patterns: [GroupPattern]

        init(_ names: [String]) { patterns = names.map { GroupPattern($0)! } }
    }

    private struct Feed: PatternFeed {
        let receiver = Task { _ = try? await Task.sleep(for: .seconds(3600)) }
        var readers: [ObjectIdentifier: Reader] = [:]
        var unreadSince: ContinuousClock.Instant?
    }

    private let start = ContinuousClock.now
    private let a = TokenHash(of: "a")
    private let b = TokenHash(of: "b")

    private func add(
        _ reader: Reader, _ token: TokenHash?, to table: inout FollowedPatterns<Feed>
    ) throws(ClientError) -> [Feed] {
        try table.add(reader, for: token) { _ in Feed() }
    }

    @Test("Of a reader one of whose patterns cannot be opened, nothing is left")
    func failure() throws {
        var table = FollowedPatterns<Feed>(limit: 16)
        _ = try add(Reader(["kept"]), b, to: &table)
        var opened: [Feed] = []
        #expect(throws: ClientError.closed) {
            _ = try table.add(Reader(["a", "b", "kept", "c"]), for: a) { pattern throws(ClientError) in
                guard pattern.text != "c" else { throw .closed }
                opened.append(Feed())
                return opened[opened.count - 1]
            }
        }
        #expect(table.patterns.map(\.text) == ["kept"] && table.readerCount == 1)
        #expect(opened.count == 2 && opened.allSatisfy { $0.receiver.isCancelled })
        #expect(table[GroupPattern("kept")!]?.readers.count == 1)
        // It does not count for its token.
        _ = try add(Reader(["a", "b"]), a, to: &table)
    }

    @Test("A long pattern takes several places, also of the share of its token, and gives all of them back")
    func places() throws {
        var table = FollowedPatterns<Feed>(limit: 8)
        let long = String(repeating: "g", count: 36)
        let reader = Reader([long])
        _ = try add(reader, a, to: &table)
        #expect(throws: ClientError.tooManyStreams(limit: 2)) { try add(Reader(["a"]), a, to: &table) }
        let others = Reader(["b", "c", "d", "e", "f", "g"])
        _ = try add(others, nil, to: &table)
        #expect(throws: ClientError.tooManyStreams(limit: 8)) { try add(Reader(["h"]), nil, to: &table) }
        table.remove(reader, at: start)
        _ = try add(Reader(["b", "c"]), a, to: &table)
        // A place is wanted, and two become free.
        #expect(try add(Reader(["h"]), nil, to: &table).count == 1)
        #expect(try add(Reader(["i"]), nil, to: &table).isEmpty)
        #expect(throws: ClientError.tooManyStreams(limit: 8)) { try add(Reader(["j"]), nil, to: &table) }
        // Another long one needs two.
        table.remove(others, at: start)
        for name in ["b", "c"] { #expect(table[GroupPattern(name)!] != nil) }
        let half = String(repeating: "h", count: 41)
        #expect(try add(Reader(["\(half)/\(half)"]), nil, to: &table).count == 2)
        #expect(try add(Reader([String(repeating: "i", count: 35)]), nil, to: &table).count == 1)
    }

    @Test("Beyond the limit, the patterns without a reader go first, those without one for longest at first")
    func room() throws {
        var table = FollowedPatterns<Feed>(limit: 4)
        let readers = ["a", "b", "c", "d"].map { Reader([$0]) }
        for reader in readers { _ = try add(reader, nil, to: &table) }
        #expect(throws: ClientError.tooManyStreams(limit: 4)) { try add(Reader(["e"]), nil, to: &table) }
        table.remove(readers[2], at: start)
        table.remove(readers[1], at: start + .seconds(1))
        #expect(throws: ClientError.tooManyStreams(limit: 4)) { try add(Reader(["e", "f", "g"]), nil, to: &table) }
        #expect(Set(table.patterns.map(\.text)) == ["a", "b", "c", "d"])
        #expect(try add(Reader(["e"]), nil, to: &table).count == 1)
        #expect(Set(table.patterns.map(\.text)) == ["a", "b", "d", "e"])
        // What the reader itself needs is no room for it.
        #expect(throws: ClientError.tooManyStreams(limit: 4)) { try add(Reader(["b", "f"]), nil, to: &table) }
        #expect(try add(Reader(["b"]), nil, to: &table).isEmpty)
        #expect(throws: ClientError.tooManyStreams(limit: 4)) { try add(Reader(["f"]), nil, to: &table) }
    }

    @Test("One token holds at most a quarter of the patterns, each once, however many readers it has")
    func share() throws {
        var table = FollowedPatterns<Feed>(limit: 8)
        let first = Reader(["a", "b"])
        _ = try add(first, a, to: &table)
        #expect(throws: ClientError.tooManyStreams(limit: 2)) { try add(Reader(["c"]), a, to: &table) }
        let second = Reader(["b"])
        _ = try add(second, a, to: &table)
        // Those that another token follows count, too: it would keep them when that has left.
        _ = try add(Reader(["c"]), b, to: &table)
        #expect(throws: ClientError.tooManyStreams(limit: 2)) { try add(Reader(["c"]), a, to: &table) }
        table.remove(first, at: start)
        table.remove(first, at: start)
        _ = try add(Reader(["c"]), a, to: &table)
        #expect(throws: ClientError.tooManyStreams(limit: 2)) { try add(Reader(["d"]), a, to: &table) }
        // The gateway itself has no share.
        _ = try add(Reader(["d", "e", "f"]), nil, to: &table)
    }

    @Test("A pattern without a reader stays for half a minute, and for a reader that comes back meanwhile")
    func linger() throws {
        var table = FollowedPatterns<Feed>(limit: 8)
        let reader = Reader(["a"])
        _ = try add(reader, a, to: &table)
        #expect(table.removeUnread(at: start + .seconds(3600)).isEmpty)
        table.remove(reader, at: start)
        #expect(table.removeUnread(at: start + .seconds(30)).isEmpty)
        _ = try add(reader, a, to: &table)
        #expect(table.removeUnread(at: start + .seconds(3600)).isEmpty)
        table.remove(reader, at: start)
        #expect(table.removeUnread(at: start + .seconds(31)).count == 1)
        #expect(table.count == 0 && table.readerCount == 0)
    }

    @Test("A watch that fails since the connection has no stream left leaves no pattern behind")
    func hubs() throws {
        var limits = ClientLimits()
        // One is for the heartbeat.
        limits.streams = 3
        let endpoints = BrokerEndpoints(ingress: "tcp://127.0.0.1:9", egress: "tcp://127.0.0.1:9")
        let connection = try BrokerConnection(endpoints, limits: limits)
        let rights = MissingRights { _ in }
        let hub = try Hub(connection, rights) { _ in }
        let events = EventHub(connection, boot: "1", rights)
        let three = ["a", "b", "c"].map { GroupPattern($0)! }
        let times = Watch.Times(heartbeat: .seconds(15), end: .now + .seconds(60))
        #expect(throws: ClientError.tooManyStreams(limit: 3)) { try hub.watch(three, for: a, times) }
        #expect(hub.feedCount == 0 && hub.watchCount == 0)
        #expect(throws: ClientError.tooManyStreams(limit: 3)) { try events.watch(three, for: a, after: nil, times) }
        #expect(events.feedCount == 0 && events.watches.isEmpty)
    }

    @Test("A hub that is full gives the place of a pattern without a reader to another one")
    func fullHub() throws {
        let endpoints = BrokerEndpoints(ingress: "tcp://127.0.0.1:9", egress: "tcp://127.0.0.1:9")
        let connection = try BrokerConnection(endpoints)
        let hub = try Hub(connection, MissingRights { _ in }, mostPatterns: 4) { _ in }
        let times = Watch.Times(heartbeat: .seconds(15), end: .now + .seconds(60))
        func watch(_ name: String, _ token: TokenHash) throws(ClientError) -> Watch {
            try hub.watch([GroupPattern(name)!], for: token, times)
        }
        let first = try watch("a", a)
        #expect(throws: ClientError.tooManyStreams(limit: 1)) { try watch("b", a) }
        for name in ["b", "c", "d"] { _ = try watch(name, TokenHash(of: name)) }
        #expect(throws: ClientError.tooManyStreams(limit: 4)) { try watch("e", TokenHash(of: "e")) }
        hub.unwatch(first)
        _ = try watch("e", TokenHash(of: "e"))
        #expect(hub.feedCount == 4 && hub.watchCount == 4)
    }
}
