import PopupCenter
import Testing

@Suite("Popups of one group")
struct QueueTests {
    @Test("first in, first out: each has its time")
    func fifo() async throws {
        let stage = try await Stage(.fifo)
        for text in ["A", "B", "C"] { try await stage.center.show(Popup(text, duration: .seconds(2))) }
        #expect(await stage.shown == "A")
        #expect(await stage.after(.milliseconds(1999)) == "A")
        #expect(await stage.after(.milliseconds(1)) == "B")
        #expect(await stage.after(.seconds(2)) == "C")
        #expect(await stage.after(.seconds(2)) == nil)
    }

    @Test("last in, first out: the newest hides the others, which come back with the time they had left")
    func lifo() async throws {
        let stage = try await Stage(.lifo)
        try await stage.center.show(Popup("A", duration: .seconds(4)))
        #expect(await stage.after(.seconds(1)) == "A")
        try await stage.center.show(Popup("B", duration: .seconds(2)))
        #expect(await stage.shown == "B")
        #expect(await stage.center.state(of: "main").paused == 1)
        #expect(await stage.after(.seconds(2)) == "A")
        #expect(await stage.center.state(of: "main").active?.remaining == .seconds(3))
        #expect(await stage.after(.seconds(3)) == nil)
    }

    @Test("a more urgent popup interrupts, and the interrupted one resumes; a less urgent one waits")
    func priorities() async throws {
        let stage = try await Stage()
        try await stage.center.show(Popup("sale", id: "sale", priority: 1))
        try await stage.center.show(Popup("call", id: "call", priority: 9))
        try await stage.center.show(Popup("tip", id: "tip"))
        #expect(await stage.shown == "call")
        #expect(await stage.center.queue(of: "main").map(\.id) == ["call", "sale", "tip"])
        try await stage.center.dismiss("call", action: "answer")
        #expect(await stage.shown == "sale")
    }

    @Test("suspended popups hide, and come back with the time they had left")
    func suspension() async throws {
        let stage = try await Stage()
        try await stage.center.show(Popup("A", id: "A", duration: .seconds(5)))
        #expect(await stage.after(.seconds(2)) == "A")
        try await stage.center.suspend("video", below: 10)
        #expect(await stage.shown == nil)
        #expect(
            await stage.why("A") == "the suspension `video` holds its priority back until it is released")
        try await stage.center.show(Popup("fire", priority: 10, duration: .seconds(1)))
        #expect(await stage.shown == "fire")
        #expect(await stage.after(.seconds(60)) == nil)
        await stage.center.resume("video")
        #expect(await stage.center.state(of: "main").active?.remaining == .seconds(3))
    }

    @Test("groups know nothing of each other")
    func groups() async throws {
        let stage = try await Stage()
        try await stage.center.show(Popup("top", group: "top"))
        try await stage.center.show(Popup("bottom", group: "bottom", priority: 9))
        #expect(await stage.center.state(of: "top").active?.content == "top")
        #expect(await stage.center.state(of: "bottom").active?.content == "bottom")
        await stage.center.advance("bottom")
        #expect(await stage.center.state(of: "top").active?.content == "top")
        #expect(await stage.center.state(of: "bottom").active == nil)
    }

    @Test("an update changes the content, the priority and the time that is left")
    func update() async throws {
        let stage = try await Stage()
        try await stage.center.show(Popup("10 %", id: "load", duration: .seconds(5)))
        try await stage.center.show(Popup("next", id: "next"))
        #expect(await stage.after(.seconds(4)) == "10 %")
        try await stage.center.update("load", content: "90 %", restartsTimer: true)
        #expect(await stage.after(.seconds(4)) == "90 %")
        try await stage.center.update("next", priority: 1)
        #expect(await stage.shown == "next")
        #expect(await stage.center.content(of: "load") == "90 %")
        await #expect(throws: PopupRefusal.self) { try await stage.center.update("never", content: "x") }
        #expect(await stage.center.content(of: "never") == nil)
    }

    @Test("an id is shown once, also after it has closed")
    func repetition() async throws {
        let stage = try await Stage()
        for text in ["first", "second"] { try await stage.center.show(Popup(text, id: "hello")) }
        #expect(await stage.shown == "first")
        try await stage.center.dismiss("hello")
        #expect(try await stage.center.show(Popup("third", id: "hello")) == "hello")
        #expect(await stage.shown == nil)
        #expect(await stage.center.content(of: "hello") == nil)
    }

    @Test("popups without an id get one that is free")
    func unnamed() async throws {
        let stage = try await Stage()
        try await stage.center.show(Popup("mine", id: "popup-1"))
        #expect(try await stage.center.show(Popup("theirs")) == "popup-2")
        #expect(try await stage.center.show(Popup("theirs")) == "popup-3")
    }

    @Test("a dismissal of a state that has changed since is refused")
    func stale() async throws {
        let stage = try await Stage()
        try await stage.center.show(Popup("Delete 1 file?", id: "ask"))
        let seen = try #require(await stage.center.state(of: "main").active).sinceRevision
        try await stage.center.update("ask", content: "Delete all files?")
        let refusal = await #expect(throws: PopupRefusal.self) {
            try await stage.center.dismiss("ask", action: "yes", revision: seen)
        }
        #expect(refusal?.reason == .stale)
        #expect(await stage.shown == "Delete all files?")
    }

    @Test("the same key replaces, an exclusive popup clears, clear closes what is below a priority")
    func closing() async throws {
        let stage = try await Stage()
        try await stage.center.show(Popup("1 message", id: "1", collapseKey: "mail"))
        try await stage.center.show(Popup("2 messages", id: "2", collapseKey: "mail"))
        #expect(await stage.center.queue(of: "main").map(\.id) == ["2"])
        #expect(try await stage.center.closing(of: "1").reason == .replaced)
        var alarm = Popup("fire", id: "alarm")
        alarm.exclusive = .group
        try await stage.center.show(alarm)
        #expect(try await stage.center.closing(of: "2").reason == .superseded)
        await stage.center.clear(below: 1)
        #expect(try await stage.center.closing(of: "alarm").reason == .cleared)
    }

    @Test(
        "a popup with a wrong field is refused, with the field",
        arguments: [
            (Popup("x", id: ""), "`id`"), (Popup("x", group: ""), "`group`"), (Popup("x", group: "a/*"), "`group`"),
            (Popup("x", duration: .zero), "`duration`"), (Popup("x", timeToLive: .seconds(-1)), "`timeToLive`"),
            (Popup("x", delay: .seconds(5_000_000)), "`delay`"), (Popup("x", flow: PopupFlow("")), "`flow.key`"),
            (Popup("x", flow: PopupFlow("f", action: "yes")), "`flow.requires`"),
            (Popup("x", page: PopupPage("", in: "shop")), "`page`"),
        ])
    func wrongField(popup: Popup, field: String) async throws {
        let stage = try await Stage()
        let refusal = await #expect(throws: PopupRefusal.self) { try await stage.center.show(popup) }
        #expect(refusal?.reason == .invalid)
        #expect(refusal?.text.hasPrefix(field) == true)
        #expect(await stage.shown == nil)
    }

    @Test("beyond a limit a popup is refused, with the limit's name, and nothing of it is kept")
    func limit() async throws {
        var limits = Limits()
        limits.popups = 1
        let center = Center(clock: ManualClock(), limits: limits)
        try await center.show(Popup("A", id: "A"))
        let refusal = await #expect(throws: PopupRefusal.self) { try await center.show(Popup("B", id: "B")) }
        #expect(refusal?.reason == .overload)
        #expect(refusal?.text.contains("`popups`") == true)
        #expect(await center.content(of: "B") == nil)
        try await center.dismiss("A")
        #expect(await center.content(of: "A") == nil)
    }

    @Test("a begun millisecond counts as a complete one, so that the shortest display time ends")
    func shortestTime() async throws {
        let stage = try await Stage()
        try await stage.center.show(Popup("A", duration: .nanoseconds(1)))
        #expect(await stage.shown == "A")
        #expect(await stage.after(.milliseconds(1)) == nil)
    }

    @Test("a policy with a value outside its range is refused")
    func wrongPolicy() async throws {
        let stage = try await Stage()
        var (attempts, quorum, caps, quiet) = (Policy(), Policy(), Policy(), Policy())
        attempts.maxAttempts = 0
        quorum.quorum = 0
        caps.caps = [Cap(most: 0, window: 1000)]
        quiet.quiet = [QuietWindow(from: 60, to: 60, zone: .utc)]
        for policy in [attempts, quorum, caps, quiet] {
            let refusal = await #expect(throws: PopupRefusal.self) { try await stage.center.setPolicy(policy) }
            #expect(refusal?.reason == .invalid)
        }
    }

    @Test("an id may be used again when it is forgotten, whatever came between")
    func deduplication() async throws {
        let stage = try await Stage()
        try await stage.center.show(Popup("first", id: "tip", duration: .seconds(1)))
        #expect(await stage.after(.seconds(1)) == nil)
        try await stage.center.show(Popup("again", id: "tip"))
        #expect(await stage.after(.seconds(3600)) == nil)
        stage.clock.advance(by: .seconds(25 * 3600))
        try await stage.center.show(Popup("next day", id: "tip"))
        #expect(await stage.shown == "next day")
    }

    @Test("quiet windows come and go each day, although nobody asks for anything")
    func quietDays() async throws {
        var policy = Policy.priority
        policy.quiet = [QuietWindow(from: 22 * 60, to: 7 * 60, zone: .utc)]
        let stage = try await Stage(policy)
        try await stage.center.show(Popup("A"))
        #expect(await stage.shown == nil)
        #expect(await stage.after(.seconds(7 * 3600)) == "A")
        for _ in 1...4 {
            #expect(await stage.after(.seconds(15 * 3600)) == nil)
            #expect(await stage.after(.seconds(9 * 3600)) == "A")
        }
    }

    @Test("caps, gaps and quiet windows hold popups back")
    func timesOfPolicies() async throws {
        let clock = ManualClock()
        // 21:59 on the first day.
        let center = Center(clock: clock, timeSince1970: .seconds(21 * 3600 + 59 * 60))
        var policy = Policy.fifo
        policy.gap = 500...500
        policy.caps = [Cap(most: 2, window: 10_000)]
        policy.quiet = [QuietWindow(from: 22 * 60, to: 6 * 60, zone: .utc)]
        try await center.setPolicy(policy)
        for id in ["A", "B", "C"] { try await center.show(Popup(id, id: id, duration: .seconds(1))) }
        clock.advance(by: .milliseconds(1400))
        #expect(await center.state(of: "main").active == nil)
        clock.advance(by: .milliseconds(100))
        #expect(await center.state(of: "main").active?.id == "B")
        clock.advance(by: .seconds(5))
        #expect(await center.explain("C").rule == .cap(key: "", most: 2, window: 10_000, 3500))
        clock.advance(by: .seconds(4))
        #expect(await center.state(of: "main").active?.id == "C")
        clock.advance(by: .seconds(60))
        try await center.show(Popup("late", id: "late"))
        #expect(await center.state(of: "main").active == nil)
        clock.advance(by: .seconds(8 * 3600))
        #expect(await center.state(of: "main").active?.id == "late")
    }
}
