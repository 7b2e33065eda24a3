import PopupAccess
@_spi(Wire) import PopupClient
import PopupProtocol
import Synchronization
import Testing

@testable import PopupGateway

@Suite("States on a stream")
struct StateStreamTests {
    private func state(_ revision: UInt64, text: String = "", remaining: UInt32? = nil, group: String = "lobby")
        -> EncodedState
    {
        var wire = WireGroupState()
        (wire.epoch, wire.group, wire.revision) = (7, group, revision)
        if !text.isEmpty { wire.active.text = text }
        if let remaining { wire.active.remainingMs = remaining }
        return EncodedState(GroupState(PublishedState(wire: wire), received: start))
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

    @Test("The time left is corrected by what the broker has answered, if the state is older than the question")
    func corrected() throws {
        let held = state(4, text: "x", remaining: 5000)
        func correct(_ popup: String = "", to remaining: UInt32, asked: Duration = .seconds(3)) -> EncodedState? {
            held.corrected(popup, remainingMs: remaining, askedAt: start + asked, at: start + .seconds(4))
        }
        // Its clock stood still.
        let corrected = try #require(correct(to: 5000))
        #expect(corrected.version == held.version)
        let json = String(decoding: corrected.json(at: start + .seconds(6)), as: UTF8.self)
        #expect(json.contains(#""remainingMs":3000"#) && json.contains(#""text":"x""#))
        // It is right already, comes from after the question, shows another popup, or has no time.
        #expect(correct(to: 1200) == nil)
        #expect(correct(to: 5000, asked: .seconds(-1)) == nil)
        #expect(correct("other", to: 5000) == nil)
        let timeless = state(4, text: "x")
        #expect(timeless.corrected("", remainingMs: 5000, askedAt: start + .seconds(3), at: start + .seconds(4)) == nil)
    }

    @Test("The patterns that match a group are all under which it may be followed")
    func patterns() throws {
        let group = try #require(GroupName("build/linux/arm"))
        let patterns = GroupPattern.patterns(matching: group)
        #expect(Set(patterns.map(\.text)) == ["build/linux/arm", "*", "build/*", "build/linux/*"])
        #expect(patterns.allSatisfy { $0.matches(group) })
    }

    @Test("A slow reader gets the newest state of each group, once")
    func newest() {
        let watch = watch()
        for revision in 1...1000 { watch.offer(state(UInt64(revision), text: "x")) }
        watch.offer(state(1, text: "y", group: "kitchen"))
        watch.sync(.every, epoch: 7)
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
        watch.sync(.every, epoch: 7)
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
        watch.sync(lobby, epoch: 7)
        #expect(words(watch, at: start) == ["lobby 2", "synced 1\(isResumed ? " resumed" : "")"])
        // Only the beginning: after the loss of the broker, something may be missing.
        watch.setConnected(true)
        watch.offer(state(2, text: "x"))
        watch.sync(lobby, epoch: 7)
        #expect(words(watch, at: start) == ["broker true", "lobby 2", "synced 1"])
    }

    @Test("A group that is empty at the beginning needs no state; one that becomes empty does")
    func empty() {
        let watch = watch()
        watch.offer(state(1))
        watch.sync(.every, epoch: 7)
        #expect(words(watch, at: start) == ["synced 0"])
        watch.offer(state(2))
        #expect(words(watch, at: start) == ["lobby 2"])
    }

    @Test("A stream without states says the epoch of the broker that has none, and later that of the next one")
    func epoch() {
        let watch = watch()
        for epoch in [7, 9] as [UInt64] {
            watch.sync(.every, epoch: epoch)
            if case .synced(epoch, states: 0, isResumed: false)? = watch.take(at: start) {
            } else {
                Issue.record("another epoch than \(epoch)")
            }
            watch.setConnected(true)
            _ = watch.take(at: start)
        }
    }

    @Test("A silent stream pings; one that was written to does not")
    func ping() {
        let watch = watch()
        watch.sync(.every, epoch: 7)
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
        watch.sync(.every, epoch: 7)
        _ = words(watch, at: start)
        watch.setConnected(false)
        #expect(words(watch, at: start) == ["broker false"])
        watch.setConnected(true)
        watch.offer(state(3, text: "x"))
        #expect(words(watch, at: start) == ["broker true", "lobby 3"])
        watch.sync(.every, epoch: 7)
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

    /// A stream with a byte for each item, and what it has called.
    private final class Recorded: Sendable {
        let stream: ResponseStream
        let calls = Calls()

        final class Calls: Sendable {
            let closed = Atomic(0)
            let written = Atomic(0)
            let wakes = Atomic(0)
        }

        init(_ watch: Watch, greeting: [UInt8] = []) {
            stream = ResponseStream(
                watch, greeting: greeting, signal: watch.signal,
                onWritten: { [calls] in calls.written.add(1, ordering: .relaxed) },
                onClose: { [calls] in calls.closed.add(1, ordering: .relaxed) },
                next: { now in watch.take(at: now).map { _ in [1] } })
        }

        func open() { stream.open(cut: {}, wake: { [calls] in calls.wakes.add(1, ordering: .relaxed) }) }

        /// The next piece; `nil`: nothing until the next signal.
        var bytes: [UInt8]? {
            if case .bytes(let bytes) = stream.nextPiece() { bytes } else { nil }
        }
        var isAtEnd: Bool {
            if case .end = stream.nextPiece() { true } else { false }
        }
        var closed: Int { calls.closed.load(ordering: .relaxed) }
        var written: Int { calls.written.load(ordering: .relaxed) }
        var wakes: Int { calls.wakes.load(ordering: .relaxed) }
    }

    @Test("A stream closes once, whether a connection has written it or not")
    func close() {
        let written = Recorded(watch())
        written.open()
        written.stream.close()
        written.stream.close()
        #expect(written.closed == 1)
        let calls = Recorded(watch()).calls
        #expect(calls.closed.load(ordering: .relaxed) == 1)
    }

    @Test("The greeting is a piece of its own, and items count as written when the socket has taken their piece")
    func written() {
        let watch = watch()
        let recorded = Recorded(watch, greeting: [7, 8])
        watch.offer(state(1, text: "x"))
        recorded.open()
        #expect(recorded.bytes == [7, 8])
        recorded.stream.recordWritten()
        #expect(recorded.written == 0)
        #expect(recorded.bytes == [1])
        #expect(recorded.written == 0)
        recorded.stream.recordWritten()
        #expect(recorded.written == 1)
        #expect(recorded.bytes == nil && !recorded.isAtEnd)
    }

    @Test("A connection is woken for what came before it, for each item, and for the end, which comes after all items")
    func wakes() {
        let watch = watch()
        let recorded = Recorded(watch)
        watch.offer(state(1, text: "x"))
        recorded.open()
        #expect(recorded.wakes == 1)
        #expect(recorded.bytes == [1])
        recorded.stream.recordWritten()
        watch.offer(state(2, text: "y"))
        #expect(recorded.wakes == 2)
        watch.end(retry: 2000)
        #expect(recorded.wakes == 3)
        #expect(recorded.bytes == [1] && recorded.isAtEnd)
        watch.setConnected(true)
        #expect(recorded.wakes == 3)
    }

    @Test("A sequence of signals has those before it as one, and ends with the signal")
    func signals() async {
        let signal = Signal()
        signal.send()
        signal.send()
        signal.end()
        var count = 0
        for await _ in signal.sequence() { count += 1 }
        #expect(count == 1)
        signal.send()
        for await _ in signal.sequence() { count += 1 }
        #expect(count == 2 && signal.hasEnded)
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
