@testable import PopupBroker
import PopupProtocol
import PopupScheduling
import SwiftProtobuf

/// Looks on at the ports of a broker: what it commits, and each message that leaves it.
final class Audit {
    /// What it subscribes to, so that everything is published.
    static let prefixes = ["state/", "events/", "feed/", "heads/"]

    private let isComplete: Bool
    private let setting: Setting
    private var states: PublishedStates
    private var lives: PopupLives
    private(set) var committed = Committed()
    private var caps = Caps()
    /// The popups that were over when the last batch was committed, and since when.
    private var closedForGood: [String: Milliseconds] = [:]
    private var published: [WireGroupState] = []
    private var latestEvent: Milliseconds = 0
    /// What happened, and how often: a run in which nothing happens finds nothing.
    private(set) var marks: [String: Int] = [:]
    /// The first thing that was wrong.
    private(set) var failure: Failure?

    init(_ setting: Setting) {
        self.setting = setting
        isComplete = setting.isAudited
        states = PublishedStates(epoch: 0, revisions: [:], forgetsGroups: false)
        lives = PopupLives(rememberFor: setting.configuration.scheduling.rememberFor)
    }

    /// A process has begun.
    func begin(_ broker: SimulatedBroker) {
        guard broker.core.epoch > states.epoch else {
            return fail(Failure(check: "the epoch grows", detail: "\(broker.core.epoch) after \(states.epoch)"))
        }
        states = PublishedStates(
            epoch: broker.core.epoch, revisions: broker.revisions,
            forgetsGroups: setting.isTight)
        lives.begin(with: broker.popups, at: committed.last) { broker.phase(of: $0) == .closed }
        committed.settle()
        caps = Caps()
        published.removeAll()
        latestEvent = 0
        let rememberFor = setting.configuration.scheduling.rememberFor
        for popup in broker.popups where broker.core.now < closedForGood[popup.id].map({ $0 + rememberFor }) ?? 0 {
            fail(Failure(check: "what is closed stays closed", detail: "\(popup.id) is back after a restart"))
        }
    }

    func note(_ batch: SimulatedJournal.Batch) {
        attempt { () throws(Failure) in try committed.note(batch) }
        if committed.changedPolicies { caps.policiesChanged(at: batch.time) }
        // What timers of an earlier process did later is done again.
        closedForGood = lives.lives.compactMapValues { life in life.closedAt.flatMap { $0 <= batch.time ? $0 : nil } }
    }

    func note(_ message: SimulatedTransport.Message) {
        attempt { () throws(Failure) in try look(message) }
    }

    private func look(_ message: SimulatedTransport.Message) throws(Failure) {
        let topic = String(decoding: message.topic, as: UTF8.self)
        if topic.hasPrefix("state/") {
            guard let state = try? WireGroupState(serializedBytes: message.body), topic == "state/\(state.group)/"
            else {
                throw Failure(check: "bodies can be read", detail: topic)
            }
            if state.hasActive, committed.requests[state.active.id] == nil {
                throw Failure(check: "nothing is told that isn't committed", detail: state.short)
            }
            if isComplete { try states.note(state) }
            published.append(state)
        } else if topic.hasPrefix("events/") {
            guard let event = try? WireEvent(serializedBytes: message.body), topic == "events/\(event.group)/" else {
                throw Failure(check: "bodies can be read", detail: topic)
            }
            latestEvent = max(latestEvent, Milliseconds(event.time))
            mark(event.mark)
            guard isComplete else { return }
            try lives.note(event, committed)
            if case .closed(let closed) = event.event, closed.reason == .replaced { caps.noteReplaced(event) }
            // A full table may have refused policies that are committed.
            if case .shown = event.event, !setting.isTight, let request = committed.request(event.popup) {
                try caps.note(event, capKey: request.capKey, under: committed.policies)
            }
        } else if topic == "feed/" {
            guard let feed = try? WireFeed(serializedBytes: message.body) else {
                throw Failure(check: "bodies can be read", detail: topic)
            }
            if isComplete { try states.note(feed) }
        } else if topic == "heads/" {
            guard let heads = try? WireHeads(serializedBytes: message.body) else {
                throw Failure(check: "bodies can be read", detail: topic)
            }
            if isComplete { try states.note(heads) }
        }
    }

    /// A turn is over.
    func settle(_ broker: SimulatedBroker) {
        attempt { () throws(Failure) in
            let broken = broker.core.scheduler.brokenInvariants()
            guard broken.isEmpty else {
                throw Failure(check: "always true", detail: broken.joined(separator: "; "))
            }
            guard latestEvent <= broker.core.now else {
                throw Failure(check: "nothing fires early", detail: "an event of \(latestEvent) at \(broker.core.now)")
            }
            for policy in broker.core.configuredPolicies where committed.policies[policy.group] == nil {
                throw Failure(check: "what is configured is committed", detail: policy.group)
            }
            if isComplete {
                try states.settle(broker.revisions)
                try lives.settle(broker.popups)
            }
        }
        for state in published {
            lives.note(
                state, at: broker.core.now,
                isRetimed: committed.retimed.contains(state.active.id) || committed.changedPolicies)
        }
        published.removeAll()
        committed.settle()
    }

    /// At the end of a run: whatever was accepted is over, or lives.
    func checkAccounts(_ broker: SimulatedBroker) {
        guard isComplete else { return }
        let live = Set(broker.popups.map(\.id))
        for id in committed.ids {
            let stage = lives.lives[id]?.stage
            let isLive = stage.map { $0 != .closed } ?? false
            if isLive != live.contains(id) || stage == .closed && broker.phase(of: id).map({ $0 != .closed }) ?? false {
                fail(Failure(check: "accepted popups are closed once or live", detail: id))
            }
        }
    }

    func mark(_ what: String) { marks[what, default: 0] += 1 }

    private func attempt(_ body: () throws(Failure) -> Void) {
        do throws(Failure) { try body() } catch { fail(error) }
    }

    private func fail(_ failure: Failure) {
        if self.failure == nil { self.failure = failure }
    }
}
