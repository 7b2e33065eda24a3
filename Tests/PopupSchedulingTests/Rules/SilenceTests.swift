import PopupScheduling
import Testing

/// Letting time pass takes steps in the number of popups and windows, not in the length of the time.
@Suite struct SilenceTests {
    private static let tenYears: Milliseconds = 10 * 365 * 86_400_000

    /// How many steps and events it takes until nothing is due any more, and whether the subject is sound.
    private func steps(of subject: any Subject, until time: Milliseconds) -> (steps: Int, events: Int) {
        var (steps, events) = (0, 0)
        while steps < 100_000, let told = subject.step(until: time) {
            steps += 1
            events += told.count
        }
        return (steps, events)
    }

    private func subjects() -> [any Subject] { Setting().subjects().map(\.subject) }

    @Test func `quiet windows stop after two days without commands, for ten years`() {
        var policy = Policy()
        policy.quiet = (0..<16).map { QuietWindow(from: UInt16($0 * 90), to: UInt16($0 * 90 + 45), zone: .utc) }
        for subject in subjects() {
            _ = subject.perform(.policy("*", policy), at: 0)
            for group in ["a", "b"] {
                _ = subject.perform(.show(Instruction.Request(id: group, group: group)), at: 0)
            }
            // Each of 16 windows begins and ends on two days, in each group.
            let taken = steps(of: subject, until: Self.tenYears)
            #expect(taken.steps <= 2 * 16 * 2 + 2 && taken.events <= 2 * taken.steps, "\(taken)")
            #expect(subject.nextDeadline == nil)
            #expect(subject.complaints() == [])
        }
    }

    @Test func `the next command first updates stopped quiet windows`() {
        Timeline()
            .policy { $0.quiet = [QuietWindow(from: 60, to: 120, zone: .utc)] }
            .show("A")
            // In the midst of the window, ten years later.
            .at(Self.tenYears + 5_400_000).show("B", in: "h").peek()
            .at(Self.tenYears + 7_200_000).peek()
            .gives(
                """
                0 shown A
                3600000 paused A
                7200000 resumed A
                90000000 paused A
                93600000 resumed A
                315365400000 paused A
                315365400000 h: shown B
                315365400000 peek A paused
                315367200000 resumed A
                315367200000 peek A active
                """)
    }

    @Test func `no popup is shown more than a hundred times`() {
        var policy = Policy()
        policy.displayTimeout = 1
        policy.undisplayed = .skip
        policy.maxAttempts = .max
        for subject in subjects() {
            _ = subject.perform(.policy("*", policy), at: 0)
            for number in 0..<3 { _ = subject.perform(.show(Instruction.Request(id: "p\(number)", group: "g")), at: 0) }
            let taken = steps(of: subject, until: Self.tenYears)
            #expect(taken.steps <= 3 * Int(Limits.maxAttempts), "\(taken)")
            #expect(subject.count(Instruction.Choice()) == 0)
        }
    }

    @Test func `unanswered offers, caps, gaps, aging and delays end by themselves`() {
        var policy = Policy()
        policy.offer = 5
        policy.displayTimeout = 5
        policy.undisplayed = .skip
        policy.maxAttempts = .max
        policy.gap = 10...10
        policy.aging = 1
        policy.caps = [Cap(most: 2, window: 1000)]
        policy.defaultDuration = 20
        for subject in subjects() {
            _ = subject.perform(.policy("*", policy), at: 0)
            for number in 0..<4 {
                let request = Instruction.Request(id: "p\(number)", group: "g", delay: UInt32(number))
                _ = subject.perform(.show(request), at: 0)
            }
            // For each showing an offer, a timeout, and a cap's window at most; the delays.
            let taken = steps(of: subject, until: Self.tenYears)
            #expect(taken.steps <= 4 * 4 * Int(Limits.maxAttempts) + 4, "\(taken)")
            #expect(subject.count(Instruction.Choice()) == 0 && subject.nextDeadline == nil)
        }
    }
}
