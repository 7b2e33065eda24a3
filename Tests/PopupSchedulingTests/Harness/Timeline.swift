import PopupScheduling
import Testing

/// Commands at times, and the events that must come of them, line by line:
///
///     Timeline()
///         .at(0).show("A", priority: 1, duration: 3000)
///         .at(500).show("B", priority: 9)
///         .at(900).dismiss("B", "ok")
///         .gives(
///             """
///             0 shown A
///             500 paused A
///             500 shown B
///             900 closed B DISMISSED ok
///             900 resumed A
///             3400 closed A TIMED_OUT
///             """)
///
/// The group is `g` where none is named. The time runs on to the last timer, those of quiet windows aside. Queries
/// (`peek`, `count`, …) put their answer among the lines.
struct Timeline: Sendable {
    /// What is asked in between.
    enum Query: Sendable {
        case state(String)
        case content(String)
        case list(Instruction.Choice, limit: Int)
        case count(Instruction.Choice)
        case peek(String, limit: Int)
        case remaining(String)
        /// The decisive rule, or all of them.
        case explain(String, all: Bool)
    }

    /// One line of the script.
    enum Entry: Sendable {
        case tell(Told)
        case ask(Query, at: Milliseconds)
        case wait(until: Milliseconds)
        case restore
    }

    private(set) var entries: [Entry] = []
    private var now: Milliseconds = 0
    private var sender: ProducerID?
    private var user = ""
    private var setting = Setting()

    var limits: Limits { setting.limits }

    /// An empty script for a scheduler with these limits and this seed.
    init(limits: Limits = Limits(), seed: UInt64 = 0) {
        setting.limits = limits
        setting.seed = seed
    }

    /// Everything up to the next `at` happens at this time; what is due by then happens first.
    func at(_ time: Milliseconds) -> Timeline {
        var copy = self
        copy.now = time
        copy.entries.append(.wait(until: time))
        return copy
    }

    /// Tells.
    func tell(_ instruction: Instruction) -> Timeline {
        var copy = self
        copy.entries.append(.tell(Told(at: now, sender: sender, user: user, instruction: instruction)))
        return copy
    }

    /// Everything up to the next `from` is told by this producer; a `show` names its own.
    func from(_ producer: ProducerID?) -> Timeline {
        var copy = self
        copy.sender = producer
        return copy
    }

    /// Everything up to the next `user` is told by this user; empty: by nobody who is known.
    func user(_ name: String) -> Timeline {
        var copy = self
        copy.user = name
        return copy
    }

    /// Puts in the scheduler's place what is restored from its state.
    func restore() -> Timeline {
        var copy = self
        copy.entries.append(.restore)
        return copy
    }

    /// Asks.
    func ask(_ query: Query) -> Timeline {
        var copy = self
        copy.entries.append(.ask(query, at: now))
        return copy
    }
}

// MARK: - Running

extension Timeline {
    /// Runs the script on the scheduler, on one restored before each step and on the reference, each twice: timer by
    /// timer, and with the commands' handling of what is due. All must give exactly these lines.
    ///
    /// Bounds that the reference doesn't have are tested on the scheduler alone.
    func gives(
        _ expected: String, _ details: Details = [], onSchedulerAlone: Bool = false,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for timerByTimer in [true, false] {
            for (name, subject) in setting.subjects() where !onSchedulerAlone || subject is SchedulerSubject {
                let given = run(on: subject, details: details, timerByTimer: timerByTimer)
                #expect(
                    given.joined(separator: "\n") == expected,
                    "the \(name)\(timerByTimer ? "" : ", commands handling what is due")",
                    sourceLocation: sourceLocation)
            }
        }
    }

    /// The lines of one run. What never may be true stands among them.
    func run(on subject: any Subject, details: Details = [], timerByTimer: Bool = true) -> [String] {
        var lines: [String] = []
        func write(_ events: [Occurrence]) {
            lines += events.map { $0.line(details) }
            lines += subject.complaints().map { "never: \($0)" }
        }
        func wait(until time: Milliseconds) {
            for _ in 0..<10_000 {
                guard let events = subject.step(until: time) else { return }
                write(events)
            }
            lines.append("never: no end of timers")
        }
        for entry in entries {
            switch entry {
            case .wait(let time):
                if timerByTimer { wait(until: time) }
            case .tell(let command):
                let (events, refusal) = subject.perform(command)
                write(events)
                let told = events.contains { $0.kind == refusal.map { .refused($0) } }
                if let refusal, !told { lines.append("\(command.at) refused \(refusal.words)") }
            case .restore:
                subject.restore()
            case .ask(let query, let time):
                wait(until: time)
                lines.append("\(time) \(answer(query, by: subject, at: time))")
            }
        }
        for _ in 0..<10_000 where !subject.hasOnlyRecurringTimers {
            if let events = subject.step(until: 1 << 60) { write(events) }
        }
        if !subject.hasOnlyRecurringTimers { lines.append("never: no end of timers") }
        return lines
    }

    private func answer(_ query: Query, by subject: any Subject, at now: Milliseconds) -> String {
        switch query {
        case .state(let group):
            guard let state = subject.state(of: group, at: now) else { return "state none" }
            let active =
                state.active.map { "active \($0.priority) since r\($0.sinceRevision)\($0.remaining.left)" } ?? "none"
            let offered = state.active?.isOffered == true ? "offered " : ""
            return "state r\(state.revision) \(offered)\(active), \(state.waiting) waiting, \(state.paused) paused"
        case .content(let group):
            return "content \(subject.activeContent(of: group))"
        case .list(let choice, let limit):
            return (["list"] + subject.list(choice, limit: limit, at: now).map { "\($0.group):\($0.id)" })
                .joined(separator: " ")
        case .count(let choice):
            return "count \(subject.count(choice))"
        case .peek(let group, let limit):
            return "peek "
                + subject.peek(group, limit: limit, at: now).map { "\($0.id) \($0.phase)" }.joined(separator: ", ")
        case .remaining(let group):
            return "remaining"
                + subject.peek(group, limit: .max, at: now).map { " \($0.id)\($0.remaining.left)" }.joined(
                    separator: ",")
        case .explain(let id, let all):
            let explanation = subject.explain(id, at: now)
            let phase = explanation.phase.map { "\($0)" } ?? "none"
            let reasons = [explanation.decisive] + (all ? explanation.others : [])
            let words = reasons.map { ([$0.rule.words] + $0.blockers).joined(separator: " ") }
            return "explain \(id) \(phase): \(words.joined(separator: ", "))"
        }
    }
}

extension Explanation.Rule {
    /// `queue(ahead: 0)`; `closed DISMISSED ok by B at 30 after 20`.
    fileprivate var words: String {
        guard case .closed(let reason, let action, let by, let at, let displayed) = self else { return "\(self)" }
        let whom = by.isEmpty ? [] : ["by", by]
        let how = [reason.word] + (action.isEmpty ? [] : [action]) + whom
        return (["closed"] + how + ["at \(at) after \(displayed)"]).joined(separator: " ")
    }
}

extension Milliseconds? {
    fileprivate var left: String { map { " \($0) left" } ?? " no end" }
}
