public import PopupJournal
public import PopupProtocol
public import PopupScheduling
import PopupState
import SwiftProtobuf

/// A comparison of policies: it runs a recording twice, with the recorded policies and with other ones, and reports how
/// the outcome of each popup would differ.
///
/// The other policies apply from the start, and the run with them ignores the recording's `setPolicy` commands and
/// removed policies. Users' actions are the same in both runs. The revision of a dismissal may not exist in the other
/// run. So there it applies to any revision, unless it was refused as stale in the recording.
public struct PolicyComparison: ~Copyable {
    private var real: Simulation
    private var other: Simulation
    private var was = PopupOutcomes()
    private var now = PopupOutcomes()
    /// The contents of the popups and their times to live in ms, as they were first requested, by their ids.
    private var requests: [String: (content: String, timeToLive: UInt32)] = [:]
    /// The policies of the other run.
    private let policies: [WireSetPolicy]

    /// Creates both runs, before any command.
    ///
    /// - Parameters:
    ///   - policies: The policies of the other run.
    ///   - settings: All other settings. Their policies apply in neither run.
    ///   - start: The time 0 of the recording in ms since 1970-01-01T00:00:00Z.
    /// - Throws: `CommandRefusal` for an invalid policy.
    public init(
        policies: [WireSetPolicy], _ settings: SimulationSettings, start: Milliseconds = 0
    ) throws(CommandRefusal) {
        var settings = settings
        settings.policies = []
        let real = try Simulation(settings, start: start)
        settings.policies = policies
        let other = try Simulation(settings, start: start)
        self.real = real
        self.other = other
        self.policies = policies
    }

    /// Returns both runs at the snapshot with which a journal begins, or before its first batch. Times are in ms since
    /// 1970.
    ///
    /// - Throws: `CommandRefusal` for an invalid policy; an error if the snapshot cannot be used.
    public static func ofJournal(
        from snapshot: JournalSnapshot?, under policies: [WireSetPolicy],
        _ settings: SimulationSettings
    ) throws -> PolicyComparison {
        var settings = settings
        settings.policies = []
        var comparison = try PolicyComparison(policies: policies, settings)
        if let snapshot { try comparison.begin(from: snapshot, settings) }
        return comparison
    }

    private mutating func begin(from snapshot: JournalSnapshot, _ settings: SimulationSettings) throws {
        real = try Simulation.resumed(from: snapshot, settings)
        other = try Simulation.resumed(from: snapshot, settings)
        try other.replacePolicies(by: policies) { now.record($0, of: false) }
    }

    /// Applies a recorded command in both runs.
    ///
    /// - Parameters:
    ///   - command: The command.
    ///   - time: The time in ms since the start.
    ///   - leasesLast: As in `Simulation.apply`.
    public mutating func apply(_ command: ReceivedCommand, at time: Milliseconds, leasesLast: Bool = false) {
        let decoded = try? command.result.get()
        if case .query = decoded?.command { return }
        let isShow: Bool
        if case .show(let popup) = decoded?.command {
            isShow = true
            note(popup)
        } else {
            isShow = false
        }
        var isStale = false
        var refusal: Simulation.Output?
        let isNew = real.apply(command, at: time, leasesLast: leasesLast) { output in
            was.record(output, of: isShow)
            guard case .event(let event, _) = output, case .refused(let refused) = event.event else { return }
            isStale = refused.reason == .stale
            refusal = output
        }
        guard isNew, let decoded else {
            // The refusal does not depend on the policies, so it applies to both runs.
            if let refusal { now.record(refusal, of: isShow) }
            return
        }
        // Sequences are checked in the first run only: the other run leaves some commands out.
        var changed = ReceivedCommand(.success(decoded), from: nil, bytes: [])
        switch decoded.command {
        case .setPolicy, .unsetPolicy: return
        case .dismiss where isStale: return
        case .dismiss:
            var dismissal = decoded
            dismissal.dismiss.clearRevision()
            changed.result = .success(dismissal)
        default: break
        }
        other.apply(changed, at: time, leasesLast: leasesLast) { now.record($0, of: isShow) }
    }

    /// Records what was requested of a popup.
    private mutating func note(_ popup: WirePopup) {
        guard requests[popup.id] == nil else { return }
        let excerpt = PopupExcerpt(popup)
        let content = [excerpt.title, excerpt.text].filter { !$0.isEmpty }.joined(separator: " – ")
        if !content.isEmpty || popup.ttlMs > 0 { requests[popup.id] = (content, popup.ttlMs) }
    }

    /// Applies a batch of a journal in both runs, at its time.
    ///
    /// - Throws: `CommandLogError` or `JournalContentError` if it cannot be read.
    public mutating func apply(_ batch: borrowing JournalBatch) throws {
        let time = batch.time
        for entry in try CommandLog.entries(in: batch.commands) {
            switch try JournaledChange(entry, in: batch.commands) {
            case .command(let command):
                switch command.command {
                case .setPolicy, .unsetPolicy: real.apply(.command(command), at: time) { was.record($0, of: false) }
                default: apply(ReceivedCommand(.success(command), from: nil, bytes: []), at: time, leasesLast: true)
                }
            case .policies(let change): real.apply(change, at: time) { was.record($0, of: false) }
            case .both(let change):
                real.apply(change, at: time) { was.record($0, of: false) }
                other.apply(change, at: time) { now.record($0, of: false) }
                // The settings at the start of a journal create a new scheduler.
                if batch.sequence == 1, case .settings = change {
                    try other.replacePolicies(by: policies) { now.record($0, of: false) }
                }
            case nil: break
            }
        }
    }

    /// Removes the policy of a name or pattern in the run with the recorded policies.
    public mutating func removePolicy(of pattern: GroupPattern, at time: Milliseconds) {
        real.removePolicy(of: pattern, at: time) { was.record($0, of: false) }
    }

    /// Sets the wall clock in both runs.
    public mutating func setWallClock(ahead: Milliseconds, at time: Milliseconds) {
        real.setWallClock(ahead: ahead, at: time) { was.record($0, of: false) }
        other.setWallClock(ahead: ahead, at: time) { now.record($0, of: false) }
    }

    /// Advances the time in both runs until there are no more timers.
    ///
    /// - Returns: The differences, in the order of the popups' first events, and the number of popups.
    public mutating func finish() -> (differences: [PopupDifference], popups: Int) {
        real.finish { was.record($0, of: false) }
        other.finish { now.record($0, of: false) }
        let ids = was.ids + now.ids.filter { was[$0] == nil }
        let differences = ids.compactMap { id in
            PopupDifference(
                popup: id, group: was.group(of: id) ?? now.group(of: id) ?? "", content: requests[id]?.content ?? "",
                timeToLive: requests[id]?.timeToLive ?? 0,
                was: was[id] ?? PopupOutcome(), now: now[id] ?? PopupOutcome())
        }
        return (differences, ids.count)
    }
}
