import PopupScheduling
import Testing

/// The memory of closed ids is bounded by time and by number. When it is full, whoever holds most loses the oldest.
@Suite struct RememberedIDTests {
    private static let busy = ProducerID(high: 7, low: 1)
    private static let polite = ProducerID(high: 7, low: 2)

    private func limited(to ids: Int, accounts: Int = 10) -> Timeline {
        var limits = Limits()
        limits.maxIDs = ids
        limits.accounts = accounts
        return Timeline(limits: limits)
    }

    @Test func `a producer's flood of ids displaces its own, not those of another, without refusals`() {
        var timeline = limited(to: 10).show("mine", producer: Self.polite).advance()
        for number in 1...40 { timeline = timeline.show("f\(number)", producer: Self.busy).advance() }
        timeline.at(5).show("mine", producer: Self.polite).explain("f31").explain("f32")
            .show("next", producer: Self.polite)
            .gives(
                Self.shownAndAdvanced(["mine"] + (1...40).map { "f\($0)" }) + """
                    5 explain f31 none: unknown
                    5 explain f32 closed: closed ADVANCED at 0 after 0
                    5 shown next
                    """)
    }

    @Test func `all commands without a producer share one account`() {
        var timeline = limited(to: 6).show("mine", producer: Self.polite).advance()
        for number in 1...9 { timeline = timeline.show("a\(number)").advance() }
        timeline.at(5).show("mine", producer: Self.polite).explain("a4").explain("a5")
            .gives(
                Self.shownAndAdvanced(["mine"] + (1...9).map { "a\($0)" }) + """
                    5 explain a4 none: unknown
                    5 explain a5 closed: closed ADVANCED at 0 after 0
                    """)
    }

    @Test func `producers beyond the limit of accounts share that account too`() {
        var timeline = limited(to: 4, accounts: 1)
            .show("mine", producer: Self.polite).advance().show("a1").advance()
        for number in 1...4 { timeline = timeline.show("f\(number)", producer: Self.busy).advance() }
        timeline.at(5).show("mine", producer: Self.polite).explain("a1").explain("f1").explain("f2")
            .gives(
                Self.shownAndAdvanced(["mine", "a1", "f1", "f2", "f3", "f4"]) + """
                    5 explain a1 none: unknown
                    5 explain f1 none: unknown
                    5 explain f2 closed: closed ADVANCED at 0 after 0
                    """)
    }

    @Test func `the ids of live popups are never forgotten`() {
        var timeline = limited(to: 4)
            .show("L", in: "l", producer: Self.busy).show("M", in: "l", producer: Self.busy)
        for number in 1...6 { timeline = timeline.show("f\(number)", producer: Self.busy).advance() }
        timeline.show("L", in: "l", producer: Self.busy).show("M", in: "l", producer: Self.busy)
            .gives(
                "0 l: shown L\n0 l: queued M\n"
                    + (1...6).map { "0 shown f\($0)\n0 closed f\($0) ADVANCED" }.joined(separator: "\n"))
    }

    @Test func `every closed popup within the reported window is remembered`() {
        var limits = Limits()
        limits.maxIDs = 3
        limits.deduplicationWindow = 1000
        var scheduler = Scheduler(limits: limits)
        var output = EventBuffer()
        var text = TextBuilder()
        func show(_ id: String, at time: Milliseconds) {
            text.removeAll()
            scheduler.apply(
                .show(PopupRequest(id: text.add(id), group: text.add("g"))), text: text.bytes.span.bytes, at: time,
                into: &output)
            scheduler.apply(
                .advance(group: text.add("g")), text: text.bytes.span.bytes, at: time, into: &output)
        }
        for number in 1...3 { show("p\(number)", at: Milliseconds(100 * number)) }
        #expect(scheduler.rememberedWindow(at: 300) == 1000)
        show("p4", at: 400)
        #expect(scheduler.rememberedWindow(at: 400) == 300)
        show("p5", at: 450)
        #expect(scheduler.rememberedWindow(at: 500) == 300)
        var state: [UInt8] = []
        scheduler.appendState(to: &state)
        let restored = try? Scheduler(restoring: state.span.bytes, limits: limits)
        #expect(restored?.rememberedWindow(at: 500) == 300)
        // Nothing was forgotten early since: after the whole time the window is the whole again.
        #expect(scheduler.rememberedWindow(at: 1300) == 1000)
        #expect(scheduler.rememberedCount == 3)
    }

    private static func shownAndAdvanced(_ ids: [String]) -> String {
        ids.map { "0 shown \($0)\n0 closed \($0) ADVANCED\n" }.joined()
    }
}
