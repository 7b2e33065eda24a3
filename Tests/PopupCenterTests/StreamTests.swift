import PopupCenter
import Testing

@Suite("Streams, answers and timers", .timeLimit(.minutes(5)))
struct StreamTests {
    @Test("states begin with the present one, and change by the clock alone")
    func states() async throws {
        let stage = try await Stage(.fifo)
        try await stage.center.show(Popup("A", duration: .seconds(2)))
        var states = await stage.center.states(of: "main").makeAsyncIterator()
        #expect(await states.next()?.active?.content == "A")
        try await stage.center.show(Popup("B", duration: .seconds(2)))
        #expect(await states.next()?.waiting == 1)
        stage.clock.advance(by: .seconds(2))
        #expect(await states.next()?.active?.content == "B")
        stage.clock.advance(by: .seconds(2))
        let last = await states.next()
        #expect(last?.active == nil)
        #expect(last?.waiting == 0)
    }

    @Test("a slow reader gets the newest state, and only those of its group")
    func newestState() async throws {
        let stage = try await Stage(.lifo)
        var states = await stage.center.states(of: "main").makeAsyncIterator()
        for number in 1...100 { try await stage.center.show(Popup("\(number)")) }
        try await stage.center.show(Popup("elsewhere", group: "other"))
        let state = await states.next()
        #expect(state?.active?.content == "100")
        #expect(state?.paused == 99)
        #expect(state?.revision == 100)
    }

    @Test("events tell the life of a popup, in order, with its times")
    func events() async throws {
        let stage = try await Stage()
        var events = await stage.center.events().makeAsyncIterator()
        try await stage.center.show(Popup("A", id: "A", duration: .seconds(3)))
        stage.clock.advance(by: .seconds(1))
        try await stage.center.show(Popup("B", id: "B", priority: 1))
        stage.clock.advance(by: .seconds(1))
        try await stage.center.dismiss("B", action: "ok")
        stage.clock.advance(by: .seconds(2))
        _ = await stage.shown
        var told: [String] = []
        for _ in 1...6 {
            let event = try #require(await events.next())
            #expect(event.number == UInt64(told.count + 1))
            told.append("\(event.time) \(event.popup) \(event.kind.word)")
        }
        #expect(
            told == [
                "0.0 seconds A shown", "1.0 seconds A paused", "1.0 seconds B shown",
                "2.0 seconds B dismissed ok after 1.0 seconds", "2.0 seconds A resumed",
                "4.0 seconds A timedOut  after 3.0 seconds",
            ])
    }

    @Test("of events that nobody reads the oldest are dropped, and the numbers tell how many")
    func droppedEvents() async throws {
        let stage = try await Stage()
        var events = await stage.center.events(keeping: 4).makeAsyncIterator()
        for number in 1...10 { try await stage.center.show(Popup("\(number)")) }
        #expect(await events.next()?.number == 7)
    }

    @Test("a question returns its answer")
    func ask() async throws {
        let stage = try await Stage()
        let center = stage.center
        async let answer = center.ask(Popup("Delete?", id: "ask"))
        await eventually { await stage.shown != nil }
        stage.clock.advance(by: .seconds(2))
        try await center.dismiss("ask", action: "yes")
        #expect(
            try await answer == PopupClosing(reason: .dismissed, action: "yes", displayed: .seconds(2)))
        #expect(try await center.closing(of: "ask").action == "yes")
        let refusal = await #expect(throws: PopupRefusal.self) { try await center.closing(of: "never") }
        #expect(refusal?.reason == .notFound)
    }

    @Test("a question whose task is cancelled leaves the screen")
    func cancelledQuestion() async throws {
        let stage = try await Stage()
        let center = stage.center
        let question = Task { try await center.ask(Popup("Delete?", id: "ask")) }
        await eventually { await stage.shown != nil }
        question.cancel()
        await #expect(throws: CancellationError.self) { try await question.value }
        #expect(await stage.shown == nil)
    }

    @Test("one task sleeps, whatever the number of timers, and none without a timer")
    func oneSleeper() async throws {
        let stage = try await Stage(.fifo)
        for number in 1...50 {
            try await stage.center.show(Popup("\(number)", group: "g\(number)", duration: .seconds(100 - number)))
        }
        await eventually { stage.clock.sleeperCount == 1 }
        await stage.center.clear()
        await eventually { stage.clock.sleeperCount == 0 }
    }

    @Test("a timer that is moved costs no wake-up before the earlier time")
    func noBusyLoop() async throws {
        let stage = try await Stage(.fifo)
        try await stage.center.show(Popup("A", id: "A", duration: .seconds(10)))
        await eventually { stage.clock.sleeperCount == 1 }
        let before = stage.clock.sleepCount
        for _ in 1...1000 { try await stage.center.update("A", restartsTimer: true) }
        stage.clock.advance(by: .seconds(9))
        _ = await stage.shown
        #expect(stage.clock.sleepCount == before)
    }

    @Test("with the last reference the task ends, and so do the streams")
    func lastReference() async throws {
        let clock = ManualClock()
        var center: Center? = Center(clock: clock)
        try await center?.show(Popup("A", duration: .seconds(10)))
        var states = try #require(await center?.states(of: "main")).makeAsyncIterator()
        var events = try #require(await center?.events()).makeAsyncIterator()
        #expect(await states.next()?.active != nil)
        await eventually { clock.sleeperCount == 1 }
        center = nil
        #expect(await states.next() == nil)
        #expect(await events.next() == nil)
        await eventually { clock.sleeperCount == 0 }
    }

    @Test("with the clock of the system, a popup ends by itself")
    func systemClock() async throws {
        let center = Center()
        var states = await center.states(of: "main").makeAsyncIterator()
        _ = await states.next()
        try await center.show(Popup("A", duration: .milliseconds(20)))
        var state = await states.next()
        while state?.active != nil { state = await states.next() }
        #expect(state?.revision == 2)
    }
}

@Suite("The manual clock")
struct ManualClockTests {
    @Test("a task sleeps until its instant, not longer")
    func sleep() async throws {
        let clock = ManualClock()
        let sleeper = Task { try await clock.sleep(for: .seconds(2)) }
        await eventually { clock.sleeperCount == 1 }
        clock.advance(by: .milliseconds(1999))
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .milliseconds(1))
        try await sleeper.value
        try await clock.sleep(until: clock.now)
        #expect(clock.now.offset == .seconds(2))
    }

    @Test("a cancelled task does not sleep on")
    func cancellation() async {
        let clock = ManualClock()
        let sleeper = Task { try await clock.sleep(for: .seconds(2)) }
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
        #expect(clock.sleeperCount == 0)
    }
}

extension PopupEvent.Kind {
    /// The event in a word, with the action and the time of one that closes.
    fileprivate var word: String {
        switch self {
        case .queued: "queued"
        case .offered: "offered"
        case .shown: "shown"
        case .paused: "paused"
        case .resumed: "resumed"
        case .updated: "updated"
        case .closed(let closing): "\(closing.reason) \(closing.action) after \(closing.displayed)"
        case .refused(let refusal): "refused: \(refusal)"
        }
    }
}
