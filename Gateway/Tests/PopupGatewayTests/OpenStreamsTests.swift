import PopupAccess
@_spi(Wire) import PopupClient
import PopupProtocol
import Testing

@testable import PopupGateway

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

    @Test("Renderers have a limit of their own, which other streams do not count for")
    func renderers() throws {
        let streams = OpenStreams()
        func reserve(_ name: String, isRenderer: Bool = true) -> OpenStreams.Reservation? {
            streams.reserve(for: token(name), .state, isRenderer: isRenderer, limits: .init(streams: 9, renderers: 2))
        }
        #expect(reserve("a", isRenderer: false) != nil)
        let first = try #require(reserve("a"))
        #expect(reserve("b") != nil)
        #expect(reserve("c") == nil)
        #expect(reserve("c", isRenderer: false) != nil)
        streams.release(first)
        streams.release(first)
        var text = PrometheusText()
        streams.add(to: &text)
        #expect(text.text.contains("popup_gateway_renderers 1\n"))
        #expect(reserve("c") != nil)
        #expect(reserve("d") == nil)
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
    func slow() throws {
        final class Source: EndableStream {
            let endsAt = ContinuousClock.now + .seconds(3600)
            let hasFailed = false
            func end(retry: Int?) {}
        }
        let streams = OpenStreams()
        let place = try #require(streams.reserve(for: token("a"), .state, limits: .init(streams: 1)))
        let response = ResponseStream(
            Source(), greeting: [1], signal: Signal(),
            onOpen: { streams.attach($0, to: place) }, onClose: {}, next: { _ in nil })
        response.open(cut: { streams.release(place) }, wake: {})
        // The socket takes the greeting, and has nothing more to take.
        _ = response.nextPiece()
        response.recordWritten()
        streams.cut(stalledSince: .now, orSince: .now)
        #expect(streams.reserve(for: token("a"), .state, limits: .init(streams: 1)) == nil)
        // It does not take the greeting.
        let stalled = ResponseStream(
            Source(), greeting: [1], signal: Signal(),
            onOpen: { streams.attach($0, to: place) }, onClose: {}, next: { _ in nil })
        stalled.open(cut: { streams.release(place) }, wake: {})
        _ = stalled.nextPiece()
        streams.cut(stalledSince: .now - .seconds(60), orSince: .now)
        #expect(streams.reserve(for: token("a"), .state, limits: .init(streams: 1)) == nil)
        streams.cut(stalledSince: .now, orSince: .now)
        var text = PrometheusText()
        streams.add(to: &text)
        #expect(text.text.contains(#"popup_gateway_streams_closed_total{kind="state",cause="slow"} 1"# + "\n"))
        #expect(text.text.contains(#"popup_gateway_streams_closed_total{kind="state",cause="client"} 0"# + "\n"))
    }

    @Test("A stream with too much unsent must not stall as long as others, and ends as slow")
    func behind() throws {
        let streams = OpenStreams()
        let watch = Watch(
            [.every], Watch.Times(heartbeat: .seconds(15), end: .now + .seconds(3600)), at: .now)
        let place = try #require(streams.reserve(for: token("a"), .state, limits: .init(streams: 1)))
        let response = ResponseStream(
            watch, greeting: [1], signal: watch.signal,
            onOpen: { streams.attach($0, to: place) }, onClose: {}, next: { _ in nil })
        func free() -> Bool { streams.reserve(for: token("b"), .state, limits: .init(streams: 1)) != nil }
        response.open(cut: { streams.release(place) }, wake: {})
        _ = response.nextPiece()
        var state = WireGroupState()
        for number in 0...Watch.mostEmptiedOfStalled {
            streams.cut(stalledSince: .now - .seconds(60), orSince: .now)
            #expect(!free(), "\(number)")
            state.group = "group-\(number)"
            // What was shown first, so that the reader must learn that it is gone.
            state.active.text = "x"
            watch.offer(EncodedState(GroupState(PublishedState(wire: state), received: .now)))
            state.clearActive()
            watch.offer(EncodedState(GroupState(PublishedState(wire: state), received: .now)))
        }
        streams.cut(stalledSince: .now - .seconds(60), orSince: .now)
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
