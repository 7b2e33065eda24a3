import PopupAccess
import PopupClient
import Synchronization
import Testing

@testable import PopupGateway

@Suite("Tokens")
struct TokenTests {
    @Test(
        "A hash is that of FIPS 180-4",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ])
    func hash(text: String, digest: String) {
        #expect(TokenHash(of: text).text == digest)
    }

    private func token(_ may: [Right: [GroupPattern]], maxPriority: Int32? = nil) -> AccessToken {
        AccessToken(
            name: UserName("ci")!, hash: TokenHash(of: "secret"), may: may, maxPriority: maxPriority)
    }

    @Test("A token is found by its secret alone")
    func lookUp() {
        let table = TokenTable([token([.watch: [.every]])])
        #expect(table.token(authorization: "Bearer secret")?.name.text == "ci")
        #expect(table.token(authorization: "bearer secret")?.name.text == "ci")
        for wrong in [nil, "", "secret", "Bearer", "Bearer Secret", "Basic secret"] {
            #expect(table.token(authorization: wrong) == nil)
        }
    }

    @Test("A pattern of a request must be contained in one of the token's")
    func containment() {
        let access = token([.watch: [GroupPattern("build/*")!]]).access
        #expect(access.has(.watch, in: GroupPattern("build/linux")!))
        #expect(access.has(.watch, in: GroupPattern("build/linux/*")!))
        #expect(!access.has(.watch, in: GroupPattern("build")!))
        #expect(!access.has(.watch, in: .every))
        #expect(!access.has(.show, in: GroupPattern("build/linux")!))
    }

    @Test("A higher priority than the token's is denied")
    func priority() {
        let access = token([.show: [.every]], maxPriority: 5).access
        let group = GroupPattern("lobby")!
        #expect(access.denial(of: AccessRequest(.show(priority: 5, exclusive: .none), in: group)) == nil)
        #expect(access.denial(of: AccessRequest(.show(priority: 6, exclusive: .none), in: group)) != nil)
        #expect(access.denial(of: AccessRequest(.show(priority: 0, exclusive: .all), in: group)) != nil)
    }
}

@Suite("Routes")
struct RouteTests {
    @Test("A group is the rest of the path")
    func group() throws {
        #expect(try Route(method: "GET", path: "/v1/state/a/b/c") == .state(group: "a/b/c"))
        #expect(try Route(method: "POST", path: "/v1/show/lobby") == .showText(group: "lobby"))
    }

    @Test("An id is one segment, decoded")
    func id() throws {
        #expect(try Route(method: "PUT", path: "/v1/popups/a%2Fb%20c") == .putPopup(id: "a/b c"))
        #expect(try Route(method: "POST", path: "/v1/popups/x/dismiss") == .dismiss(id: "x"))
    }

    @Test("Another path is 404, another method 405 with what is allowed, a broken id 400")
    func mistakes() {
        let status = { (method: String, path: String) in
            do throws(Problem) {
                _ = try Route(method: method, path: path)
                return 200
            } catch {
                return error.status
            }
        }
        #expect(status("GET", "/v2/popups") == 404)
        #expect(status("GET", "/v1/popups/a/b/c") == 404)
        #expect(status("PATCH", "/v1/popups") == 405)
        #expect(status("GET", "/v1/popups/%zz") == 400)
        let refusal = #expect(throws: Problem.self) { try Route(method: "DELETE", path: "/v1/stream") }
        #expect(refusal?.response.headers["Allow"] == "GET")
    }

    @Test(
        "A request is counted under its route, whatever the method",
        arguments: [
            ("DELETE", "/v1/stream", 405, #"route="/v1/stream",method="DELETE",code="405""#),
            ("HEAD", "/v1/popups/a", 405, #"route="/v1/popups/{id}",method="HEAD",code="405""#),
            ("BREW", "/v1/show/a/b", 405, #"route="/v1/show/{group}",method="other",code="405""#),
            ("GET", "/v1/policy", 200, #"route="/v1/policy",method="GET",code="200""#),
            ("GET", "/v1/nowhere", 404, #"route="other",method="GET",code="404""#),
        ])
    func counted(method: String, path: String, status: Int, labels: String) {
        let metrics = GatewayMetrics()
        metrics.count(GatewayRequest(method, path), status: status, duration: nil)
        var text = PrometheusText()
        metrics.add(to: &text)
        #expect(text.text.contains("popup_gateway_http_requests_total{\(labels)} 1\n"))
    }

    @Test("Each route, and each webhook, has its series from the start")
    func series() {
        var text = PrometheusText()
        GatewayMetrics().add(to: &text, hooks: [UserName("builds")!])
        for line in [
            #"popup_gateway_http_requests_total{route="/v1/popups",method="POST",code="201"} 0"#,
            #"popup_gateway_http_requests_total{route="/v1/popups/{id}",method="PUT",code="200"} 0"#,
            #"popup_gateway_http_requests_total{route="/v1/popups/{id}",method="PUT",code="504"} 0"#,
            #"popup_gateway_http_requests_total{route="/v1/hooks/{name}",method="POST",code="202"} 0"#,
            #"popup_gateway_http_request_duration_seconds_count{route="/v1/state/{group}"} 0"#,
            #"popup_gateway_http_request_duration_seconds_count{route="other"} 0"#,
            #"popup_gateway_hooks_total{hook="builds",outcome="refused"} 0"#,
        ] { #expect(text.text.contains(line + "\n"), "\(line)") }
    }
}

@Suite("Problems")
struct ProblemTests {
    @Test(
        "Each reason of the protocol has its status",
        arguments: [
            (WireRefused.Reason.malformed, 400), (.invalid, 422), (.tooLarge, 413), (.unsupported, 501),
            (.permissionDenied, 403), (.overload, 429), (.conflict, 409), (.stale, 409), (.notFound, 404),
            (.sequenceReused, 409),
        ])
    func reasons(reason: WireRefused.Reason, status: Int) {
        #expect(Problem(CommandRefusal(reason, "why")).status == status)
    }

    @Test("An outcome that is not known is told apart from a command that was not sent")
    func sent() {
        let unknown = Problem(ClientError.acknowledgementTimedOut(endpoint: "tcp://x", after: .seconds(5)))
        #expect(unknown.status == 504 && unknown.sent == .unknown)
        let unsent = Problem(ClientError.notConnected(endpoint: "tcp://x", after: .zero))
        #expect(unsent.status == 503 && unsent.sent == .no)
        #expect(unsent.response.headers["Retry-After"] == "1")
    }

    @Test("Retry-After is in whole seconds, rounded up")
    func retryAfter() {
        #expect(Problem(CommandRefusal(.overload, "", retryAfter: 2001)).response.headers["Retry-After"] == "3")
    }
}

@Suite("Ids of requests")
struct RequestIDTests {
    @Test("An id that the client gives is kept", arguments: ["a", "7b1e-42", "00-4bf9:x/y.z_1+2=@"])
    func given(id: String) {
        #expect(RequestID(header: id).description == id)
    }

    @Test(
        "Without one, or with one that a line of a log cannot hold, there is a new one",
        arguments: [nil, "", "a b", "a\nb", "a\"b", "é", String(repeating: "a", count: 129)])
    func new(id: String?) {
        let ids = [RequestID(header: id), RequestID(header: id)]
        #expect(ids[0] != ids[1])
        for new in ids {
            #expect(new.description != id && new.description.count == 16)
            #expect(RequestID(header: new.description) == new)
        }
    }
}

@Suite("Popups of text")
struct TextTests {
    @Test("The query has the fields, the body the text")
    func fields() throws {
        let request = GatewayRequest(
            "POST", "/v1/show/lobby?title=Tea+time&duration=20s&scene=top-bar&action=ok:OK&action=no&priority=-3",
            body: Array("Two cups".utf8))
        let popup = try PopupOfText(request, group: "lobby").popup
        #expect(popup.text == "Two cups" && popup.group == "lobby" && popup.presentation.title == "Tea time")
        #expect(popup.durationMs == 20_000 && popup.priority == -3 && popup.presentation.scene == .topBar)
        #expect(popup.actions.map(\.id) == ["ok", "no"] && popup.actions.map(\.label) == ["OK", "no"])
    }

    @Test(
        "What is unknown or not valid is a mistake",
        arguments: [
            "titel=x", "duration=20", "duration=99999999999s", "priority=high", "scene=nowhere",
        ])
    func mistakes(query: String) {
        #expect(throws: Problem.self) { try PopupOfText(GatewayRequest("POST", "/?\(query)"), group: "lobby") }
    }
}

@Suite("States on a stream")
struct StreamTests {
    private func state(_ revision: UInt64, text: String = "", remaining: UInt32? = nil, group: String = "lobby")
        -> EncodedState
    {
        var wire = WireGroupState()
        (wire.epoch, wire.group, wire.revision) = (7, group, revision)
        if !text.isEmpty { wire.active.text = text }
        if let remaining { wire.active.remainingMs = remaining }
        return EncodedState(GroupState(wire, received: start))
    }

    private let start = ContinuousClock.now

    private func watch() -> Watch {
        Watch([.every], Watch.Times(heartbeat: .seconds(15), end: start + .seconds(3600)), at: start)
    }

    private func words(_ watch: Watch, at now: ContinuousClock.Instant) -> [String] {
        var words: [String] = []
        while let item = watch.take(at: now) {
            let word =
                switch item {
                case .state(let state): "\(state.group) \(state.revision)"
                case .synced(_, let states, let isResumed): "synced \(states)\(isResumed ? " resumed" : "")"
                case .broker(let isConnected): "broker \(isConnected)"
                case .ping: "ping"
                case .retry: "retry"
                }
            words.append(word)
        }
        return words
    }

    @Test("The time left counts from when the bytes are made, whatever the text says")
    func remaining() {
        let text = #"a "remainingMs":4294967295 b"#
        let json = String(decoding: state(1, text: text, remaining: 5000).json(at: start + .seconds(2)), as: UTF8.self)
        #expect(json.contains(#""remainingMs":3000"#))
        #expect(json.contains(#"\"remainingMs\":4294967295"#))
        let late = String(decoding: state(1, text: "x", remaining: 5000).json(at: start + .seconds(9)), as: UTF8.self)
        #expect(late.contains(#""remainingMs":0"#))
    }

    @Test("A slow reader gets the newest state of each group, once")
    func newest() {
        let watch = watch()
        for revision in 1...1000 { watch.offer(state(UInt64(revision), text: "x")) }
        watch.offer(state(1, text: "y", group: "kitchen"))
        watch.sync(.every)
        #expect(words(watch, at: start) == ["lobby 1000", "kitchen 1", "synced 2"])
        #expect(words(watch, at: start).isEmpty)
    }

    @Test("A state that a newer one replaces unsent counts as conflated; one that comes again does not")
    func conflated() {
        let traffic = StreamTraffic()
        let watch = Watch(
            [.every], Watch.Times(heartbeat: .seconds(15), end: start + .seconds(3600)), at: start, traffic: traffic)
        for revision in [1, 2, 3, 3] { watch.offer(state(UInt64(revision), text: "x")) }
        watch.offer(state(1, text: "y", group: "kitchen"))
        traffic.count(.state, bytes: 40)
        traffic.count(.state, bytes: 2)
        traffic.countDropped(512)
        var text = PrometheusText()
        traffic.add(to: &text)
        for line in [
            "popup_gateway_states_conflated_total 2", "popup_gateway_events_dropped_total 512",
            #"popup_gateway_stream_messages_total{kind="state"} 2"#,
            #"popup_gateway_stream_bytes_total{kind="state"} 42"#,
            #"popup_gateway_stream_messages_total{kind="gap"} 0"#,
            #"popup_gateway_stream_bytes_total{kind="ping"} 0"#,
        ] { #expect(text.text.contains(line + "\n"), "\(line)") }
    }

    @Test("Of a stream, a limited number of groups that became empty waits; with one more it ends, as slow")
    func overflow() throws {
        let streams = OpenStreams()
        let token = AccessToken(name: UserName("a")!, hash: TokenHash(of: "a"), may: [.watch: [.every]])
        let watch = watch()
        watch.sync(.every)
        #expect(words(watch, at: start) == ["synced 0"])
        for number in 1...Watch.mostEmptied { watch.offer(state(1, group: "group-\(number)")) }
        #expect(watch.isBehind && !watch.hasOverflown)
        // What is taken does not count, and neither does what shows something again.
        #expect(watch.take(at: start) != nil)
        watch.offer(state(2, text: "x", group: "group-2"))
        watch.offer(state(1, group: "a"))
        watch.offer(state(1, group: "b"))
        watch.offer(state(2, group: "b"))
        #expect(!watch.hasOverflown)
        let place = try #require(streams.reserve(for: token, .state, limits: .init(streams: 1)))
        streams.attach(watch, to: place)
        watch.offer(state(1, group: "c"))
        #expect(watch.hasOverflown && !watch.isBehind)
        // The reader comes again, and gets what there is.
        #expect(words(watch, at: start) == ["retry"])
        streams.release(place)
        var text = PrometheusText()
        streams.add(to: &text)
        #expect(text.text.contains(#"popup_gateway_streams_closed_total{kind="state",cause="slow"} 1"# + "\n"))
    }

    @Test(
        "A stream of one group whose reader had the present state is resumed",
        arguments: [("7:2", true), ("7:1", false), ("6:2", false), ("7:2@lobby", false), ("", false)])
    func resumed(known: String, isResumed: Bool) {
        let lobby = GroupPattern("lobby")!
        let watch = Watch(
            [lobby], Watch.Times(heartbeat: .seconds(15), end: start + .seconds(3600)), at: start, after: known)
        watch.offer(state(2, text: "x"))
        watch.sync(lobby)
        #expect(words(watch, at: start) == ["lobby 2", "synced 1\(isResumed ? " resumed" : "")"])
        // Only the beginning: after the loss of the broker, something may be missing.
        watch.setConnected(true)
        watch.offer(state(2, text: "x"))
        watch.sync(lobby)
        #expect(words(watch, at: start) == ["broker true", "lobby 2", "synced 1"])
    }

    @Test("A group that is empty at the beginning needs no state; one that becomes empty does")
    func empty() {
        let watch = watch()
        watch.offer(state(1))
        watch.sync(.every)
        #expect(words(watch, at: start) == ["synced 0"])
        watch.offer(state(2))
        #expect(words(watch, at: start) == ["lobby 2"])
    }

    @Test("A silent stream pings; one that was written to does not")
    func ping() {
        let watch = watch()
        watch.sync(.every)
        #expect(words(watch, at: start) == ["synced 0"])
        watch.tick(at: start + .seconds(14))
        #expect(words(watch, at: start + .seconds(14)).isEmpty)
        watch.tick(at: start + .seconds(15))
        #expect(words(watch, at: start + .seconds(15)) == ["ping"])
        watch.tick(at: start + .seconds(29))
        #expect(words(watch, at: start + .seconds(29)).isEmpty)
    }

    @Test("When the broker is back, the states are synced again")
    func broker() {
        let watch = watch()
        watch.sync(.every)
        _ = words(watch, at: start)
        watch.setConnected(false)
        #expect(words(watch, at: start) == ["broker false"])
        watch.setConnected(true)
        watch.offer(state(3, text: "x"))
        #expect(words(watch, at: start) == ["broker true", "lobby 3"])
        watch.sync(.every)
        #expect(words(watch, at: start) == ["synced 1"])
    }

    @Test("A stream that ends sends nothing of what is pending, and takes nothing more")
    func end() {
        let watch = watch()
        watch.offer(state(1, text: "x"))
        watch.setConnected(false)
        watch.end(retry: 2000)
        watch.offer(state(2, text: "y"))
        watch.setConnected(true)
        #expect(words(watch, at: start) == ["retry"])
    }

    /// What a stream has called.
    private final class Calls: Sendable {
        let closed = Mutex(0)
        let written = Mutex(0)

        func stream(_ watch: Watch) -> ResponseStream {
            ResponseStream(
                watch, greeting: [], rings: watch.rings, onWritten: { self.written.withLock { $0 += 1 } },
                onClose: { self.closed.withLock { $0 += 1 } },
                next: { now in watch.take(at: now).map { _ in [1] } })
        }
    }

    @Test("A stream closes once, whether it is written or not")
    func close() async throws {
        for isWritten in [false, true] {
            let (calls, watch) = (Calls(), watch())
            watch.end(retry: nil)
            if isWritten {
                try await calls.stream(watch).write(cut: {}) { _ in }
            } else {
                _ = calls.stream(watch)
            }
            #expect(calls.closed.withLock { $0 } == 1)
        }
    }

    @Test("What a write did not take does not count as written")
    func written() async {
        struct Gone: Error {}
        let (calls, watch) = (Calls(), watch())
        watch.offer(state(1, text: "x"))
        await #expect(throws: Gone.self) {
            try await calls.stream(watch).write(cut: {}) { bytes in if !bytes.isEmpty { throw Gone() } }
        }
        #expect(calls.written.withLock { $0 } == 0)
        #expect(calls.closed.withLock { $0 } == 1)
    }

    @Test("Each framing can be read back")
    func framing() {
        #expect(
            String(decoding: StreamFormat.events.message("state", Array("{\"a\":1}".utf8), id: "7:1"), as: UTF8.self)
                == "id: 7:1\nevent: state\ndata: {\"a\":1}\n\n")
        #expect(
            String(decoding: StreamFormat.lines.message("state", Array("{\"a\":1}".utf8), id: "7:1"), as: UTF8.self)
                == "{\"event\":\"state\",\"a\":1}\n")
        #expect(String(decoding: StreamFormat.lines.message("ping", "{}"), as: UTF8.self) == "{\"event\":\"ping\"}\n")
    }
}

@Suite("Places of streams and held requests")
struct OpenStreamsTests {
    private func token(_ name: String, streams: Int = 2) -> AccessToken {
        AccessToken(name: UserName(name)!, hash: TokenHash(of: name), may: [.watch: [.every]], streams: streams)
    }

    @Test("A stream is reserved within the token's limit and that of all, until it is released")
    func places() throws {
        let streams = OpenStreams()
        let first = try #require(streams.reserve(for: token("a"), .state, limits: .init(streams: 3)))
        #expect(streams.reserve(for: token("a"), .state, limits: .init(streams: 3)) != nil)
        #expect(streams.reserve(for: token("a"), .state, limits: .init(streams: 3)) == nil)
        #expect(streams.reserve(for: token("b"), .state, limits: .init(streams: 3)) != nil)
        #expect(streams.reserve(for: token("b"), .state, limits: .init(streams: 3)) == nil)
        streams.release(first)
        streams.release(first)
        var text = PrometheusText()
        streams.add(to: &text)
        for line in [
            #"popup_gateway_streams{kind="state"} 2"#, #"popup_gateway_streams_opened_total{kind="state"} 3"#,
            #"popup_gateway_streams_closed_total{kind="state",cause="client"} 1"#,
            #"popup_gateway_streams_closed_total{kind="events",cause="slow"} 0"#,
        ] { #expect(text.text.contains(line + "\n"), "\(line)") }
        #expect(streams.reserve(for: token("a"), .state, limits: .init(streams: 3)) != nil)
        #expect(streams.reserve(for: token("b"), .state, limits: .init(streams: 3)) == nil)
    }

    @Test("A stream whose groups cannot be followed any more ends by an error, with the time to come back")
    func failed() throws {
        let streams = OpenStreams()
        let end = ContinuousClock.now + .seconds(3600)
        let watch = Watch([.every], Watch.Times(heartbeat: .seconds(15), end: end), at: .now)
        let events = EventWatch([.every], Watch.Times(heartbeat: .seconds(15), end: end), at: .now)
        watch.fail()
        events.fail()
        if case .retry(10_000)? = watch.take(at: .now) {} else { Issue.record("the stream does not say when") }
        if case .retry(10_000)? = events.take(at: .now) {} else { Issue.record("the stream does not say when") }
        for kind in OpenStreams.Kind.allCases {
            let place = try #require(streams.reserve(for: token("b"), kind, limits: .init(streams: 1)))
            streams.attach(kind == .state ? watch : events, to: place)
            streams.release(place)
        }
        var text = PrometheusText()
        streams.add(to: &text)
        for kind in OpenStreams.Kind.allCases {
            let line = #"popup_gateway_streams_closed_total{kind="\#(kind.rawValue)",cause="error"} 1"#
            #expect(text.text.contains(line + "\n"), "\(line)")
        }
    }

    @Test("A stream whose connection took no bytes counts as slow, also if its reservation is released at once")
    func slow() async throws {
        final class Source: EndableStream {
            let endsAt = ContinuousClock.now + .seconds(3600)
            let hasFailed = false
            func end(retry: Int?) {}
        }
        let streams = OpenStreams()
        let place = try #require(streams.reserve(for: token("a"), .state, limits: .init(streams: 1)))
        let response = ResponseStream(
            Source(), greeting: [1], rings: AsyncStream { $0.finish() },
            onOpen: { streams.attach($0, to: place) }, onClose: {}, next: { _ in nil })
        try await response.write(cut: { streams.release(place) }) { _ in
            streams.cut(stalledSince: .now - .seconds(60), orSince: .now)
            #expect(streams.reserve(for: token("a"), .state, limits: .init(streams: 1)) == nil)
            streams.cut(stalledSince: .now, orSince: .now)
        }
        var text = PrometheusText()
        streams.add(to: &text)
        #expect(text.text.contains(#"popup_gateway_streams_closed_total{kind="state",cause="slow"} 1"# + "\n"))
        #expect(text.text.contains(#"popup_gateway_streams_closed_total{kind="state",cause="client"} 0"# + "\n"))
    }

    @Test("A stream with too much unsent must not stall as long as others, and ends as slow")
    func behind() async throws {
        let streams = OpenStreams()
        let watch = Watch(
            [.every], Watch.Times(heartbeat: .seconds(15), end: .now + .seconds(3600)), at: .now)
        let place = try #require(streams.reserve(for: token("a"), .state, limits: .init(streams: 1)))
        let response = ResponseStream(
            watch, greeting: [1], rings: AsyncStream { $0.finish() },
            onOpen: { streams.attach($0, to: place) }, onClose: {}, next: { _ in nil })
        func free() -> Bool { streams.reserve(for: token("b"), .state, limits: .init(streams: 1)) != nil }
        try await response.write(cut: { streams.release(place) }) { _ in
            var state = WireGroupState()
            for number in 0...Watch.mostEmptiedOfStalled {
                streams.cut(stalledSince: .now - .seconds(60), orSince: .now)
                #expect(!free(), "\(number)")
                state.group = "group-\(number)"
                // What was shown first, so that the reader must learn that it is gone.
                state.active.text = "x"
                watch.offer(EncodedState(GroupState(state, received: .now)))
                state.clearActive()
                watch.offer(EncodedState(GroupState(state, received: .now)))
            }
            streams.cut(stalledSince: .now - .seconds(60), orSince: .now)
        }
        var text = PrometheusText()
        streams.add(to: &text)
        #expect(text.text.contains(#"popup_gateway_streams_closed_total{kind="state",cause="slow"} 1"# + "\n"))
    }

    @Test("One token holds at most a quarter of the requests")
    func share() async throws {
        let streams = OpenStreams()
        let (a, b) = (token("a"), token("b"))
        func status(_ token: AccessToken) async -> Int {
            do { return try await streams.hold(for: token, limit: 8) { 200 } } catch {
                return Problem(failure: error).status
            }
        }
        let statuses = try await streams.hold(for: a, limit: 8) {
            try await streams.hold(for: a, limit: 8) { [await status(a), await status(b)] }
        }
        #expect(statuses == [429, 200])
        #expect(await status(a) == 200)
    }
}
