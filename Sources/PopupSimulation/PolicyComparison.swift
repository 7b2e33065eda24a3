public import PopupJournal
public import PopupProtocol
public import PopupScheduling
import PopupState
import SwiftProtobuf

/// A comparison of policies: it runs a recording twice, with the recorded policies and with other ones, and reports how
/// the outcome of each popup would differ.
///
/// The other policies apply from the start. The run with them ignores the recording's `setPolicy` commands and removed
/// policies: all of them, or those for the same groups and patterns. Users' actions are the same in both runs. The revision of a dismissal may not exist in the other
/// run. So there it applies to any revision, unless it was refused as stale in the recording.
public struct PolicyComparison: ~Copyable {
    /// The recorded policies that the other policies replace.
    public enum Replacement: Sendable {
        /// All recorded policies.
        case all
        /// The policies for the groups and patterns of the other policies.
        case samePatterns
    }

    private var real: Simulation
    private var other: Simulation
    private var was = PopupOutcomes()
    private var now = PopupOutcomes()
    /// The contents of the popups and their times to live in ms, as they were first requested, by their ids.
    private var requests: [String: (content: String, timeToLive: UInt32)] = [:]
    /// The policies of the other run.
    private let policies: [WireSetPolicy]
    private let replacement: Replacement

    /// Creates both runs, before any command.
    ///
    /// - Parameters:
    ///   - policies: The policies of the other run.
    ///   - replacement: The recorded policies that they replace.
    ///   - settings: All other settings. Their policies apply in neither run.
    ///   - start: The time 0 of the recording in ms since 1970-01-01T00:00:00Z.
    /// - Throws: `CommandRefusal` for an invalid policy.
    public init(
        policies: [WireSetPolicy], replacing replacement: Replacement = .all, _ settings: SimulationSettings,
        start: Milliseconds = 0
    ) throws(CommandRefusal) {
        var settings = settings
        settings.policies = []
        let real = try Simulation(settings, start: start)
        settings.policies = policies
        let other = try Simulation(settings, start: start)
        self.real = real
        self.other = other
        self.policies = policies
        self.replacement = replacement
    }

    /// Returns both runs at the snapshot with which a journal begins, or before its first batch. Times are in ms since
    /// 1970.
    ///
    /// - Throws: `CommandRefusal` for an invalid policy; an error if the snapshot cannot be used.
    public static func ofJournal(
        from snapshot: JournalSnapshot?, under policies: [WireSetPolicy], replacing replacement: Replacement = .all,
        _ settings: SimulationSettings
    ) throws -> PolicyComparison {
        var settings = settings
        settings.policies = []
        var comparison = try PolicyComparison(policies: policies, replacing: replacement, settings)
        if let snapshot { try comparison.begin(from: snapshot, settings) }
        return comparison
    }

    private mutating func begin(from snapshot: JournalSnapshot, _ settings: SimulationSettings) throws {
        real = try Simulation.resumed(from: snapshot, settings)
        other = try Simulation.resumed(from: snapshot, settings)
        try replacePolicies()
    }

    /// Gives the other run its policies in place of those that it has from the journal.
    private mutating func replacePolicies() throws(CommandRefusal) {
        switch replacement {
        case .all: try other.replacePolicies(by: policies) { now.record($0, of: false) }
        case .samePatterns: try other.setPolicies(policies) { now.record($0, of: false) }
        }
    }

    /// Whether the recorded policy for a group or pattern applies to the other run, too.
    private func keepsPolicy(for pattern: String) -> Bool {
        switch replacement {
        case .all: false
        case .samePatterns: !policies.contains { $0.group == pattern }
        }
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
            record(popup)
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
        case .setPolicy(let policy) where !keepsPolicy(for: policy.group): return
        case .unsetPolicy(let policy) where !keepsPolicy(for: policy.group): return
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
    private mutating func record(_ popup: WirePopup) {
        guard requests[popup.id] == nil else { return }
        let excerpt = PopupExcerpt(popup)
        let content = [excerpt.title, excerpt.text].filter { !$0.isEmpty }.joined(separator: " – ")
        if !content.isEmpty || popup.ttlMs > 0 { requests[popup.id] = (content, popup.ttlMs) }
    }

    /// Applies a batch of a journal in both runs, at its time.
    ///
    /// - Throws: `CommandLogError`, `JournalContentError` or `NewerContentError` if it cannot be read.
    public mutating func apply(_ batch: borrowing JournalBatch) throws {
        let time = batch.time
        for entry in try CommandLog.entries(in: batch.commands) {
            switch try JournaledChange(entry, in: batch.commands) {
            case .command(let command):
                switch command.command {
                case .setPolicy(let policy): apply(.command(command), ofPolicyFor: policy.group, at: time)
                case .unsetPolicy(let policy): apply(.command(command), ofPolicyFor: policy.group, at: time)
                default: apply(ReceivedCommand(.success(command), from: nil, bytes: []), at: time, leasesLast: true)
                }
            case .policy(let pattern, let change): apply(change, ofPolicyFor: pattern, at: time)
            case .both(let change):
                real.apply(change, at: time) { was.record($0, of: false) }
                other.apply(change, at: time) { now.record($0, of: false) }
                // The settings at the start of a journal create a new scheduler.
                if batch.sequence == 1, case .settings = change {
                    try replacePolicies()
                }
            case nil: break
            }
        }
    }

    /// Applies a change of the policy for a group or pattern.
    private mutating func apply(_ change: BrokerState.Entry, ofPolicyFor pattern: String, at time: Milliseconds) {
        real.apply(change, at: time) { was.record($0, of: false) }
        if keepsPolicy(for: pattern) { other.apply(change, at: time) { now.record($0, of: false) } }
    }

    /// Removes the recorded policy for a name or pattern.
    public mutating func removePolicy(of pattern: GroupPattern, at time: Milliseconds) {
        real.removePolicy(of: pattern, at: time) { was.record($0, of: false) }
        if keepsPolicy(for: pattern.text) { other.removePolicy(of: pattern, at: time) { now.record($0, of: false) } }
    }

    /// Sets the wall clock in both runs.
    public mutating func setWallClock(ahead: Milliseconds, at time: Milliseconds) {
        real.setWallClock(ahead: ahead, at: time) { was.record($0, of: false) }
        other.setWallClock(ahead: ahead, at: time) { now.record($0, of: false) }
    }

    /// Advances the time in both runs until there are no more timers.
    ///
    /// - Parameter since: The time in ms since the start from which on popups count: those that were shown then or later,
    ///   or had not ended before, in one of the runs.
    /// - Returns: The differences, in the order of the popups' first events, and the number of popups.
    public mutating func finish(since: Milliseconds = 0) -> (differences: [PopupDifference], popups: Int) {
        real.finish { was.record($0, of: false) }
        other.finish { now.record($0, of: false) }
        let all = was.ids + now.ids.filter { was[$0] == nil }
        let ids = all.filter { id in [was[id], now[id]].contains { $0?.reaches(since) == true } }
        let differences = ids.compactMap { id in
            PopupDifference(
                popup: id, group: was.group(of: id) ?? now.group(of: id) ?? "", content: requests[id]?.content ?? "",
                timeToLive: requests[id]?.timeToLive ?? 0,
                was: was[id] ?? PopupOutcome(), now: now[id] ?? PopupOutcome())
        }
        return (differences, ids.count)
    }
}
