@testable import PopupScheduling

/// The scheduler, told and asked in strings.
class SchedulerSubject: Subject {
    private var scheduler: Scheduler
    private var buffer = EventBuffer()
    private var oddities: [String] = []

    /// The number of commands after which it begins to move texts, and then ceases to; `nil` if it never does.
    private let commandsPerChange: Int?
    private var commands = 0

    init(limits: Limits, seed: UInt64, movesTextsEvery commandsPerChange: Int? = nil) {
        scheduler = Scheduler(limits: limits, seed: seed, hashSeed: seed)
        self.commandsPerChange = commandsPerChange
    }

    /// One that goes on where another was when it wrote these bytes.
    init(restoring state: [UInt8], limits: Limits = Limits()) throws {
        scheduler = try Scheduler(restoring: state.span.bytes, limits: limits)
        commandsPerChange = nil
    }

    /// What it went through so far, where that may be much.
    var visits: Int { scheduler.visits }

    /// Its whole state as bytes.
    var state: [UInt8] {
        var bytes: [UInt8] = []
        scheduler.appendState(to: &bytes)
        return bytes
    }

    func setLimits(_ limits: Limits) { scheduler.setLimits(limits) }

    func restore() {
        let written = state
        do {
            scheduler = try Scheduler(restoring: written.span.bytes, limits: scheduler.limits)
        } catch {
            oddities.append("it can't be restored: \(error)")
            return
        }
        if state != written { oddities.append("restored it has another state") }
    }

    func perform(
        _ instruction: Instruction, from sender: ProducerID?, of user: String, at time: Milliseconds
    ) -> (events: [Occurrence], refusal: Refusal?) {
        var text = TextBuilder()
        let command = instruction.command(&text)
        buffer.removeAll()
        if let commandsPerChange {
            if commands % commandsPerChange == 0 { scheduler.setMovesTexts(commands / commandsPerChange % 2 == 1) }
            commands += 1
        }
        scheduler.setUser(user)
        let refusal = scheduler.apply(
            command, from: sender, text: text.bytes.span.bytes, at: time, into: &buffer)
        return (occurrences(), refusal)
    }

    func step(until time: Milliseconds) -> [Occurrence]? {
        buffer.removeAll()
        guard scheduler.step(until: time, into: &buffer) else {
            if !buffer.events.isEmpty { oddities.append("events without a step") }
            return nil
        }
        return occurrences()
    }

    func state(of group: String, at time: Milliseconds) -> GroupSummary? {
        let name = Array(group.utf8)
        return scheduler.group(named: name.span.bytes).flatMap { scheduler.state(of: $0, at: time) }
    }

    func activeContent(of group: String) -> String {
        let name = Array(group.utf8)
        var content: [UInt8] = []
        if let group = scheduler.group(named: name.span.bytes) {
            scheduler.appendActiveContent(of: group, to: &content)
        }
        return String(decoding: content, as: UTF8.self)
    }

    func list(_ choice: Instruction.Choice, limit: Int, at time: Milliseconds) -> [PopupSummary] {
        var text = TextBuilder()
        let selector = choice.selector(&text)
        return scheduler.list(selector, text: text.bytes.span.bytes, limit: limit, at: time)
    }

    func count(_ choice: Instruction.Choice) -> Int {
        var text = TextBuilder()
        let selector = choice.selector(&text)
        return scheduler.count(selector, text: text.bytes.span.bytes)
    }

    func peek(_ group: String, limit: Int, at time: Milliseconds) -> [PopupSummary] {
        let name = Array(group.utf8)
        return scheduler.peek(group: name.span.bytes, limit: limit, at: time)
    }

    func explain(_ id: String, at time: Milliseconds) -> Explanation {
        let name = Array(id.utf8)
        return scheduler.explain(popup: name.span.bytes, at: time)
    }

    var nextDeadline: Milliseconds? { scheduler.nextDeadline }
    var hasOnlyRecurringTimers: Bool { scheduler.timerCount == scheduler.recurringTimerCount }

    func complaints() -> [String] {
        defer { oddities.removeAll() }
        return oddities + scheduler.brokenInvariants()
    }

    /// The buffer's events, once its list of changed groups has been held against them.
    private func occurrences() -> [Occurrence] {
        for change in buffer.changes {
            guard let index = change.cause else { continue }
            let cause = buffer.events[index]
            var name: [UInt8] = []
            scheduler.appendName(of: change.group, to: &name)
            if !name.elementsEqual(buffer.text[cause.group.indices]) || cause.revision != change.revision {
                oddities.append("the change \(change) has the cause \(cause) of another group or step")
            }
        }
        return buffer.events.map { event in
            let kind: Occurrence.Kind =
                switch event.kind {
                case .queued: .queued
                case .offered: .offered
                case .shown(let attempt): .shown(attempt: attempt)
                case .paused: .paused
                case .resumed: .resumed
                case .updated: .updated
                case .closed(let reason, let action, let displayed):
                    .closed(reason, action: buffer.string(action), displayed: displayed)
                case .refused(let refusal): .refused(refusal)
                }
            return Occurrence(
                at: event.at, group: buffer.string(event.group), popup: buffer.string(event.popup),
                revision: event.revision, kind: kind,
                path: buffer.pathValues[event.path].map(buffer.string))
        }
    }
}
