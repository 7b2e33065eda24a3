import Foundation
import PopupBroker
import Testing
import ZeroMQ

@testable import ZeroMQTransport

/// The connections of a socket at a time that the test sets.
private final class Crowd {
    private let socket: Socket
    var connections: SocketConnections
    private(set) var now: Int64 = 0

    init() throws {
        socket = try Socket(try Context(), .sub, options: [.linger(milliseconds: 0)])
        let events = try ConnectionEvents(monitor: try socket.monitor())
        connections = SocketConnections(name: "ingress", limit: 1000, events: events)
    }

    deinit { socket.stopMonitoring() }

    var isWatching: Bool { connections.isWatching }

    func id(of descriptor: Int32) -> ConnectionID? { connections.id(of: descriptor) }

    /// Adds a connection. Returns its identity.
    func accept(_ descriptor: Int32) throws -> ConnectionID {
        connections.handle(.accepted(descriptor), at: now)
        return try #require(id(of: descriptor))
    }

    /// Lets time pass without a check.
    func wait(_ milliseconds: Int64) { now += milliseconds }

    /// Lets time pass until a check is due, and checks. Returns how long that took.
    @discardableResult
    func checkWhenDue(_ memory: MemoryGauge.State = .ample) -> Int {
        let time = connections.timeUntilCheck(at: now) ?? 0
        now += Int64(time)
        connections.check(at: now, memory)
        return time
    }
}

@Suite("The connections of a socket", .timeLimit(.minutes(5)))
struct SocketConnectionsTests {
    private let suspicious = Int(MessageProof.suspicionBytes) + 1000
    private let tooMany = Int(MessageProof.allowedBytes) + 1000

    // MARK: - Messages without an end

    @Test("one that sends a message without an end is cut at the third check, and the checks follow each other fast")
    func endless() throws {
        let crowd = try Crowd()
        let link = try TCPLink()
        _ = try crowd.accept(link.accepted)
        try link.send(suspicious)
        #expect(crowd.checkWhenDue() == 20)
        #expect(crowd.isWatching)
        try link.send(tooMany)
        crowd.connections.recordDrained()
        #expect(crowd.checkWhenDue() == 20)
        #expect(crowd.connections.open == 1, "what has been read until now may be whole messages")
        crowd.connections.recordDrained()

        #expect(crowd.checkWhenDue() == 20)

        #expect(crowd.connections.open == 0)
        let cuts = crowd.connections.takeCuts()
        #expect(cuts.map(\.reason) == ["more than 393216 bytes came without the end of a message"])
        #expect(link.isReset)
    }

    @Test(
        "few are checked often, as they may fill memory that was used before; many seldom, so that checks cost little",
        arguments: [(0, 20), (1, 20), (80, 20), (84, 21), (400, 100), (1000, 250), (8192, 250)])
    func interval(count: Int, milliseconds: Int64) {
        #expect(SocketConnections.checkInterval(ofConnections: count) == milliseconds)
    }

    @Test("it is found before its time if the memory grows fast")
    func growth() throws {
        let crowd = try Crowd()
        let link = try TCPLink()
        _ = try crowd.accept(link.accepted)
        try link.send(suspicious)
        crowd.wait(10)
        crowd.connections.check(at: crowd.now, .ample)
        #expect(!crowd.isWatching)
        crowd.connections.check(at: crowd.now, .ample, isGrowing: true)
        #expect(crowd.isWatching)
    }

    @Test("one that was silent for an hour has no more freedom than a new one")
    func aged() throws {
        let crowd = try Crowd()
        let link = try TCPLink()
        _ = try crowd.accept(link.accepted)
        try link.send(100)
        while crowd.now < 3_600_000 { crowd.checkWhenDue() }
        #expect(!crowd.isWatching)
        try link.send(suspicious)
        crowd.checkWhenDue()
        #expect(crowd.isWatching)
    }

    @Test("one whose messages are whole is not cut, however large and fast they are")
    func wholeMessages() throws {
        let crowd = try Crowd()
        let link = try TCPLink()
        _ = try crowd.accept(link.accepted)
        for _ in 1...100 {
            try link.send(131_000)
            crowd.checkWhenDue()
            if crowd.isWatching { crowd.connections.recordMessage(from: link.accepted, at: crowd.now) }
            crowd.connections.recordDrained()
        }
        #expect(crowd.connections.open == 1)
        #expect(crowd.connections.takeCuts().isEmpty)
    }

    @Test("one whose messages wait for their turn is not cut, however many bytes that are")
    func waitingMessages() throws {
        let crowd = try Crowd()
        let link = try TCPLink()
        _ = try crowd.accept(link.accepted)
        for _ in 1...20 {
            try link.send(tooMany)
            crowd.checkWhenDue()
        }
        #expect(crowd.connections.open == 1)
        // Its first message comes to its turn.
        crowd.connections.recordMessage(from: link.accepted, at: crowd.now)
        crowd.connections.recordDrained()
        crowd.checkWhenDue()
        crowd.checkWhenDue()
        #expect(crowd.connections.open == 1)
        #expect(!crowd.isWatching)
    }

    // MARK: - Memory

    /// Sixteen subscribers that take nothing more.
    private func crowdThatDoesNotRead() throws -> (Crowd, [TCPLink]) {
        let crowd = try Crowd()
        let links = try (0..<16).map { _ in try TCPLink() }
        for link in links {
            _ = try crowd.accept(link.accepted)
            try link.fill()
        }
        crowd.checkWhenDue(.short)
        return (crowd, links)
    }

    @Test("of those that have not read for a second an eighth is cut at first, then a quarter, half of them, all")
    func slow() throws {
        let (crowd, links) = try crowdThatDoesNotRead()
        defer { withExtendedLifetime(links) {} }
        crowd.wait(1000)
        let left = (1...5).map { number in
            _ = crowd.connections.cutBehind(at: crowd.now, check: number)
            return crowd.connections.open
        }
        #expect(left == [14, 11, 6, 0, 0])
        #expect(crowd.connections.takeCuts().allSatisfy { $0.isSlow })
    }

    @Test("of those that have not read for a quarter of a second, an eighth is cut at each check")
    func brieflySlow() throws {
        let (crowd, links) = try crowdThatDoesNotRead()
        defer { withExtendedLifetime(links) {} }
        crowd.wait(249)
        #expect(crowd.connections.cutBehind(at: crowd.now, check: 4) == 0)
        crowd.wait(1)
        let cut = (5...8).map { crowd.connections.cutBehind(at: crowd.now, check: $0) }
        #expect(cut == [2, 1, 1, 1])
    }

    @Test("one that reads is not cut, however much is sent to it")
    func readingAgain() throws {
        let (crowd, links) = try crowdThatDoesNotRead()
        for link in links { try link.drain() }
        crowd.wait(20)
        crowd.checkWhenDue(.short)
        crowd.wait(2000)
        #expect(crowd.connections.cutBehind(at: crowd.now, check: 1) == 0)
        #expect(crowd.connections.open == 16)
    }

    @Test("heartbeats are no message, also without memory when the end of the last message was not seen")
    func heartbeats() throws {
        let crowd = try Crowd()
        let link = try TCPLink()
        _ = try crowd.accept(link.accepted)
        for _ in 1...2000 {
            try link.send(25)
            for _ in 1...4 { crowd.checkWhenDue() }
        }
        #expect(!crowd.isWatching)
        // Whole messages, which were received before it was watched.
        try link.send(suspicious)
        crowd.checkWhenDue()
        #expect(crowd.isWatching)
        crowd.connections.recordDrained()
        for number in 1...4 {
            try link.send(25)
            crowd.checkWhenDue(.exhausted)
            crowd.connections.recordDrained()
            #expect(crowd.connections.cutUnfinished(atCheck: number) == 0)
        }
    }

    @Test("checks of watched connections are not checks of all")
    func onlyWatched() throws {
        let crowd = try Crowd()
        let (watched, other) = (try TCPLink(), try TCPLink())
        _ = try crowd.accept(watched.accepted)
        _ = try crowd.accept(other.accepted)
        let silent = try TCPLink()
        // All of these many are checked each 100 ms.
        let copies = try (0..<400).map { _ in try silent.copy() }
        defer { for copy in copies { close(copy) } }
        for copy in copies { _ = try crowd.accept(copy) }
        try watched.send(suspicious)
        #expect(crowd.checkWhenDue() == 20)
        try other.send(suspicious)
        #expect(crowd.checkWhenDue() == 20)
        // When the watched one has finished its message, nobody is watched until the check of all.
        crowd.connections.recordMessage(from: watched.accepted, at: crowd.now)
        #expect(!crowd.isWatching)
        var waited = 0
        repeat { waited += crowd.checkWhenDue() } while !crowd.isWatching && waited < 1000
        #expect(waited > 40 && waited <= 80)
    }

    @Test("of thousands, some are checked in each step, so that nobody waits for all, and each one within the interval")
    func steps() throws {
        let crowd = try Crowd()
        let link = try TCPLink()
        let copies = try (0..<900).map { _ in try link.copy() }
        defer { for copy in copies { close(copy) } }
        for copy in copies { _ = try crowd.accept(copy) }
        try link.send(100)
        // A check records how much a connection has read.
        func checked() -> Int { crowd.connections.connections.count { $0?.readBefore == 100 } }
        var (time, before) = (crowd.checkWhenDue(), 0)
        while checked() < copies.count, time < 1000 {
            #expect((1...SocketConnections.checkedAtOnce).contains(checked() - before))
            before = checked()
            time += crowd.checkWhenDue()
        }
        #expect(Int64(time) <= SocketConnections.alertInterval + SocketConnections.checkInterval(ofConnections: 900))
        #expect(crowd.connections.open == copies.count)
    }

    @Test("the few that are left of thousands are checked as often as if they had been alone")
    func sparse() throws {
        let crowd = try Crowd()
        let link = try TCPLink()
        let copies = try (0..<900).map { _ in try link.copy() }
        defer { for copy in copies { close(copy) } }
        for copy in copies { _ = try crowd.accept(copy) }
        for copy in copies.dropFirst().dropLast() { crowd.connections.handle(.disconnected(copy), at: crowd.now) }
        while crowd.now < 1000 { crowd.checkWhenDue() }
        try link.send(100)
        #expect(crowd.checkWhenDue() == 20)
        #expect(crowd.connections.connections.count { $0?.readBefore == 100 } == 2)
    }

    // MARK: - Without memory

    @Test("without memory, one that goes on sending is cut at once")
    func unfinished() throws {
        let crowd = try Crowd()
        let (link, good) = (try TCPLink(), try TCPLink())
        _ = try crowd.accept(link.accepted)
        let goodID = try crowd.accept(good.accepted)
        try good.send(suspicious)
        try link.send(suspicious)
        crowd.checkWhenDue(.exhausted)
        crowd.connections.recordMessage(from: good.accepted, at: crowd.now)
        crowd.connections.recordDrained()
        try link.send(1000)
        try good.send(1000)
        crowd.checkWhenDue(.exhausted)
        #expect(crowd.connections.cutUnfinished(atCheck: 1) == 1)
        #expect(crowd.id(of: good.accepted) == goodID)
        #expect(link.isReset)
    }

    @Test("without memory, all are ranked by their bytes without a whole message, also those that are not suspicious")
    func ranking() throws {
        let crowd = try Crowd()
        let links = try (1...4).map { _ in try TCPLink() }
        let ids = try links.map { try crowd.accept($0.accepted) }
        // An hour of silence earns nothing here either.
        while crowd.now < 3_600_000 { crowd.checkWhenDue() }
        let sizes = [300, 50_000, 20_000, 60_000]
        for (link, size) in zip(links, sizes) { try link.send(size) }
        // The last one has finished its message.
        crowd.checkWhenDue(.exhausted)
        crowd.connections.recordMessage(from: links[3].accepted, at: crowd.now)

        // They come in the order of their descriptors, which the system gives as others become free.
        let ranked = crowd.connections.unproven().sorted { $0.id.number < $1.id.number }
        #expect(ranked.map(\.id) == ids)
        #expect(ranked.map(\.bytes) == [300, 50_000, 20_000, 0])
        let chosen = UnprovenBytes.largest(of: ranked.map(\.bytes), memoryLimit: 16 << 20)
        #expect(chosen == [1])
        crowd.connections.cutUnproven(ranked[1].id)

        #expect(links[1].isReset)
        #expect(crowd.connections.open == 3)
        #expect(Set(crowd.connections.unproven().map(\.id)) == [ids[0], ids[2], ids[3]])
    }

    @Test("while memory is short, the whole messages of all are seen, also of those that were not watched")
    func proofs() throws {
        let crowd = try Crowd()
        let link = try TCPLink()
        _ = try crowd.accept(link.accepted)
        crowd.checkWhenDue(.ample)
        #expect(!crowd.isWatching)
        try link.send(500)
        #expect(crowd.checkWhenDue(.short) == 20)
        #expect(crowd.isWatching)
        crowd.connections.recordMessage(from: link.accepted, at: crowd.now)
        #expect(crowd.connections.unproven().map(\.bytes) == [0])
        #expect(crowd.checkWhenDue(.ample) == 20)
        #expect(!crowd.isWatching)
    }

    @Test("one over ipc:// is cut only without memory, and if its bytes wait and no message becomes whole")
    func uncounted() throws {
        let crowd = try Crowd()
        let (endless, good, silent) = (try LocalLink(), try LocalLink(), try LocalLink())
        _ = try crowd.accept(endless.accepted)
        let goodID = try crowd.accept(good.accepted)
        let silentID = try crowd.accept(silent.accepted)
        try endless.send()
        try good.send()
        func check(_ memory: MemoryGauge.State) -> Int {
            crowd.checkWhenDue(memory)
            crowd.connections.recordMessage(from: good.accepted, at: crowd.now)
            crowd.connections.recordDrained()
            return crowd.connections.cutUncounted()
        }
        for _ in 1...100 { #expect(check(.ample) == 0) }
        var cuts: [Int] = []
        for _ in 1...20 { cuts.append(check(.exhausted)) }
        #expect(cuts.reduce(0, +) == 1)
        #expect(cuts.firstIndex(of: 1) == 7)
        #expect(crowd.id(of: endless.accepted) == nil)
        #expect(crowd.id(of: good.accepted) == goodID)
        #expect(crowd.id(of: silent.accepted) == silentID)
        #expect(crowd.connections.unproven().isEmpty)
    }

    // MARK: - Events

    @Test("of which too many events were dropped are listed anew: who is gone has ended, who stays is the same")
    func relisted() throws {
        let crowd = try Crowd()
        let links = try (1...3).map { _ in try TCPLink() }
        let gone = try crowd.accept(links[0].accepted)
        let staying = try crowd.accept(links[1].accepted)
        var current = [AcceptedConnection?](repeating: nil, count: Int(links.map(\.accepted).max() ?? 0) + 1)
        for link in links[1...] { current[Int(link.accepted)] = AcceptedConnection(descriptor: link.accepted) }

        crowd.connections.handle(.relisted(current), at: crowd.now)

        #expect(crowd.connections.open == 2)
        #expect(crowd.id(of: links[1].accepted) == staying)
        #expect(crowd.id(of: links[2].accepted) != nil)
        let ended = crowd.connections.takeEnded()
        #expect(ended == gone)
        let further = crowd.connections.takeEnded()
        #expect(further == nil)
    }

    @Test("of which one has the descriptor of another that has ended: they are two")
    func reused() throws {
        let crowd = try Crowd()
        let (former, newer) = (try TCPLink(), try TCPLink())
        let id = try crowd.accept(former.accepted)
        var current = [AcceptedConnection?](repeating: nil, count: Int(former.accepted) + 1)
        // The list has what the descriptor names now.
        try former.become(newer)
        current[Int(former.accepted)] = AcceptedConnection(descriptor: former.accepted)

        crowd.connections.handle(.relisted(current), at: crowd.now)

        let ended = crowd.connections.takeEnded()
        #expect(ended == id)
        let next = try #require(crowd.id(of: former.accepted))
        #expect(next != id)
        #expect(crowd.connections.open == 1)
    }
}
