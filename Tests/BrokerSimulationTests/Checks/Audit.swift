@testable import PopupBroker
import PopupProtocol
import PopupScheduling
@testable import PopupState
import SwiftProtobuf

/// Looks on at the ports of a broker: what it commits, and each message that leaves it.
final class Audit {
    /// What it subscribes to, so that everything is published.
    static let prefixes = ["state/", "events/", "feed/", "heartbeat/", "acks/"]

    private let isComplete: Bool
    private let setting: Setting
    private var states: PublishedStates
    private var lives: PopupLives
    private(set) var committed = Committed()
    private var caps = Caps()
    private(set) var acknowledgements: Acknowledgements
    private var leases = LeaseWatch()
    private var repetitions: Repetitions
    /// The popups that were over when the process began, as the disk has it, and since when.
    private var closedForGood: [String: Milliseconds] = [:]
    /// The same when each of the batches was committed that the machine may lose.
    private var closedAtBatch: [UInt64: [String: Milliseconds]] = [:]
    /// The time of the last batch that the machine did not lose, until the next process begins.
    private var lostSince: Milliseconds?
    /// The time of the last batch of which all is told.
    private var lastSettled: Milliseconds = 0
    /// Whether the machine has lost what was acknowledged, as it may.
    private(set) var hasLost = false
    private var published: [WireGroupState] = []
    /// The same with the times of their turns, until the batch is applied that they belong to.
    private var publishedStates: [(state: WireGroupState, at: Milliseconds)] = []
    /// The states sent in each answer that is under way.
    private var answered: [String: UInt64] = [:]
    private var latestEvent: Milliseconds = 0
    /// The events that were published and that plugins were not told yet, refusals left out; with their order.
    private var untold: [WireEvent] = []
    /// The popups that were there when the process began.
    private var inherited: Set<String> = []
    private var wallClock = WallClockLeads()
    /// What happened, and how often: a run in which nothing happens finds nothing.
    private(set) var marks: [String: Int] = [:]
    /// The first thing that was wrong.
    private(set) var failure: Failure?

    init(_ setting: Setting) {
        self.setting = setting
        isComplete = setting.isAudited
        states = PublishedStates(epoch: 0, revisions: [:], forgetsGroups: false)
        lives = PopupLives(deduplicationWindow: setting.configuration.scheduling.deduplicationWindow)
        acknowledgements = Acknowledgements(isForgetful: setting.isForgetful)
        repetitions = Repetitions(refreshInterval: setting.configuration.refreshInterval)
    }

    /// A process has begun.
    ///
    /// - Parameter recordedTime: Until when earlier ones had handled timers, as the disk has it.
    func begin(_ broker: SimulatedBroker, recordedTime: Milliseconds) {
        guard broker.loop.epoch > states.epoch else {
            return fail(Failure(check: "the epoch grows", detail: "\(broker.loop.epoch) after \(states.epoch)"))
        }
        states = PublishedStates(
            epoch: broker.loop.epoch, revisions: broker.revisions,
            forgetsGroups: setting.isTight)
        let known = max(committed.last, recordedTime)
        if lostSince == nil { closedForGood = lives.closed(until: known) }
        lives.begin(
            with: broker.popups, at: known, since: lostSince ?? lastSettled,
            closed: lostSince == nil ? nil : closedForGood
        ) {
            broker.phase(of: $0) == .closed
        }
        lostSince = nil
        lastSettled = committed.last
        attempt { () throws(Failure) in try acknowledgements.begin(broker.loop.state.producers) }
        leases.begin(broker.leases, at: broker.loop.now)
        committed.settle()
        repetitions.begin(with: broker.revisions.keys)
        caps = Caps()
        wallClock.begin(broker.loop.state.scheduler.wallClockLead)
        published.removeAll()
        publishedStates.removeAll()
        answered.removeAll()
        untold.removeAll()
        inherited = Set(broker.popups.map(\.id))
        latestEvent = 0
        let deduplicationWindow = setting.configuration.scheduling.deduplicationWindow
        for popup in broker.popups
        where broker.loop.now < closedForGood[popup.id].map({ $0 + deduplicationWindow }) ?? 0 {
            fail(Failure(check: "what is closed stays closed", detail: "\(popup.id) is back after a restart"))
        }
    }

    func note(_ batch: SimulatedJournal.Batch) {
        attempt { () throws(Failure) in
            try committed.note(batch)
            try acknowledgements.note(batch)
            for client in committed.endedLeases { try leases.noteEnd(of: client, at: batch.time) }
        }
        if let lead = committed.wallClockLead { wallClock.commit(lead) }
        if committed.changedPolicies { caps.policiesChanged(at: batch.time) }
        // What the machine lost is told of popups until the next process begins.
        if setting.durability == .normal {
            closedAtBatch[batch.sequence] = lostSince == nil ? lives.closed(until: batch.time) : closedForGood
        }
    }

    /// A batch could not be committed.
    func noteRefusedBatch() { leases.noteRefusedBatch() }

    /// The broker takes a frame.
    func noteTaken(_ frame: [UInt8]) {
        for command in Ingress.commands(in: frame) { if let command = try? command.get() { leases.note(command) } }
    }

    /// Another thread of the process calls.
    func noteCall(_ command: WireCommand) { leases.note(command) }

    /// A producer sends another command under a sequence that is settled.
    func noteContradiction(of sequence: UInt64, by id: String) {
        guard let producer = ProducerName(id) else { return }
        acknowledgements.noteContradiction(of: sequence, by: producer)
    }

    /// The machine has lost what isn't in the journal any more.
    func rollBack(to history: [SimulatedJournal.Batch]) {
        committed = Committed()
        attempt { () throws(Failure) in for batch in history { try committed.note(batch) } }
        closedForGood = history.last.flatMap { closedAtBatch[$0.sequence] } ?? [:]
        acknowledgements.rollBack(to: history)
        lostSince = committed.last
        hasLost = true
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
            guard var event = try? WireEvent(serializedBytes: message.body), topic == "events/\(event.group)/",
                event.epoch == states.epoch
            else {
                throw Failure(check: "bodies can be read", detail: topic)
            }
            let told = event
            let time = wallClock.brokerTime(Milliseconds(event.time), near: max(latestEvent, committed.last))
            event.time = UInt64(clamping: time)
            latestEvent = max(latestEvent, time)
            mark(event.mark)
            guard isComplete else { return }
            if case .refused = event.event {} else if setting.hasPlugin { untold.append(told) }
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
        } else if topic == "heartbeat/" {
            guard let heartbeat = try? WireHeartbeat(serializedBytes: message.body) else {
                throw Failure(check: "bodies can be read", detail: topic)
            }
            if isComplete { try states.note(heartbeat) }
        } else if case .sync(_, _, _, let encoding)? = Topic(topic) {
            guard let sync: WireSync = try? encoding.decode(message.body) else {
                throw Failure(check: "bodies can be read", detail: topic)
            }
            try note(sync, on: topic)
        } else if case .acks(let producer, let encoding)? = Topic(topic) {
            guard let ack: WireAck = try? encoding.decode(message.body), ack.epoch == states.epoch else {
                throw Failure(check: "bodies can be read", detail: topic)
            }
            try acknowledgements.note(ack, to: producer)
            for refusal in ack.refusals { mark("told \(refusal.reason.name)") }
        }
    }

    private func note(_ sync: WireSync, on topic: String) throws(Failure) {
        for state in sync.states {
            if state.hasActive, committed.requests[state.active.id] == nil {
                throw Failure(check: "nothing is told that isn't committed", detail: state.short)
            }
            if isComplete { try states.note(answered: state) }
        }
        answered[topic, default: 0] += UInt64(sync.states.count)
        guard sync.hasEnd else { return }
        mark("answer to sync")
        let count = answered.removeValue(forKey: topic)
        guard sync.end.states != count || sync.end.epoch != states.epoch else { return }
        throw Failure(check: "the end of an answer tells its states", detail: "\(sync.end), sent were \(count ?? 0)")
    }

    /// A turn is over. A batch that is applied over several turns is looked at after the last of them.
    func settle(_ broker: SimulatedBroker) {
        publishedStates += published.map { ($0, broker.loop.clock) }
        published.removeAll()
        guard !broker.loop.isApplying else { return }
        attempt { () throws(Failure) in
            acknowledgements.settle(broker.loop.state.producers)
            try leases.settle(
                broker.leases, isApplied: broker.loop.isIdle, at: broker.loop.now)
            let broken = broker.loop.state.brokenInvariants()
            guard broken.isEmpty else {
                throw Failure(check: "always true", detail: broken.joined(separator: "; "))
            }
            guard latestEvent <= broker.loop.now else {
                throw Failure(check: "nothing fires early", detail: "an event of \(latestEvent) at \(broker.loop.now)")
            }
            for policy in broker.loop.state.configuredPolicies where committed.policies[policy.group] == nil {
                throw Failure(check: "what is configured is committed", detail: policy.group)
            }
            if isComplete {
                try states.settle(broker.revisions)
                try lives.settle(broker.popups)
                if let event = untold.first {
                    throw Failure(check: "plugins are told what happens", detail: "not \(event.word) \(event.popup)")
                }
            }
            try checkQuotas(broker)
        }
        for (state, time) in publishedStates {
            // The display time of a visible popup may have begun with any report since the last look.
            let isDisplayClock = committed.policies.policy(of: state.group).map { $0.clock != .visible } ?? true
            lives.note(
                state, at: isDisplayClock ? time : lastSettled,
                isRetimed: committed.retimed.contains(state.active.id) || committed.changedPolicies)
        }
        publishedStates.removeAll()
        lastSettled = committed.last
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

    /// The broker takes a change of subscriptions, or a connection ends.
    func note(_ change: SubscriptionChange, of subscriber: ConnectionID, to prefix: [UInt8]) {
        let prefix = String(decoding: prefix, as: UTF8.self)
        switch change {
        case .subscribed: repetitions.noteSubscription(of: subscriber, to: prefix)
        case .withdrawn: repetitions.noteWithdrawal(of: subscriber, from: prefix)
        case .ended: repetitions.noteEnd(of: subscriber)
        }
    }

    /// A message leaves for these subscribers.
    func note(_ message: SimulatedTransport.Message, to subscribers: [ConnectionID]) {
        guard let channel = Topic(String(decoding: message.topic, as: UTF8.self))?.channel,
            Repetitions.channels.contains(channel),
            let state: WireGroupState = try? channel.encoding.decode(message.body)
        else { return }
        repetitions.note(state, on: channel, to: subscribers)
    }

    /// The broker has nothing to do at this time.
    func rest(_ broker: SimulatedBroker) {
        attempt { () throws(Failure) in try repetitions.settle(broker) }
    }

    /// What plugins are told is what was published, in its order.
    func note(told batch: CommittedBatch) {
        mark("told to plugins")
        guard isComplete else { return }
        for event in batch.events {
            if case .refused = event.event { continue }
            guard untold.first == event else {
                return fail(
                    Failure(
                        check: "plugins are told what happens",
                        detail: "\(event.word) \(event.popup), published was \(untold.first?.word ?? "nothing")"))
            }
            untold.removeFirst()
        }
    }

    /// No producer has more live popups than its quota, but for those of before the process began.
    private func checkQuotas(_ broker: SimulatedBroker) throws(Failure) {
        let quotas = setting.configuration.quotas
        guard quotas.isLimited else { return }
        var live: [String: Int] = [:]
        for popup in broker.popups where !inherited.contains(popup.id) {
            if let producer = committed.producer(of: popup.id) { live[producer, default: 0] += 1 }
        }
        for (producer, count) in live.sorted(by: { $0.key < $1.key }) {
            let quota = producer.isEmpty ? quotas.anonymous : quotas.perProducer
            guard quota.livePopups > 0, count > quota.livePopups else { continue }
            throw Failure(check: "quotas hold", detail: "\(producer) has \(count) of \(quota.livePopups) popups")
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
