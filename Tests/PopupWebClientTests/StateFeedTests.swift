import Foundation
import PopupProtocol
import Testing

@testable import PopupWebClient

@Suite("The stream of a gateway")
struct StateFeedTests {
    private static let hello = #"{"event":"hello","protocol":1,"heartbeatMs":15000,"connected":true}"#
    private static let synced = #"{"event":"synced","epoch":"1","states":1,"resumed":false}"#

    private static func state(_ group: String, _ revision: Int, epoch: Int = 1, active: String? = nil) -> String {
        let popup = active.map { #","active":{"id":"\#($0)","group":"\#(group)","text":"x"}"# } ?? ""
        return #"{"event":"state","group":"\#(group)","epoch":"\#(epoch)","revision":"\#(revision)"\#(popup)}"#
    }

    /// Returns the states of lines: each as its group, its revision and what it shows. Whether they are confirmed is left out.
    private func words(_ feed: inout StateFeed, _ lines: String...) throws -> [String] {
        try feed.take(Array((lines.joined(separator: "\n") + "\n").utf8)).flatMap { outcome -> [String] in
            if case .confirmed = outcome { return [] }
            guard case .states(let states) = outcome else { return ["\(outcome)"] }
            return states.map { "\($0.group) \($0.revision) \($0.hasActive ? $0.active.id : "-")" }
        }
    }

    @Test("the present states come first, then changes")
    func order() throws {
        var feed = StateFeed()
        feed.begin()
        #expect(try words(&feed, Self.hello, Self.state("a", 3, active: "A")) == ["a 3 A"])
        #expect(!feed.isSynced)
        #expect(try words(&feed, Self.synced) == [])
        #expect(feed.isSynced)
        #expect(try words(&feed, Self.state("a", 4)) == ["a 4 -"])
    }

    @Test("lines may come in any pieces")
    func pieces() throws {
        var feed = StateFeed()
        let text = [Self.hello, Self.state("a", 3, active: "Ä"), Self.synced].joined(separator: "\n") + "\n"
        var count = 0
        for byte in text.utf8 {
            for outcome in try feed.take([byte]) {
                if case .states(let states) = outcome { count += states.count }
            }
        }
        #expect(count == 1)
        #expect(feed.isSynced)
    }

    @Test("an older state is left out, by epoch and revision as numbers; an equal one says what time is left")
    func versions() throws {
        var feed = StateFeed()
        #expect(try words(&feed, Self.state("a", 9, active: "A"), Self.synced) == ["a 9 A"])
        #expect(try words(&feed, Self.state("a", 10, active: "B")) == ["a 10 B"])
        #expect(try words(&feed, Self.state("a", 9, active: "A")) == [])
        #expect(try words(&feed, Self.state("a", 10, active: "B")) == ["a 10 B"])
        #expect(try words(&feed, Self.state("a", 1, epoch: 2)) == ["a 1 -"])
        #expect(try words(&feed, Self.state("a", 11, epoch: 1, active: "C")) == [])
    }

    @Test("a group that showed something and does not come with the next connection is empty")
    func emptied() throws {
        var feed = StateFeed()
        _ = try words(&feed, Self.state("a", 3, active: "A"), Self.state("b", 1, active: "B"), Self.synced)
        feed.begin()
        #expect(try words(&feed, Self.hello, Self.state("b", 1, active: "B")) == ["b 1 B"])
        #expect(try words(&feed, Self.synced) == ["a 3 -"])
        feed.begin()
        #expect(try words(&feed, Self.state("b", 1, active: "B"), Self.synced) == ["b 1 B"])
    }

    @Test("a gateway without a place says when to come again; its heartbeat says what silence is")
    func busy() throws {
        var feed = StateFeed()
        let lines = [
            #"{"event":"hello","heartbeatMs":1000}"#, #"{"event":"busy","retryAfterMs":8000}"#,
            #"{"event":"retry","retryMs":8000}"#,
        ]
        // The time is the same for all, so each draws its own around it.
        let time = StateFeed.Outcome.comeAgain(Duration.seconds(6)...Duration.seconds(10))
        #expect(try feed.take(Array((lines.joined(separator: "\n") + "\n").utf8)) == [time, time])
        #expect(feed.silence == .seconds(7))
    }

    @Test("a stream that ends says when to come again; the time at its beginning is that of a connection that breaks")
    func retry() throws {
        var feed = StateFeed()
        func outcomes(_ line: String) throws -> [StateFeed.Outcome] { try feed.take(Array((line + "\n").utf8)) }
        for _ in 0..<2 {
            feed.begin()
            #expect(try outcomes(#"{"event":"retry","retryMs":4000}"#) == [])
            #expect(try outcomes(Self.hello) == [])
            let soon = Duration.milliseconds(750)...Duration.milliseconds(1500)
            #expect(try outcomes(#"{"event":"retry","retryMs":1500}"#) == [.comeAgain(soon)])
        }
        // Whatever it says, the client is back within 4 s, also on the stream after a busy one.
        _ = try outcomes(#"{"event":"busy","retryAfterMs":8000}"#)
        feed.begin()
        #expect(try outcomes(Self.hello) == [])
        let latest = Duration.seconds(2)...Duration.seconds(4)
        #expect(try outcomes(#"{"event":"retry","retryMs":10000}"#) == [.comeAgain(latest)])
    }

    @Test("states are confirmed when all have come, and not while the gateway has no broker")
    func confirmed() throws {
        var feed = StateFeed()
        func outcomes(_ line: String) throws -> [StateFeed.Outcome] { try feed.take(Array((line + "\n").utf8)) }
        let away = #"{"event":"broker","connected":false}"#
        let back = #"{"event":"broker","connected":true}"#
        feed.begin()
        #expect(try outcomes(Self.hello) == [])
        #expect(try outcomes(Self.synced) == [.states([]), .confirmed(true)])
        #expect(try outcomes(away) == [.confirmed(false)])
        // What comes first may be from before the loss.
        #expect(try outcomes(back) == [])
        #expect(try outcomes(Self.synced) == [.states([]), .confirmed(true)])
        feed.begin()
        #expect(try outcomes(#"{"event":"hello","connected":false}"#) == [.confirmed(false)])
        #expect(try outcomes(Self.synced) == [.states([])])
        #expect(try outcomes(back) == [])
        #expect(try outcomes(Self.synced) == [.states([]), .confirmed(true)])
    }

    @Test("unknown events and fields are left out: a newer gateway may have them")
    func unknown() throws {
        var feed = StateFeed()
        #expect(try words(&feed, #"{"event":"news","x":1}"#, #"{"event":"ping","time":"1"}"#, "") == [])
        #expect(try words(&feed, #"{"event":"state","group":"a","epoch":"1","revision":"1","news":{}}"#) == ["a 1 -"])
    }

    @Test("what is no message of a gateway ends the connection", arguments: ["<html>", "{}", "[1]"])
    func unreadable(line: String) {
        var feed = StateFeed()
        #expect(throws: WebClientError.self) { try feed.take(Array((line + "\n").utf8)) }
    }

    @Test("a line has a most length")
    func endlessLine() throws {
        var feed = StateFeed()
        let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 18)
        for _ in 0..<4 { #expect(try feed.take(piece) == []) }
        #expect(throws: WebClientError.self) { try feed.take(piece) }
        // Also one that comes with its end.
        var whole = StateFeed()
        let line = [UInt8](repeating: UInt8(ascii: " "), count: StateFeed.maxLineBytes + 1) + Array("{}\n".utf8)
        #expect(throws: WebClientError.unreadable(status: 200)) { try whole.take(line) }
    }

    @Test("a group with the greatest numbers of waiting and paused popups is emptied, too")
    func greatestCounts() throws {
        var feed = StateFeed()
        let state =
            #"{"event":"state","group":"a","epoch":"1","revision":"2","waiting":4294967295,"paused":4294967295}"#
        #expect(try words(&feed, state, Self.synced) == ["a 2 -"])
        feed.begin()
        let emptied = try feed.take(Array((Self.synced + "\n").utf8))
        guard case .states(let states)? = emptied.first else { return #expect(Bool(false), "\(emptied)") }
        #expect(states.map(\.group) == ["a"] && states.map(\.waiting) == [0] && states.map(\.paused) == [0])
    }

    @Test(
        "the times of a gateway are held within bounds: an hour for a heartbeat, five minutes until a client comes again",
        arguments: [
            (Int.max, Duration.seconds(7205), Duration.seconds(225)...Duration.seconds(375)),
            (.min, .seconds(5), .zero ... .zero),
        ])
    func edgesOfTimes(time: Int, silence: Duration, absence: ClosedRange<Duration>) throws {
        var feed = StateFeed()
        _ = try words(&feed, #"{"event":"hello","heartbeatMs":\#(time)}"#)
        #expect(feed.silence == silence)
        let busy = try feed.take(Array((#"{"event":"busy","retryAfterMs":\#(time)}"# + "\n").utf8))
        #expect(busy == [.comeAgain(absence)])
    }

    @Test("groups that are emptied together come in the order of their names")
    func orderOfEmptied() throws {
        var feed = StateFeed()
        for group in ["c", "a", "d", "b"] { _ = try words(&feed, Self.state(group, 1, active: "A")) }
        feed.begin()
        #expect(try words(&feed, Self.synced) == ["a 1 -", "b 1 -", "c 1 -", "d 1 -"])
    }

    @Test("a stream with more groups than a client keeps ends; their states may change as often as they like")
    func tooManyGroups() throws {
        var feed = StateFeed(limits: StateFeed.Limits(groups: 2, bytes: 1 << 20))
        for revision in 1...9 {
            #expect(try words(&feed, Self.state("a", revision), Self.state("b", revision)).count == 2)
        }
        #expect(throws: WebClientError.tooManyGroups(limit: 2)) { try words(&feed, Self.state("c", 1)) }
        #expect(feed.groups == 2)
    }

    @Test("a stream with larger states than a client keeps ends; a group that is empty again makes room")
    func tooLargeStates() throws {
        func large(_ group: String, _ revision: Int) -> String {
            Self.state(group, revision, active: String(repeating: "x", count: 600))
        }
        var feed = StateFeed(limits: StateFeed.Limits(groups: 9, bytes: 1500))
        #expect(try words(&feed, large("a", 1), large("b", 1)).count == 2)
        #expect(throws: WebClientError.tooManyGroups(limit: 9)) { try words(&feed, large("c", 1)) }
        #expect(try words(&feed, Self.state("a", 2), large("c", 1)).count == 2)
        // Also one that a later connection does not bring.
        feed.begin()
        #expect(try words(&feed, large("b", 1), Self.synced, large("d", 1)).count == 3)
    }
}

@Suite("The newest states of a stream over HTTP")
struct NewestStatesTests {
    private let now = ContinuousClock.now

    private func add(_ group: String, _ revision: UInt64, to states: NewestStates) {
        var wire = WireGroupState()
        (wire.group, wire.revision) = (group, revision)
        states.add(wire, received: now)
    }

    /// Returns the unread states: each as its group, its revision and whether it is confirmed.
    private func words(_ states: NewestStates) -> [String] {
        var words: [String] = []
        while let state = states.take() {
            words.append("\(state.group) \(state.state.revision) \(state.isConfirmed ? "yes" : "no")")
            #expect(state.received == now)
        }
        return words
    }

    @Test("each state comes again when it is confirmed no longer, and when it is again, once")
    func confirmation() {
        let states = NewestStates()
        add("b", 1, to: states)
        add("a", 1, to: states)
        #expect(words(states) == ["b 1 yes", "a 1 yes"])
        states.confirm(true)
        #expect(words(states) == [])
        states.confirm(false)
        states.confirm(false)
        #expect(words(states) == ["a 1 no", "b 1 no"])
        add("a", 2, to: states)
        #expect(words(states) == ["a 2 no"])
        states.confirm(true)
        #expect(words(states) == ["a 2 yes", "b 1 yes"])
    }

    @Test("after a loss, states are doubted unless all have come again in time")
    func loss() {
        let states = NewestStates()
        add("a", 1, to: states)
        _ = words(states)
        let first = states.lose()
        states.confirm(true)
        states.doubt(after: first)
        #expect(words(states) == [])
        let second = states.lose()
        states.doubt(after: first)
        #expect(words(states) == [])
        states.doubt(after: second)
        #expect(words(states) == ["a 1 no"])
        states.confirm(true)
        #expect(words(states) == ["a 1 yes"])
    }
}

@Suite("Waits of the client over HTTP")
struct ReconnectionTests {
    private let start = ContinuousClock.now

    /// Returns the longest waits of an outage that begins at a time, while each connection fails at once, until another
    /// time.
    private func waits(
        _ reconnection: inout Reconnection, from begin: Duration, to end: Duration
    ) -> [(after: Duration, wait: Duration)] {
        var waits: [(after: Duration, wait: Duration)] = []
        var now = begin
        while now < end {
            let wait = reconnection.longestWait(
                afterConnectionFrom: start + now, to: start + now, isSynced: false)
            waits.append((now - begin, wait))
            now += wait
        }
        return waits
    }

    @Test("waits grow with the failures, to 4 s in the first two minutes of an outage, then to half a minute")
    func growth() {
        var reconnection = Reconnection(at: start)
        let waits = waits(&reconnection, from: .zero, to: .seconds(600))
        #expect(waits.prefix(5).map(\.wait) == [.seconds(1), .seconds(2), .seconds(4), .seconds(4), .seconds(4)])
        #expect(waits.filter { $0.after < .seconds(120) }.allSatisfy { $0.wait <= .seconds(4) })
        #expect(waits.filter { $0.after >= .seconds(120) }.allSatisfy { $0.wait == .seconds(30) })
        #expect(waits.last?.wait == .seconds(30))
    }

    @Test("an outage begins with the loss, however old the stream is and whatever outages were before")
    func anchor() {
        var reconnection = Reconnection(at: start)
        _ = waits(&reconnection, from: .zero, to: .seconds(600))
        let lost = Duration.seconds(7200)
        let first = reconnection.longestWait(
            afterConnectionFrom: start + .seconds(600), to: start + lost, isSynced: true)
        #expect(first == .milliseconds(500))
        let waits = waits(&reconnection, from: lost, to: lost + .seconds(119))
        #expect(waits.count > 20)
        #expect(waits.allSatisfy { $0.wait <= .seconds(4) })
    }

    @Test("a stream that ends within a second, or before all states came, is a failure")
    func failures() {
        var reconnection = Reconnection(at: start)
        func wait(_ seconds: Int, isSynced: Bool) -> Duration {
            reconnection.longestWait(
                afterConnectionFrom: start, to: start + .seconds(seconds), isSynced: isSynced)
        }
        #expect(wait(1, isSynced: true) == .seconds(1))
        #expect(wait(50, isSynced: false) == .seconds(2))
        #expect(wait(50, isSynced: true) == .milliseconds(500))
    }
}

@Suite("Errors of the client over HTTP")
struct WebClientErrorTests {
    @Test("a problem is the gateway's refusal; anything else is another service's answer")
    func problems() {
        let problem = #"{"type":"/problems/overload","detail":"wait","reason":"OVERLOAD","retryAfterMs":50}"#
        #expect(
            WebClientError(status: 429, problem: Array(problem.utf8))
                == .refused(.init(status: 429, reason: "OVERLOAD", detail: "wait", retryAfter: .milliseconds(50))))
        let page = Array("<html>Bad Gateway</html>".utf8)
        #expect(WebClientError(status: 502, problem: page) == .unreadable(status: 502))
        let unknown = WebClientError(status: 504, problem: Array(#"{"reason":"UNKNOWN","detail":"x"}"#.utf8))
        guard case .refused(let refusal) = unknown else { return #expect(Bool(false), "\(unknown)") }
        #expect(refusal.isOutcomeUnknown)
    }

    @Test("an address has a scheme and a host", arguments: ["localhost:8570", "ftp://x", "http:", "popups"])
    func addresses(text: String) throws {
        let address = try #require(URL(string: text))
        #expect(throws: WebClientError.self) { try PopupWebClient(address, token: "t") }
    }

    @Test("a group that is none is told before anything is sent")
    func groups() throws {
        let client = try PopupWebClient(#require(URL(string: "http://127.0.0.1:1")), token: "t")
        #expect(throws: WebClientError.invalidGroup("a b")) { try client.states(of: "a b") }
    }
}
