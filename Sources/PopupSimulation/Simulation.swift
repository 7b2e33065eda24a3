import PopupJournal
public import PopupProtocol
public import PopupScheduling
import PopupState
import SwiftProtobuf

/// The broker's rules in virtual time, without sockets, delays and plugins. The same commands result in the same events
/// as over the sockets.
///
///     import PopupBroker
///     import PopupProtocol
///     import PopupSimulation
///
///     // The system's time zones are those of PopupBroker.
///     var simulation = try Simulation(SimulationSettings(timeZones: TimeZoneDirectory.system))
///     simulation.apply(Ingress.receivedCommands(in: line)[0], at: 500) { print($0.jsonLine) }
///     simulation.finish { print($0.jsonLine) }
public struct Simulation: ~Copyable {
    /// An output of a command or a timer.
    public enum Output: Sendable {
        /// An event of a popup, or the refusal of a command.
        case event(WireEvent, at: Milliseconds)
        /// The answer to a query.
        case reply(WireReply, at: Milliseconds)
    }

    private let start: Milliseconds
    private let version: String
    private let timeZones: any TimeZoneSource
    private var state: BrokerState
    private var admission: CommandAdmission
    private var queryHandler: QueryHandler
    private var output = EventBuffer()
    private var last: Milliseconds = 0
    private var stats = WireStatsResult()

    /// Creates a broker without commands, with the policies and limits of the settings.
    ///
    /// - Parameters:
    ///   - settings: The policies and limits.
    ///   - start: The time 0 of the simulation in ms since 1970-01-01T00:00:00Z.
    /// - Throws: `CommandRefusal` for an invalid policy.
    public init(_ settings: SimulationSettings, start: Milliseconds = 0) throws(CommandRefusal) {
        self.start = start
        version = settings.version
        timeZones = settings.timeZones
        state = BrokerState(settings.journaled, leasesRunOut: true)
        admission = CommandAdmission(epoch: 1, limits: WireLimits(contentBytes: settings.popupContentBytes))
        queryHandler = QueryHandler(queryResults: settings.queryResults)
        try setPolicies(settings.policies) { _ in }
    }

    /// Returns a broker that continues from the snapshot of a journal. Its times are in ms since 1970.
    ///
    /// - Throws: An error if the snapshot cannot be used.
    static func resumed(from snapshot: JournalSnapshot, _ settings: SimulationSettings) throws -> Simulation {
        var simulation = try Simulation(settings)
        simulation.last = snapshot.time
        simulation.state = try BrokerState.recover(from: snapshot, settings.journaled) { _, _ in }
        return simulation
    }

    /// Replaces all policies.
    ///
    /// - Throws: `CommandRefusal` for an invalid policy.
    mutating func replacePolicies(
        by policies: [WireSetPolicy], tell: (Output) -> Void
    ) throws(CommandRefusal) {
        for pattern in state.scheduler.policyPatterns { apply(.removedPolicy(pattern: pattern), at: last, tell: tell) }
        try setPolicies(policies, tell: tell)
    }

    /// Sets policies.
    ///
    /// - Throws: `CommandRefusal` for an invalid policy.
    mutating func setPolicies(
        _ policies: [WireSetPolicy], tell: (Output) -> Void
    ) throws(CommandRefusal) {
        for policy in policies {
            var command = WireCommand.with { $0.setPolicy = policy }
            try admit(&command)
            apply(.configuredPolicy(command.setPolicy), at: last, tell: tell)
        }
    }

    /// Applies an entry of a journal `time` ms after the start. Does not report refusals by the scheduler that have no
    /// event.
    mutating func apply(_ entry: BrokerState.Entry, at time: Milliseconds, tell: (Output) -> Void) {
        last = max(last, time)
        while state.advance(to: start + last, into: &output) { flush(tell) }
        if case .command(let command) = entry { state.setUser(command.by) }
        _ = state.apply(entry, at: start + last, into: &output)
        flush(tell)
        // Quiet windows that the entry changed are due now.
        while state.advance(to: start + last, into: &output) { flush(tell) }
    }

    /// Applies a received command `time` ms after the start, or reports its refusal. A time before the last one counts
    /// as the last one. A repeated numbered command changes nothing.
    ///
    /// - Parameters:
    ///   - command: The command.
    ///   - time: The time in ms since the start.
    ///   - leasesLast: Whether a lease lasts until the renderer leaves, since a recording contains no renewals.
    ///   - tell: Receives each output in order, first those of timers until `time`.
    /// - Returns: Whether the command was neither a repetition nor refused because of its sequence.
    @discardableResult
    public mutating func apply(
        _ command: ReceivedCommand, at time: Milliseconds, leasesLast: Bool = false, tell: (Output) -> Void
    ) -> Bool {
        state.setLeasesRunOut(!leasesLast)
        last = max(last, time)
        while state.advance(to: start + last, into: &output) { flush(tell) }
        var origin: BrokerState.Origin?
        do throws(CommandRefusal) {
            if let sender = command.sender {
                let digest = CommandDigest.of(command.bytes.span.bytes)
                switch state.lookUp(sender, digest: digest, at: start + last) {
                case .new: origin = BrokerState.Origin(sender: sender, digest: digest)
                case .repeated(let refusal):
                    answerAgain(command, refusal, tell)
                    return false
                case .refused(var refusal):
                    if let command = try? command.result.get() { refusal.name(command.subject) }
                    refuse(refusal, tell)
                    return false
                }
            }
            var admitted = try command.result.get()
            try admit(&admitted)
            perform(admitted, from: origin, tell)
        } catch {
            if origin != nil, error.reason != .overload {
                _ = state.apply(.refused(SettledRefusal(error)), from: origin, at: start + last, into: &output)
            }
            refuse(error, tell)
        }
        return true
    }

    private mutating func refuse(_ refusal: CommandRefusal, _ tell: (Output) -> Void) {
        stats.refused += 1
        tell(.event(EventEncoder.event(refusal, at: wallTime), at: last))
    }

    /// Answers a repeated query again, unless it was refused.
    private mutating func answerAgain(
        _ command: ReceivedCommand, _ refusal: SettledRefusal?, _ tell: (Output) -> Void
    ) {
        guard refusal == nil, case .query(let query)? = (try? command.result.get())?.command else { return }
        answer(query, tell)
    }

    /// Removes the policy of a name or pattern `time` ms after the start, as a reloaded configuration does.
    public mutating func removePolicy(of pattern: GroupPattern, at time: Milliseconds, tell: (Output) -> Void) {
        apply(.removedPolicy(pattern: pattern.text), at: time, tell: tell)
    }

    /// Sets the wall clock `time` ms after the start, to a time that is `ahead` of the simulation's; negative if it is
    /// behind.
    public mutating func setWallClock(ahead: Milliseconds, at time: Milliseconds, tell: (Output) -> Void) {
        apply(.wallClock(WallClockEntry(ahead: ahead)), at: time, tell: tell)
    }

    /// Advances the time until there are no timers, except those that recur every day.
    public mutating func finish(tell: (Output) -> Void) {
        while state.scheduler.timerCount > state.scheduler.recurringTimerCount,
            let deadline = state.scheduler.nextDeadline, state.advance(to: deadline, into: &output)
        {
            flush(tell)
        }
    }

    /// Returns the number of waiting and paused popups. After `finish` no timer changes it, except the ends of quiet
    /// windows.
    public mutating func waitingCount() -> Int {
        var selector = Selector()
        selector.waiting = true
        selector.paused = true
        return state.count(selector, text: [UInt8]().span.bytes)
    }

    private mutating func admit(_ command: inout WireCommand) throws(CommandRefusal) {
        do throws(CommandRefusal) {
            try admission.admit(&command)
            if case .setPolicy(let policy) = command.command {
                for zone in try timeZones.zones(of: policy) {
                    _ = state.apply(.timeZone(zone), at: start + last, into: &output)
                }
            }
        } catch {
            var refusal = error
            refusal.name(command.subject)
            throw refusal
        }
    }

    private mutating func answer(_ query: WireQuery, _ tell: (Output) -> Void) {
        tell(.reply(state.answer(query, by: &queryHandler, at: start + last, stats: currentStats()), at: last))
    }

    private mutating func perform(
        _ command: WireCommand, from origin: BrokerState.Origin?, _ tell: (Output) -> Void
    ) {
        stats.commands += 1
        state.setUser(command.by)
        if case .query(let query) = command.command {
            _ = state.apply(.query, from: origin, at: start + last, into: &output)
            return answer(query, tell)
        }
        let refusal = state.apply(.command(command), from: origin, at: start + last, into: &output).refusal
        let isReported = output.events.contains { if case .refused = $0.kind { true } else { false } }
        flush(tell)
        if let refusal {
            stats.refused += 1
            // The scheduler emits no event for an unknown group.
            if !isReported { tell(.event(EventEncoder.event(refusal, of: command, at: wallTime), at: last)) }
        }
    }

    private var wallTime: Milliseconds { start + last + state.scheduler.wallClockLead }

    private mutating func flush(_ tell: (Output) -> Void) {
        let lead = state.scheduler.wallClockLead
        for event in output.events {
            tell(.event(EventEncoder.event(event, in: output), at: event.at - lead - start))
        }
        stats.events += UInt64(output.events.count)
        stats.lateReports += UInt64(output.lateReports)
        output.removeAll()
    }

    private func currentStats() -> WireStatsResult {
        var stats = stats
        stats.epoch = 1
        stats.protocol = ProtocolVersion.current
        stats.version = version
        stats.uptimeMs = UInt64(clamping: last)
        stats.groups = UInt64(state.scheduler.groupCount)
        stats.popups = UInt64(state.scheduler.popupCount)
        stats.remembered = UInt64(state.scheduler.rememberedCount)
        stats.rememberedWindowMs = UInt64(state.scheduler.rememberedWindow(at: start + last))
        return stats
    }
}

extension Simulation.Output {
    /// The output as one JSON object: `at` in ms as a number, then the `group`, `popup` and kind of an event, or the
    /// `client`, `nonce` and `reply` of a reply.
    public var jsonLine: String {
        switch self {
        case .event(var event, let time):
            // Both are redundant: they follow from `at` and the order of the lines.
            event.time = 0
            event.revision = 0
            return SimulationLine.text(of: event, at: time)
        case .reply(let reply, let time):
            return SimulationLine.text(of: reply, at: time)
        }
    }
}

extension CommandRefusal {
    /// Sets the group and the popup to those of a command, unless they are set.
    fileprivate mutating func name(_ subject: (group: String, popup: String)) {
        if group == nil { group = GroupName(subject.group) }
        if popup.isEmpty { popup = subject.popup }
    }
}

extension EventEncoder {
    /// Returns the event for a command that the scheduler refused.
    static func event(
        _ refusal: PopupScheduling.Refusal, of command: WireCommand, at time: Milliseconds
    ) -> WireEvent {
        let subject = command.subject
        return event(
            CommandRefusal(
                WireRefused.Reason(refusal.reason), refusal.detail, group: GroupName(subject.group),
                popup: subject.popup),
            at: time)
    }
}
