import PopupProtocol
import PopupScheduling
import SwiftProtobuf

/// The states that a broker publishes: each change once, its revision one more than the last; what is told again is
/// what was told before.
struct PublishedStates {
    let epoch: UInt64
    /// Groups may be forgotten and come again with a greater revision.
    let forgetsGroups: Bool
    /// The latest of each group, or at least its revision.
    private var revisions: [String: UInt64]
    private var states: [String: WireGroupState] = [:]
    /// Changes that the feed has not told yet.
    private var unfed: [WireGroupState] = []

    init(epoch: UInt64, revisions: [String: UInt64], forgetsGroups: Bool) {
        self.epoch = epoch
        self.revisions = revisions
        self.forgetsGroups = forgetsGroups
    }

    mutating func note(_ state: WireGroupState) throws(Failure) {
        guard state.epoch == epoch else { throw failure(state, "in epoch \(epoch)") }
        let last = revisions[state.group] ?? 0
        guard state.revision <= last else { return try change(state) }
        guard state.revision == last else { throw failure(state, "after revision \(last)") }
        if let known = states[state.group], known.lasting != state.lasting || state.hasCause {
            throw Failure(check: "a repetition says the same", detail: "\(state.short), before \(known.short)")
        }
        states[state.group] = state
    }

    /// A state in an answer to somebody who asked is the present one.
    func note(answered state: WireGroupState) throws(Failure) {
        guard state.epoch == epoch, state.revision == revisions[state.group] ?? 0 else {
            throw Failure(
                check: "answers tell the present",
                detail: "\(state.short), published was \(revisions[state.group] ?? 0)")
        }
        guard let known = states[state.group], known.lasting != state.lasting else { return }
        throw Failure(check: "a repetition says the same", detail: "\(state.short), before \(known.short)")
    }

    private mutating func change(_ state: WireGroupState) throws(Failure) {
        if let last = revisions[state.group], state.revision > last + 1, !forgetsGroups {
            throw failure(state, "after revision \(last)")
        }
        revisions[state.group] = state.revision
        states[state.group] = state
        unfed.append(state)
    }

    mutating func note(_ feed: WireFeed) throws(Failure) {
        guard feed.states == unfed else {
            throw Failure(
                check: "the feed tells the changes",
                detail: "\(feed.states.map(\.short)), published were \(unfed.map(\.short))")
        }
        unfed.removeAll()
    }

    func note(_ heartbeat: WireHeartbeat) throws(Failure) {
        for changed in heartbeat.groups where changed.revision != revisions[changed.group] || heartbeat.epoch != epoch {
            throw Failure(
                check: "the heartbeat tells the revisions",
                detail: "\(changed), published was \(revisions[changed.group] ?? 0)")
        }
    }

    /// A turn is over: everything that changed was told.
    mutating func settle(_ current: [String: UInt64]) throws(Failure) {
        for (group, revision) in current.sorted(by: { $0.key < $1.key }) where (revisions[group] ?? 0) != revision {
            throw Failure(
                check: "each change is published",
                detail: "\(group) is at revision \(revision), published was \(revisions[group] ?? 0)")
        }
        guard unfed.isEmpty else {
            throw Failure(check: "the feed tells the changes", detail: "not \(unfed.map(\.short))")
        }
        for group in revisions.keys where current[group] == nil {
            revisions[group] = nil
            states[group] = nil
        }
    }

    private func failure(_ state: WireGroupState, _ when: String) -> Failure {
        Failure(check: "revisions go up by one", detail: "\(state.short) \(when)")
    }
}

extension WireGroupState {
    /// Without what differs between two tellings of one revision.
    var lasting: WireGroupState {
        var state = self
        state.clearCause()
        if state.hasActive { state.active.remainingMs = 0 }
        return state
    }

    var short: String {
        let popup = hasActive ? "\(offered ? "offered " : "")\(active.id)" : "nothing"
        return "\(group)#\(epoch).\(revision) \(popup) +\(waiting) ~\(paused)"
    }
}
