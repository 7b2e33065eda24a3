import PopupAccess
import PopupClient
import Testing

@testable import PopupGateway

@Suite("Health")
struct HealthTests {
    /// A gateway of a broker that is not there.
    private func gateway() throws -> Gateway {
        let endpoints = BrokerEndpoints(ingress: "tcp://127.0.0.1:9", egress: "tcp://127.0.0.1:9")
        return try Gateway(BrokerConnection(endpoints), tokens: TokenTable()) { () throws(ClientError) in
            throw .closed
        }
    }

    private func ask(_ path: String, _ gateway: Gateway, hangingLoops: Int = 0) async -> (Int, String) {
        let response = await gateway.respondToAdmin(GatewayRequest("GET", path), hangingLoops: hangingLoops)
        return (response.status, String(decoding: response.bytes, as: UTF8.self))
    }

    @Test("A gateway whose event loops answer is alive, whatever the broker does; one with a loop that hangs is not")
    func livez() async throws {
        let gateway = try gateway()
        #expect(await ask("/livez", gateway) == (200, #"{"status":"ok"}"#))
        let hanging = await ask("/livez", gateway, hangingLoops: 2)
        #expect(
            hanging == (503, #"{"status":"unavailable","checks":{"eventLoops":"2 do not answer"}}"#))
    }

    @Test("A gateway without its broker, or one that drains, is not ready, and says why")
    func readyz() async throws {
        let gateway = try gateway()
        #expect(
            await ask("/readyz", gateway) == (503, #"{"status":"unavailable","checks":{"broker":"not connected"}}"#))
        await gateway.drain(over: .zero)
        #expect(await ask("/readyz", gateway) == (503, #"{"status":"unavailable","checks":{"draining":"yes"}}"#))
    }

    @Test(
        "A listener that only this machine reaches has the names of this machine and of the gateway, and no other",
        arguments: [
            ("127.0.0.1:8571", 200), ("LOCALHOST", 200), ("[::1]:8571", 200), ("", 200), ("evil.example:8571", 421),
            ("127.0.0.1.evil.example", 421),
        ])
    func adminHost(host: String, status: Int) async throws {
        let gateway = try gateway()
        for path in ["/livez", "/metrics"] {
            let request = GatewayRequest("GET", path, headers: ["host": host])
            let hosts: Set = ["localhost", "127.0.0.1", "[::1]"]
            #expect(await gateway.respondToAdmin(request, localHosts: hosts).status == status)
            #expect(await gateway.respondToAdmin(request).status == 200)
        }
        #expect(await gateway.respondToAdmin(GatewayRequest("GET", "/livez"), localHosts: []).status == 200)
    }

    @Test("A gateway that ends accepts no reader, and says when to come again")
    func draining() async throws {
        let gateway = try gateway()
        await gateway.drain(over: .zero)
        let problem = Problem.draining
        #expect(problem.status == 503 && problem.sent == nil)
        #expect((1000...3000).contains(Int(problem.retryAfterMs ?? 0)))
        #expect(throws: ClientError.self) { try gateway.hub.watch([], times) }
    }

    @Test(
        "Who gets no stream comes back when the gateway has ended, and of a long end, every ten seconds at most",
        arguments: [(0, 500...2000), (5, 4500...7000), (60, 8500...10_000)] as [(Int, ClosedRange<UInt32>)])
    func timeUntilPlace(seconds: Int, expected: ClosedRange<UInt32>) async throws {
        let gateway = try gateway()
        #expect(gateway.timeUntilPlace() == 10_000)
        let began = ContinuousClock.now
        await gateway.drain(over: .seconds(seconds))
        for _ in 0..<20 {
            let time = gateway.timeUntilPlace()
            // What has passed meanwhile is no part of it.
            let passed = UInt32((ContinuousClock.now - began) / .milliseconds(1))
            #expect(expected.lowerBound <= time + passed && time <= expected.upperBound)
        }
    }

    @Test("A drain ends in its time with many streams, too, and spreads them over it")
    func pace() async throws {
        var took: [Duration] = []
        // A busy machine may delay the end of a sleep.
        while took.count < 5, took.last.map({ $0 >= .seconds(3) }) ?? true {
            let gateway = try gateway()
            let watches = try (0..<20_000).map { _ in try gateway.hub.watch([], times) }
            let began = ContinuousClock.now
            // A part of them, in the order in which they end.
            let ended = Task {
                await withTaskGroup(of: Duration.self) { group in
                    for watch in watches[..<200] {
                        group.addTask {
                            for await _ in watch.signal.sequence() {}
                            return began.duration(to: .now)
                        }
                    }
                    return await group.reduce(into: []) { $0.append($1) }.sorted()
                }
            }
            await gateway.drain(over: .seconds(2))
            took.append(began.duration(to: .now))
            let ends = await ended.value
            #expect(ends[100] > .milliseconds(200) && ends[50] < ends[100] && ends[100] < ends[150])
        }
        #expect(took.allSatisfy { $0 >= .seconds(2) })
        #expect(took.contains { $0 < .seconds(3) }, "\(took)")
    }

    @Test("Beyond the limit of groups no further pattern is followed; those that are can have more readers")
    func groups() throws {
        let hub = try gateway().hub
        let (lobby, hall) = (GroupPattern("lobby")!, GroupPattern("hall")!)
        _ = try hub.watch([lobby], times, groups: 1)
        #expect(throws: ClientError.tooManyGroups(limit: 0)) { try hub.watch([lobby, hall], times, groups: 0) }
        #expect(hub.feedCount == 1 && hub.watchCount == 1)
        _ = try hub.watch([lobby], times, groups: 0)
        // Without patterns, a reader follows only the broker.
        _ = try hub.watch([], times, groups: 0)
        #expect(hub.feedCount == 1 && hub.watchCount == 3)
    }

    private let times = Watch.Times(heartbeat: .seconds(15), end: .now + .seconds(60))

    @Test("A reader without patterns learns that the broker is lost and back, and when the gateway ends")
    func broker() async throws {
        let gateway = try gateway()
        let watch = try gateway.hub.watch([], times)
        guard case .synced? = watch.take(at: .now) else {
            Issue.record("there is nothing to wait for")
            return
        }
        #expect(watch.take(at: .now) == nil)
        watch.setConnected(true)
        guard case .broker(isConnected: true)? = watch.take(at: .now) else {
            Issue.record("it is not told")
            return
        }
        await gateway.drain(over: .zero)
        for await _ in watch.signal.sequence() {}
        guard case .retry? = watch.take(at: .now) else {
            Issue.record("it does not end")
            return
        }
    }

    @Test("A silent broker is reported with the age of its heartbeat")
    func silent() {
        #expect(Hub.BrokerCondition.silent(.milliseconds(4218)).check == #""heartbeat":"4.2 s old""#)
        #expect(Hub.BrokerCondition.silent(nil).check == #""heartbeat":"none yet""#)
    }
}

@Suite("Connections of tokens")
struct SeparateConnectionTests {
    private func token(_ name: String, isSeparate: Bool = true) -> AccessToken {
        AccessToken(name: UserName(name)!, hash: TokenHash(of: name), may: [:], isSeparate: isSeparate)
    }

    private func connect() throws(ClientError) -> BrokerConnection {
        try BrokerConnection(BrokerEndpoints(ingress: "tcp://127.0.0.1:9", egress: "tcp://127.0.0.1:9"))
    }

    @Test("Each token with `separate` has its own, which stays when the tokens are read again, until it is removed")
    func update() async throws {
        let connections = SeparateConnections(connect)
        let (first, second, other) = (token("first"), token("second"), token("other", isSeparate: false))
        try connections.update(for: TokenTable([first, second, other]))
        let own = connections.connection(of: first)
        #expect(own != nil && connections.connection(of: second) != nil)
        #expect(own !== connections.connection(of: second))
        #expect(connections.connection(of: other) == nil)
        try connections.update(for: TokenTable([first, other]))
        #expect(connections.connection(of: first) === own)
        #expect(connections.connection(of: second) == nil)
        await connections.close()
        #expect(connections.connection(of: first) == nil)
    }

    @Test("If one cannot be made, all stay as they were")
    func failure() async throws {
        let connections = SeparateConnections { () throws(ClientError) in throw .closed }
        #expect(throws: ClientError.self) { try connections.update(for: TokenTable([token("first")])) }
        #expect(connections.connection(of: token("first")) == nil)
    }
}
