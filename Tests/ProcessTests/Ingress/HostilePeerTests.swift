import Foundation
import PopupProtocol
import TestPrograms
import Testing

@Suite("A hostile peer", .ownThread)
struct HostilePeerTests {
    let broker: BrokerProcess

    init() throws {
        broker = try BrokerProcess()
    }

    /// Configuration.md: "Most memory".
    private static let mostOfEndlessMessage = 256 << 20
    private static let producer = String(repeating: "a", count: 32)

    @Test(
        "silences nobody by withdrawing what it never subscribed to",
        arguments: ["", "state+json/", "state/", "events/", "acks+json/\(producer)/", "replies/", "heartbeat/"])
    func forgedWithdrawals(prefix: String) throws {
        let good = try broker.wire(
            following: "state/", "state+json/", "events/", "heartbeat/",
            "acks+json/\(Self.producer)/")
        try good.send(show("A", in: "g"))
        try good.wait(for: "A") { $0.states.last?.words == "A" }
        let before = try good.ask(#""stats":{}"#).stats.subscriptions
        let stranger = try RawPeer(broker.egress, as: "SUB")
        for _ in 1...3 { try stranger.withdraw(prefix) }
        // It is taken: what it subscribes to afterwards comes.
        try stranger.subscribe(to: "feed/")
        try good.wait(for: "the stranger's subscription") { _ in
            (try? good.ask(#""stats":{}"#).stats.subscriptions) == before + 1
        }

        try good.send(show("B", in: "h"))
        try good.send(#"{"producer":"\#(Self.producer)","sequence":1,"show":{"id":"C","group":"i"}}"#)
        try good.wait(for: "states, events and acknowledgements") { wire in
            let topics = Set(wire.arrivals.map(\.topic))
            return topics.isSuperset(of: [
                "state/h/", "state+json/h/", "events/h/", "state/i/", "acks+json/\(Self.producer)/", "heartbeat/",
            ])
        }
        // And a connection's end withdraws nothing of others.
        withExtendedLifetime(stranger) {}
    }

    @Test("that subscribed before it went leaves nothing behind")
    func ends() throws {
        let good = try broker.wire(following: "state/")
        let before = try good.ask(#""stats":{}"#).stats.subscriptions
        for _ in 1...20 {
            let stranger = try RawPeer(broker.egress, as: "SUB")
            for prefix in ["", "state/", "events/g/"] { try stranger.subscribe(to: prefix) }
        }
        try good.wait(for: "their end") { _ in (try? good.ask(#""stats":{}"#).stats.subscriptions) == before }
    }

    @Test("is cut off when its message never ends", arguments: [(true, 65_536), (true, 0), (false, 1000)])
    func endlessMessage(isProducer: Bool, frameBytes: Int) throws {
        let good = try broker.wire(following: "state/")
        let before = try MemoryUse.resident(of: broker.process.id)
        let stranger = try RawPeer(isProducer ? broker.ingress : broker.egress, as: isProducer ? "PUB" : "SUB")
        // Some 64 KiB at once.
        let frames = max(1, 65_536 / (frameBytes + 2))
        let bytes = RawPeer.encode([UInt8](repeating: 0x20, count: frameBytes), more: true, times: frames)
        var sent = 0
        let begin = ContinuousClock.now
        #expect(throws: SystemError.self) {
            while sent < 1 << 30 {
                try stranger.write(bytes)
                sent += bytes.count
            }
        }
        // It is told at once, not by a timeout of its own.
        #expect(ContinuousClock.now - begin < .seconds(40))
        try good.send(show("A", in: "g"))
        try good.wait(for: "A") { $0.states.last?.words == "A" }
        #expect(try good.ask(#""stats":{}"#).stats.connectionsCut == 1)
        try broker.process.waitForLog("connection cut off")
        // What was read before it was noticed, at any speed, also where the broker has to wait for a processor.
        let peak = try MemoryUse.peak(of: broker.process.id)
        #expect(peak - before < Self.mostOfEndlessMessage)
    }

    @Test("is cut off when a message has thousands of frames", arguments: [true, false])
    func manyFrames(isProducer: Bool) throws {
        let good = try broker.wire(following: "state/")
        let stranger = try RawPeer(isProducer ? broker.ingress : broker.egress, as: isProducer ? "PUB" : "SUB")
        try stranger.write(RawPeer.encode([0x20], more: true, times: 5000) + RawPeer.encode([0x20]))
        try stranger.waitForEnd()
        try good.send(show("A", in: "g"))
        try good.wait(for: "A") { $0.states.last?.words == "A" }
        #expect(try good.ask(#""stats":{}"#).stats.connectionsCut == 1)
        try broker.process.waitForLog("a message of more than 64 frames")
    }

    @Test("that subscribes to more than a connection may is cut off, and takes nobody's subscriptions along")
    func manySubscriptions() throws {
        let broker = try BrokerProcess(arguments: ["--set", "limits.subscriptionsPerConnection=100"])
        let good = try broker.wire(following: "state/")
        let before = try good.ask(#""stats":{}"#).stats.subscriptions
        let stranger = try RawPeer(broker.egress, as: "SUB")
        for number in 1...101 { try stranger.subscribe(to: "state/g\(number)/") }
        try stranger.waitForEnd()
        try good.send(show("A", in: "g"))
        try good.wait(for: "A") { $0.states.last?.words == "A" }
        let stats = try good.ask(#""stats":{}"#).stats
        #expect(stats.connectionsCut == 1)
        #expect(stats.subscriptions == before)
        try broker.process.waitForLog("the limit `limits.subscriptionsPerConnection`")
    }

    @Test("is cut off when it sends long subscriptions without end, and holds nobody up for longer")
    func longSubscriptions() throws {
        let good = try broker.wire(following: "state/")
        let stranger = try RawPeer(broker.egress, as: "SUB")
        let tail = String(repeating: "x", count: 1000)
        var number = 0
        let most = 100_000
        #expect(throws: SystemError.self) {
            while number < most {
                // Each differs from the others near its beginning: libzmq keeps a node for each byte of its own.
                let part = (number..<number + 100).flatMap { RawPeer.encode(Array("\u{1}\($0)/\(tail)".utf8)) }
                try stranger.write(part)
                number += 100
            }
        }
        try good.send(show("A", in: "g"))
        try good.wait(for: "A") { $0.states.last?.words == "A" }
        #expect(try good.ask(#""stats":{}"#).stats.connectionsCut == 1)
        try broker.process.waitForLog("connection cut off")
    }

    @Test("is not who subscribes to as many groups at once as a connection may")
    func allowedSubscriptions() throws {
        let good = try broker.wire(following: "state/")
        let before = try good.ask(#""stats":{}"#).stats.subscriptions
        let peer = try RawPeer(broker.egress, as: "SUB")
        let padding = String(repeating: "x", count: 35)
        try peer.write((1...10_000).flatMap { RawPeer.encode(Array("\u{1}events/\($0)\(padding)/".utf8)) })
        try good.wait(for: "its subscriptions") { _ in
            (try? good.ask(#""stats":{}"#).stats.subscriptions) == before + 10_000
        }
        #expect(try good.ask(#""stats":{}"#).stats.connectionsCut == 0)
        withExtendedLifetime(peer) {}
    }

    @Test("of an address that has most connections is cut off where there are too many, and others are not")
    func manyConnections() throws {
        let broker = try BrokerProcess(arguments: ["--set", "limits.connections=3"])
        // One connection to each socket.
        let good = try broker.wire(following: "state/")
        let strangers = try (1...2).map { _ in try RawPeer(broker.egress, as: "SUB") }
        // In the middle of its handshake, or after it.
        try? RawPeer(broker.egress, as: "SUB").waitForEnd()
        try good.send(show("A", in: "g"))
        try good.wait(for: "A") { $0.states.last?.words == "A" }
        #expect(try good.ask(#""stats":{}"#).stats.connectionsCut == 1)
        try broker.process.waitForLog("more than 3 connections")
        withExtendedLifetime(strangers) {}
    }

    @Test("is not who sends much in whole messages, and is silent then")
    func silentProducer() throws {
        let good = try broker.wire(following: "state/")
        let padding = String(repeating: "x", count: 60_000)
        for number in 1...100 { try good.send(show("P\(number)", in: "g\(number)", #""text":"\#(padding)""#)) }
        try good.wait(for: "all states") { Set($0.arrivals.map(\.topic)).count >= 100 }
        try good.settle()
        #expect(try good.ask(#""stats":{}"#).stats.connectionsCut == 0)
    }

    @Test("is not who sends the largest frames faster than the broker reads them")
    func largestFrames() throws {
        let good = try broker.wire(following: "state/")
        let peers = try (0..<32).map { _ in try RawPeer(broker.ingress, as: "PUB") }
        // Batches take the loop longer than libzmq, which reads ahead: each peer waits for its turn with far more bytes
        // than a message without an end may have.
        let (commandsPerFrame, rounds) = (400, 16)
        let command = #"{"show":{"id":"P","group":"g","text":"\#(String(repeating: "x", count: 270))"}}"#
        let batch = #"{"commands":[\#(repeatElement(command, count: commandsPerFrame).joined(separator: ","))]}"#
        let frame = RawPeer.encode(Array(batch.utf8))
        #expect(frame.count > 120_000)
        for _ in 0..<rounds {
            for peer in peers { try peer.write(frame) }
            // The connections are checked four times a second, and are to be seen while their bytes come.
            Thread.sleep(forTimeInterval: 0.02)
        }
        let commands = UInt64(peers.count * rounds * commandsPerFrame)
        try good.wait(for: "all commands", before: .after(.seconds(240))) { _ in
            (try? good.ask(#""stats":{}"#).stats.commands) ?? 0 >= commands
        }
        #expect(try good.ask(#""stats":{}"#).stats.connectionsCut == 0)
    }

    @Test("that does not read is cut off when memory is short, and counted as a slow subscriber")
    func slowSubscriber() throws {
        let broker = try BrokerProcess(arguments: ["--set", "limits.memoryBytes=134217728"])
        let good = try broker.wire(following: "state/small/")
        let before = try good.ask(#""stats":{}"#).stats
        #expect(before.slowSubscribers == 0)
        let stranger = try RawPeer(broker.egress, as: "SUB")
        try stranger.subscribe(to: "state/large/")
        try good.wait(for: "its subscription") { _ in
            (try? good.ask(#""stats":{}"#).stats.subscriptions) == before.subscriptions + 1
        }
        // 6 MB at a time, since a connection that has not read for less than a second does not count as slow.
        var command = WireCommand()
        command.show.exclusive = .group
        command.show.data = .init(repeating: 0x78, count: 60_000)
        let deadline = Deadline.after(.seconds(180))
        var (stats, round) = (before, 0)
        while stats.connectionsCut == 0, !deadline.isOver {
            round += 1
            for group in 0..<100 {
                command.show.id = "L\(round)-\(group)"
                command.show.group = "large/\(group)"
                try good.send(frames: [try WireEncoding.binary.encode(command)])
            }
            stats = try good.ask(#""stats":{}"#).stats
            Thread.sleep(forTimeInterval: 0.1)
        }
        #expect((stats.connectionsCut, stats.slowSubscribers) == (1, 1))
        try broker.process.waitForLog("it does not take what is sent to it")
        try good.wait(for: "the end of its subscription") { _ in
            (try? good.ask(#""stats":{}"#).stats.subscriptions) == before.subscriptions
        }
        try good.send(show("A", in: "small"))
        try good.wait(for: "A") { $0.states.last?.words == "A" }
        withExtendedLifetime(stranger) {}
    }
}
