import PopupProtocol
import Testing

/// Never early; late only as far as a busy machine is.
@Suite("Time", .ownThread)
struct TimerTests {
    let broker: BrokerProcess
    let wire: Wire
    /// How late a timer may be here, in ms.
    private let lateness: UInt64 = 1000

    init() throws {
        broker = try BrokerProcess()
        wire = try broker.wire(following: "events/", "state/")
    }

    /// Sends commands in one frame, which are applied at one time: no timer comes between them.
    private func sendTogether(_ commands: [String]) throws {
        try wire.send(#"{"commands":[\#(commands.joined(separator: ","))]}"#)
    }

    private func between(_ first: String, _ second: String) throws -> UInt64 {
        let end = try wire.event(second, of: "g").event.time
        let start = try wire.event(first, of: "g").event.time
        return end - start
    }

    @Test("of display ends with it, by the broker's clock and by the one on the wall")
    func duration() throws {
        let begin = ContinuousClock.now
        try wire.send(show("A", in: "g", #""durationMs":400"#))

        #expect(400..<400 + lateness ~= (try between("A shown", "A closed TIMED_OUT")))
        let end = try wire.event("A closed TIMED_OUT", of: "g").at
        // The time of a popup is that at which the turn that received it began, in whole milliseconds.
        let turn = Duration.microseconds(Int64(try wire.ask(#""stats":{}"#).stats.turns.longestUs))
        #expect(end - begin >= .milliseconds(400) - turn - .milliseconds(1))
        #expect(try wire.event("A closed TIMED_OUT", of: "g").event.closed.displayedMs >= 400)
    }

    @Test("to live ends what was not shown, and counts no more for what was")
    func timeToLive() throws {
        try sendTogether([
            show("A", in: "g", #""priority":5,"ttlMs":100,"durationMs":600"#), show("B", in: "g", #""ttlMs":300"#),
        ])

        #expect(300..<300 + lateness ~= (try between("B queued", "B closed EXPIRED")))
        _ = try wire.event("A closed TIMED_OUT", of: "g")
    }

    @Test("of delay comes before the arrival")
    func delay() throws {
        try wire.send(show("A", in: "g", #""delayMs":300"#))

        #expect(300..<300 + lateness ~= (try between("A queued", "A shown")))
    }

    @Test("of a gap passes between two popups, also for a newcomer in it")
    func gap() throws {
        try sendTogether([
            #"{"setPolicy":{"group":"g","gapMs":400}}"#, show("A", in: "g"), show("B", in: "g"), dismiss("A"),
            show("C", in: "g", #""priority":9"#),
        ])

        #expect(400..<400 + lateness ~= (try between("A closed DISMISSED ok", "C shown")))
        #expect(
            try wire.events(of: "g", 5) == ["A shown", "B queued", "A closed DISMISSED ok", "C queued", "C shown"])
    }

    @Test("of least display holds a newcomer off, and not the user")
    func minimumDisplay() throws {
        try sendTogether([
            show("A", in: "g", #""minDisplayMs":400"#), show("B", in: "g", #""priority":9,"minDisplayMs":600000"#),
        ])

        #expect(400..<400 + lateness ~= (try between("A shown", "B shown")))
        try wire.send([#"{"advance":{"group":"g"}}"#, dismiss("B")])
        #expect(
            try wire.events(of: "g", 6) == [
                "A shown", "B queued", "A paused", "B shown", "B closed DISMISSED ok", "A resumed",
            ])
    }

    @Test("of many groups is kept for each of them, none early")
    func manyTimers() throws {
        let durations = (0..<300).map { 200 + ($0 * 37) % 500 }
        for (index, duration) in durations.enumerated() {
            try wire.send(show("P\(index)", in: "many/\(index)", #""durationMs":\#(duration)"#))
        }
        try wire.wait(for: "all to close") { wire in wire.events.count { $0.closed.reason == .timedOut } == 300 }

        var begun: [String: UInt64] = [:]
        for event in wire.events where event.words.hasSuffix("shown") { begun[event.popup] = event.time }
        for event in wire.events where event.closed.reason == .timedOut {
            let begin = try #require(begun[event.popup])
            let index = try #require(Int(event.popup.dropFirst()))
            let duration = UInt64(durations[index])
            #expect(duration..<duration + lateness ~= event.time - begin)
        }
        #expect(wire.events.count == 600)
    }
}
