import FleetState
@testable import PopupBroker
import PopupFleet
import PopupJournal
import PopupProtocol
import PopupScheduling
import SimulatedLogs
import SwiftProtobuf

// What has to be true of a run, whatever went wrong in it.
extension SimulatedFleet {
    // MARK: - In the end

    /// Well after the last fault, everybody comes to rest within some seconds.
    func comeToRest() {
        let end = now + 6000
        while failure == nil, let unrest = unrest() {
            guard now < end else { return fail(unrest) }
            goOn(until: now + 100)
        }
    }

    /// The brokers that speak for their nodes.
    private var speaking: [RunningBroker] { machines.compactMap { $0.process.isSpeaking ? $0.process.owner : nil } }

    /// Returns what is not as it is to be in the end: one node owns the log, the others follow, producers know what happened,
    /// screens show what the owner does.
    private func unrest() -> Failure? {
        let speaking = speaking
        guard speaking.count == 1, let owner = speaking.first else {
            return Failure(check: "one node owns the log in the end", detail: "\(speaking.count) do")
        }
        for machine in machines where machine.process.node.replica.index + 8 < log.head.index {
            return Failure(
                check: "every node follows the log in the end",
                detail: "\(machine.process.machine) is at \(machine.process.node.replica.index), not \(log.head.index)")
        }
        guard owner.runner.loop.isIdle else {
            return Failure(check: "commands come into the log in the end", detail: "one is on its way")
        }
        let unsettled = senders.flatMap(\.unsettled)
        guard unsettled.isEmpty else {
            return Failure(check: "producers come to know what happened", detail: unsettled.joined(separator: " "))
        }
        return unlikeScreen(owner.states)
    }

    private func unlikeScreen(_ states: [WireGroupState]) -> Failure? {
        for state in states {
            let screens =
                followers.filter { $0.follows(state.group) }.map { ($0.name, $0.screens[state.group]?.lasting) }
                + watchers.map { ($0.name, $0.shown[state.group]?.lasting) }
            // Of a group that never had anything to show a screen needs to know nothing.
            for (name, screen) in screens where screen != state && (screen != nil || !state.isIdle) {
                return Failure(
                    check: "each screen shows the end of the history",
                    detail: "\(name) has \(screen?.short ?? "nothing"), the owner \(state.short)")
            }
        }
        return nil
    }

    // MARK: - All of the run

    /// Checks the end of the run, and then all of it, against the history of the log.
    func checkHistory() {
        do {
            let history = try FleetHistory(of: log)
            checkLastStates(history)
            if failure == nil, let broken = brokenRun(history) { fail(broken) }
        } catch {
            fail("the log can be read", "\(error)")
        }
    }

    /// The states of the owner are the last ones of the history.
    private func checkLastStates(_ history: FleetHistory) {
        guard let owner = speaking.first else { return }
        let last = history.last(at: owner.runner.loop.timersUntil)
        for state in owner.states {
            guard let known = last[state.group], known.content != state.content else { continue }
            return fail("the owner shows the end of the history", "\(state.short), which ends with \(known.short)")
        }
    }

    /// Returns the first promise that was broken.
    private func brokenRun(_ history: FleetHistory) -> Failure? {
        if let broken = log.brokenOrder() { return Failure(check: "the log is one sequence", detail: broken) }
        if let broken = log.brokenSnapshots(keptSnapshots, of: BrokerReplica.self) {
            return Failure(check: "a snapshot is what the log determines", detail: broken)
        }
        do throws(Failure) {
            var words = HeardWords(history, log, rateSpread: rateSpread)
            for one in heard { try words.check(one) }
            try words.checkEnds()
        } catch {
            return error
        }
        return acknowledgements.broken()
    }
}

/// All that left the processes of a fleet, against the history.
struct HeardWords {
    private struct Told: Hashable {
        var process: Int
        var epoch: UInt64
        var event: EventName
    }

    private struct EventName: Hashable {
        var group: String
        var popup: String
        var revision: UInt64
        var word: String
    }

    private let history: FleetHistory
    /// When each tenure began, by true time.
    private let begins: [(epoch: UInt64, at: Milliseconds)]
    /// The greatest time for which an owner that does not pause may speak after its successor began: the mute time by the
    /// slowest clock, and a turn of the broker.
    private let overlap: Milliseconds
    private var seen: Set<SimulatedTransport.Message> = []
    private var told: Set<Told> = []
    private var contents: [EventName: WireEvent.OneOf_Event] = [:]
    private var ends: [String: (group: String, revision: UInt64)] = [:]

    init(_ history: FleetHistory, _ log: borrowing SimulatedLog, rateSpread: Int64) {
        self.history = history
        overlap = FleetTiming().mute * 1000 / (1000 - rateSpread) + 20
        begins = zip(log.history, log.appended).filter { $0.0.kind == .takeOver }.map { ($0.0.epoch, $0.1) }
    }

    mutating func check(_ heard: SimulatedFleet.Heard) throws(Failure) {
        // What was right once, is.
        let isNew = seen.insert(heard.message).inserted
        let text = String(decoding: heard.message.topic, as: UTF8.self)
        guard let topic = Topic(text) else { throw Failure(check: "bodies can be read", detail: text) }
        let encoding = topic.channel.encoding
        var epoch: UInt64?
        do {
            switch topic.channel {
            case .state, .stateJSON, .stateFrame:
                let state: WireGroupState = try encoding.decode(heard.message.body)
                epoch = state.epoch
                if isNew { try check(state, of: state.epoch, heard) }
            case .feed:
                let feed: WireFeed = try encoding.decode(heard.message.body)
                epoch = feed.states.first?.epoch
                for state in feed.states { try check(state, of: state.epoch, heard) }
            case .sync, .syncJSON:
                let sync: WireSync = try encoding.decode(heard.message.body)
                epoch = sync.hasEnd ? sync.end.epoch : sync.states.first?.epoch
                for state in sync.states { try check(state, of: state.epoch, heard) }
            case .heartbeat:
                let heartbeat: WireHeartbeat = try encoding.decode(heard.message.body)
                epoch = heartbeat.epoch
                for group in heartbeat.groups where isNew {
                    guard known(group.group, group.revision, heartbeat.epoch, heard).isEmpty else { continue }
                    throw Failure(check: "a heartbeat tells the history", detail: "\(group) of \(heartbeat.epoch)")
                }
            case .events, .eventsJSON:
                let event: WireEvent = try encoding.decode(heard.message.body)
                epoch = event.epoch
                // A renderer's topic may carry it twice: once in each encoding.
                if topic.channel == .events { try check(event, heard) }
            case .acks, .acksJSON:
                let ack: WireAck = try encoding.decode(heard.message.body)
                epoch = ack.epoch
            default: break
            }
        } catch let failure as Failure {
            throw failure
        } catch {
            throw Failure(check: "bodies can be read", detail: "\(text): \(error)")
        }
        if let epoch { try checkOverlap(of: epoch, heard) }
    }

    /// An owner that was overtaken is mute after the promised time, unless it pauses.
    private func checkOverlap(of epoch: UInt64, _ heard: SimulatedFleet.Heard) throws(Failure) {
        guard heard.isPrompt, let successor = begins.first(where: { $0.epoch > epoch }) else { return }
        guard heard.at - successor.at > overlap else { return }
        throw Failure(
            check: "an owner that was overtaken is mute",
            detail: "epoch \(epoch) speaks at \(heard.at), epoch \(successor.epoch) began at \(successor.at)")
    }

    private func known(
        _ group: String, _ revision: UInt64, _ epoch: UInt64, _ heard: SimulatedFleet.Heard
    ) -> [WireGroupState] {
        history.known(group, revision, epoch: epoch, entries: heard.entries, horizon: heard.horizon)
    }

    /// A state is the history's, with its whole content, and of what is in the log.
    private func check(_ state: WireGroupState, of epoch: UInt64, _ heard: SimulatedFleet.Heard) throws(Failure) {
        let known = known(state.group, state.revision, epoch, heard)
        guard !known.contains(where: { $0.content == state.content }) else { return }
        throw Failure(
            check: "every state is the history's",
            detail: "at \(heard.at), with \(heard.entries) entries, until \(heard.horizon): \(state.short) "
                + "\(state.content); the history has \(history.text(state.group, state.revision))")
    }

    /// An event is of a revision of the history, and fits its state. An owner tells it once, two owners tell the same.
    private mutating func check(_ event: WireEvent, _ heard: SimulatedFleet.Heard) throws(Failure) {
        if case .refused = event.event { return }
        let name = EventName(group: event.group, popup: event.popup, revision: event.revision, word: event.word)
        let isFirst = told.insert(Told(process: heard.process, epoch: event.epoch, event: name)).inserted
        // A popup that waits can be updated again in the same revision.
        guard isFirst || event.word == "updated" else {
            throw Failure(check: "an owner tells an event once", detail: "\(name) of \(event.epoch)")
        }
        if let content = event.event, let before = contents.updateValue(content, forKey: name), before != content {
            throw Failure(check: "owners tell the same", detail: "\(name): \(content), before \(before)")
        }
        let states = known(event.group, event.revision, event.epoch, heard)
        let showing = states.count { $0.active.id == event.popup }
        let fits =
            switch event.event {
            case .shown, .resumed, .offered: showing > 0
            case .paused, .closed: showing < states.count
            // One that gave way may be shown again in the same step.
            default: !states.isEmpty
            }
        guard fits else {
            throw Failure(
                check: "an event fits its state",
                detail: "\(name) of \(event.epoch) at \(heard.at); the history has "
                    + history.text(event.group, event.revision))
        }
        guard case .closed = event.event else { return }
        if let end = ends.updateValue((event.group, event.revision), forKey: event.popup),
            end != (event.group, event.revision)
        {
            throw Failure(check: "a popup closes once", detail: "\(name), before in \(end)")
        }
    }

    /// What was told to be closed is not shown in a later revision.
    func checkEnds() throws(Failure) {
        for (group, versions) in history.groups {
            for version in versions {
                guard let end = ends[version.state.active.id], end.group == group,
                    version.state.revision >= end.revision
                else { continue }
                throw Failure(check: "what is closed stays closed", detail: "\(version.state.short) after \(end)")
            }
        }
    }
}
