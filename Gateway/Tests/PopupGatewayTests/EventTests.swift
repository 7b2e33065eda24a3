import PopupAccess
import PopupClient
import PopupProtocol
import Testing

@testable import PopupGateway

@Suite("Events on a stream")
struct EventTests {
    private let start = ContinuousClock.now

    private func event(_ number: Int, bytes: Int = 10) -> EncodedEvent {
        EncodedEvent(number: UInt64(number), json: Array(repeating: 0x20, count: bytes))
    }

    private func watch() -> EventWatch {
        EventWatch([.every], Watch.Times(heartbeat: .seconds(15), end: start + .seconds(3600)), at: start)
    }

    private func words(_ watch: EventWatch) -> [String] {
        var words: [String] = []
        while let item = watch.take(at: start) {
            let word =
                switch item {
                case .event(let event): "\(event.number)"
                case .gap(let dropped): "gap \(dropped)"
                case .broker(let isConnected): "broker \(isConnected)"
                case .ping: "ping"
                case .retry: "retry"
                }
            words.append(word)
        }
        return words
    }

    @Test("Events come in order, each once")
    func order() {
        let watch = watch()
        for number in 1...256 { watch.offer(event(number)) }
        #expect(words(watch) == (1...256).map(String.init))
        watch.offer(event(257))
        #expect(words(watch) == ["257"])
    }

    @Test("A reader that is too slow learns how many events it missed, before those that follow")
    func slow() {
        let watch = watch()
        for number in 1...600 { watch.offer(event(number)) }
        let words = words(watch)
        #expect(words.first == "gap 512")
        #expect(words.dropFirst().map { $0 } == (513...600).map(String.init))
    }

    @Test("Who comes back gets all that was kept, however much; only what comes after that has the limit")
    func replay() {
        let watch = watch()
        watch.replay((1...1024).map { event($0) })
        for number in 1025...1280 { watch.offer(event(number)) }
        #expect(words(watch) == (1...1280).map(String.init))
        for number in 1281...1536 { watch.offer(event(number)) }
        watch.offer(event(1537))
        #expect(words(watch) == ["gap 256", "1537"])
    }

    @Test("Who comes back and then takes nothing learns how many events it missed, with those that were kept for it")
    func replayOfSlowReader() {
        let watch = watch()
        watch.replay((1...400).map { event($0) })
        for number in 401...656 { watch.offer(event(number)) }
        for number in 1...10 {
            guard case .event(let event)? = watch.take(at: start) else {
                Issue.record("\(number) is missing")
                return
            }
            #expect(event.number == UInt64(number))
        }
        watch.offer(event(657))
        #expect(words(watch) == ["gap 646", "657"])
    }

    @Test("A silent stream of events pings; one that was written to does not")
    func ping() {
        let watch = watch()
        watch.offer(event(1))
        #expect(words(watch) == ["1"])
        watch.tick(at: start + .seconds(14))
        #expect(watch.take(at: start + .seconds(14)) == nil)
        watch.tick(at: start + .seconds(15))
        guard case .ping? = watch.take(at: start + .seconds(15)) else {
            Issue.record("it is silent")
            return
        }
        watch.tick(at: start + .seconds(29))
        #expect(watch.take(at: start + .seconds(29)) == nil)
    }

    @Test("Who comes back gets what it missed; who was away too long learns that something is missing")
    func recent() {
        var recent = RecentEvents(after: 10)
        for number in 11...20 { recent.append(event(number)) }
        #expect(recent.events(after: 10)?.map(\.number) == Array(11...20))
        #expect(recent.events(after: 18)?.map(\.number) == [19, 20])
        #expect(recent.events(after: 20)?.isEmpty == true)
        #expect(recent.events(after: 9) == nil)
        // Who has the newest event may have missed those that were lost.
        recent.lose(through: 21)
        #expect(recent.events(after: 20) == nil)
        #expect(recent.events(after: 21)?.isEmpty == true)
        recent.append(event(22))
        #expect(recent.events(after: 20) == nil)
        #expect(recent.events(after: 21)?.map(\.number) == [22])
    }

    /// A hub of a broker that is not there.
    private func hub(mostBytes: Int = EventHub.mostBytes) throws -> EventHub {
        let endpoints = BrokerEndpoints(ingress: "tcp://127.0.0.1:9", egress: "tcp://127.0.0.1:9")
        return EventHub(try BrokerConnection(endpoints), boot: "7", MissingRights { _ in }, mostBytes: mostBytes)
    }

    @Test("All patterns together keep a limited number of bytes, of which the oldest go first, whoever has them")
    func budget() throws {
        let hub = try hub(mostBytes: 10_000)
        let (busy, quiet) = (GroupPattern("busy")!, GroupPattern("quiet")!)
        let times = Watch.Times(heartbeat: .seconds(15), end: start + .seconds(3600))
        func words(after number: Int, of pattern: GroupPattern) throws -> [String] {
            let watch = try hub.watch([pattern], for: TokenHash(of: "a"), after: "7-\(number)", times)
            defer { hub.unwatch(watch) }
            return self.words(watch)
        }
        func send(_ pattern: GroupPattern) {
            var event = WireEvent()
            (event.group, event.popup) = (pattern.text, String(repeating: "x", count: 1000))
            hub.absorb(event, of: pattern)
        }
        // The numbers 1 and 2 are those of the two patterns.
        _ = try hub.watch([busy], for: TokenHash(of: "a"), after: nil, times)
        _ = try hub.watch([quiet], for: TokenHash(of: "a"), after: nil, times)
        for _ in 3...5 { send(quiet) }
        for _ in 6...10 { send(busy) }
        #expect(hub.keptBytes > 8000)
        #expect(try words(after: 3, of: quiet) == ["4", "5"])
        let numberOfFirst = 12
        for _ in numberOfFirst..<numberOfFirst + 5000 { send(busy) }
        #expect(hub.keptBytes > 8000 && hub.keptBytes <= 10_000)
        let last = numberOfFirst + 4999
        #expect(try words(after: last - 3, of: busy) == (last - 2...last).map(String.init))
        #expect(try words(after: last - 20, of: busy) == ["gap 0"])
        // The busy pattern has taken the place of what the quiet one had kept. Who had it all has missed nothing.
        #expect(try words(after: 4, of: quiet) == ["gap 0"])
        #expect(try words(after: 5, of: quiet) == [])
        hub.setConnected(true)
        #expect(hub.keptBytes == 0)
        send(quiet)
        #expect(hub.keptBytes > 1000)
    }

    @Test("Who comes back with the newest number gets a gap if the pattern was not followed meanwhile, and else none")
    func unfollowed() throws {
        let hub = try hub()
        func words(after id: String?, of pattern: GroupPattern) throws -> [String] {
            let watch = try hub.watch(
                [pattern], for: TokenHash(of: "a"), after: id,
                Watch.Times(heartbeat: .seconds(15), end: start + .seconds(3600)))
            defer { hub.unwatch(watch) }
            return self.words(watch)
        }
        let (lobby, hall) = (GroupPattern("lobby")!, GroupPattern("hall")!)
        // Nobody has the number 0, but it is the newest one.
        #expect(try words(after: "7-0", of: lobby) == ["gap 0"])
        // It stays for half a minute, whatever others do.
        #expect(try words(after: "7-1", of: lobby) == [])
        #expect(try words(after: nil, of: hall) == [])
        #expect(try words(after: "7-1", of: lobby) == [])
        hub.tick(at: .now + .seconds(31))
        #expect(hub.feedCount == 0)
        #expect(try words(after: "7-2", of: lobby) == ["gap 0"])
    }

    @Test("Who comes back with the newest number gets a gap if the broker was lost meanwhile")
    func lost() throws {
        let hub = try hub()
        func watch(after id: String?) throws -> EventWatch {
            try hub.watch(
                [.every], for: TokenHash(of: "a"), after: id,
                Watch.Times(heartbeat: .seconds(15), end: start + .seconds(3600)))
        }
        let stayed = try watch(after: nil)
        #expect(try words(watch(after: "7-1")) == [])
        hub.setConnected(false)
        #expect(try words(watch(after: "7-1")) == ["gap 0"])
        hub.setConnected(true)
        #expect(try words(watch(after: "7-2")) == ["gap 0"])
        #expect(words(stayed) == ["broker true", "gap 0"])
    }

    @Test("What is kept has a limit in number and in bytes, and has no gap")
    func limits() throws {
        for (count, bytes) in [(5000, 10), (3000, 1000)] {
            var recent = RecentEvents(after: 0)
            for number in 1...count {
                recent.append(event(number, bytes: bytes))
                let kept = try #require(recent.events(after: UInt64(number) - 1))
                #expect(kept.map(\.number) == [UInt64(number)])
            }
            let oldest = try #require((0...count).first { recent.events(after: UInt64($0)) != nil })
            let kept = try #require(recent.events(after: UInt64(oldest)))
            #expect(kept.map(\.number) == (oldest + 1...count).map { UInt64($0) })
            // As many as both limits allow, not fewer.
            #expect(kept.count == min(RecentEvents.maxCount, RecentEvents.maxBytes / bytes))
        }
    }

    @Test("Patterns that others contain are left out")
    func widest() {
        let patterns = ["a/*", "a/b", "a/b/*", "c", "b", "b"].map { GroupPattern($0)! }
        #expect(patterns.widest.map(\.text) == ["a/*", "b", "c"])
    }
}

@Suite("Session cookies")
struct CookieTests {
    private func secret(_ method: String, _ headers: [String: String]) -> String? {
        SessionCookie.secret(in: GatewayRequest(method, "/v1/stats", headers: headers))
    }

    @Test("A cookie counts for reading, and for the rest only from the gateway's own pages")
    func origin() {
        let cookie = ["cookie": "other=1; popup=pg_1"]
        #expect(secret("GET", cookie) == "pg_1")
        #expect(secret("POST", cookie) == nil)
        #expect(secret("POST", cookie.merging(["sec-fetch-site": "cross-site"]) { $1 }) == nil)
        #expect(secret("DELETE", cookie.merging(["sec-fetch-site": "same-site"]) { $1 }) == nil)
        #expect(secret("POST", cookie.merging(["sec-fetch-site": "same-origin"]) { $1 }) == "pg_1")
        #expect(secret("POST", cookie.merging(["x-popup": "1"]) { $1 }) == "pg_1")
        #expect(secret("GET", ["cookie": "xpopup=pg_1; popups=pg_2"]) == nil)
        #expect(secret("GET", ["cookie": "__Host-popup=pg_3"]) == "pg_3")
    }

    @Test("No script reads it, and no other site sends it")
    func attributes() throws {
        let plain = try SessionCookie.setting("pg_1", in: GatewayRequest("POST", "/v1/session-cookie"))
        #expect(plain.cookies == ["popup=pg_1; HttpOnly; SameSite=Strict; Path=/"])
        let request = GatewayRequest("POST", "/v1/session-cookie", headers: ["origin": "https://popups.example"])
        let secure = try SessionCookie.setting("pg_1", in: request)
        #expect(secure.cookies == ["__Host-popup=pg_1; HttpOnly; SameSite=Strict; Path=/; Secure"])
        let proxied = GatewayRequest("POST", "/v1/session-cookie", isSecure: true)
        #expect(try SessionCookie.setting("pg_1", in: proxied).cookies == secure.cookies)
        #expect(throws: Problem.self) {
            try SessionCookie.setting("a; Domain=x", in: GatewayRequest("POST", "/v1/session-cookie"))
        }
    }

    @Test("Removing it removes the one that was set with TLS, too")
    func removal() {
        let cookies = SessionCookie.removal.cookies
        #expect(cookies.count == 2)
        for name in ["popup", "__Host-popup"] {
            let cookie = cookies.first { $0.hasPrefix("\(name)=;") }
            #expect(cookie?.hasSuffix("; Max-Age=0") == true, "\(name)")
            // A browser ignores a cookie of this name without `Secure`.
            #expect(cookie?.contains("; Secure") == (name == "__Host-popup"))
        }
    }
}
