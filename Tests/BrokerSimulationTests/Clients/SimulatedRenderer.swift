@_spi(Wire) @testable import PopupClient
import PopupProtocol
import PopupScheduling
import SwiftProtobuf
import Synchronization

/// A renderer: keeps what each group shows by the client library's own stream of screens, which asks for what it
/// missed; keeps its lease, and does with each popup what the seed says: reports, answers, dismisses, sometimes too
/// late.
final class SimulatedRenderer: SimulatedClient {
    let name: String
    private let seed: UInt64
    private let encoding: WireEncoding
    private let patterns: [String]
    private let filter: GroupFilter
    private let box: GroupStateBox
    /// Only differences of it count.
    private let beginning = ContinuousClock.now
    private var wasConnected = false
    private var planned: [(at: Milliseconds, command: WireCommand)] = []
    private var nextLease: Milliseconds = 0
    /// What is on its screens.
    private(set) var screens: [String: WireGroupState] = [:]
    /// Whether it is still there: one that left reports and renews nothing.
    var isPresent = true

    init(
        name: String, seed: UInt64, encoding: WireEncoding, groups: [String], staleAfter: Milliseconds
    ) throws(ClientError) {
        self.name = name
        self.seed = seed
        self.encoding = encoding
        patterns = groups.flatMap { $0 == "*" ? [$0] : [$0, "\($0)/*"] }
        filter = try GroupFilter(patterns)
        var limits = ClientLimits()
        limits.staleStateTimeout = .milliseconds(staleAfter)
        let jitter = Mutex(Dice(seed, for: "jitter \(name)"))
        box = GroupStateBox(filter: filter, limits: limits, client: name, stream: 1, at: beginning) {
            .milliseconds(jitter.withLock { $0.number(0...500) })
        }
    }

    var prefixes: [String] { (box.prefixes + box.temporaryTopics).map(coded) }

    /// Whether it is to show what this group shows.
    func follows(_ group: String) -> Bool { filter.matches(group) }

    func connected(at now: Milliseconds, _ hand: inout Hand) {
        if wasConnected { box.reconnected(at: instant(now)) }
        wasConnected = true
        ask(at: now, &hand)
    }

    func receive(_ topic: String, _ body: [UInt8], at now: Milliseconds, _ hand: inout Hand) {
        guard let message = EgressMessage(topic, body) else { return }
        box.receive(message, at: instant(now))
        while let screen = box.take() {
            let state = screen.state.wire
            let before = screens.updateValue(state, forKey: state.group)
            guard state.hasActive, isPresent else { continue }
            let isNews =
                before?.active.id != state.active.id || before?.active.sinceRevision != state.active.sinceRevision
                || before?.offered != state.offered
            if isNews { plan(state, at: now, &hand) }
        }
        ask(at: now, &hand)
    }

    func wake(at now: Milliseconds, _ hand: inout Hand) {
        ask(at: now, &hand)
        guard isPresent else { return }
        if now >= nextLease {
            nextLease = now + 1000
            hand.wake(at: nextLease)
            send(
                .with {
                    $0.lease.client = name
                    $0.lease.groups = patterns
                }, &hand)
        }
        for deed in planned where deed.at <= now { send(deed.command, &hand) }
        planned.removeAll { $0.at <= now }
    }

    private func send(_ command: WireCommand, _ hand: inout Hand) {
        hand.send((encoding == .json ? Handwriting.json : .binary).frames([command]))
    }

    // MARK: - What it missed

    /// Asks the broker for what is due to be asked for.
    private func ask(at now: Milliseconds, _ hand: inout Hand) {
        while let deadline = box.deadline {
            guard deadline <= instant(now) else { return hand.wake(at: milliseconds(deadline)) }
            for change in box.changes(at: instant(now)) {
                switch change {
                case .subscribe(let topic): hand.subscribe(coded(topic))
                case .unsubscribe(let topic): hand.unsubscribe(coded(topic))
                }
            }
        }
    }

    private func instant(_ time: Milliseconds) -> ContinuousClock.Instant {
        beginning.advanced(by: .milliseconds(time))
    }

    private func milliseconds(_ instant: ContinuousClock.Instant) -> Milliseconds {
        let (seconds, attoseconds) = beginning.duration(to: instant).components
        return seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    }

    /// The library's topic, or the same on a channel that only foreign clients use: with JSON, or with two frames.
    private func coded(_ topic: String) -> String {
        for (channel, other) in foreignChannels where topic.hasPrefix(channel.prefix) {
            return other.prefix + topic.dropFirst(channel.prefix.count)
        }
        return topic
    }

    private var foreignChannels: [(Channel, Channel)] {
        switch encoding {
        case .json: [(.stateFrame, .stateJSON), (.sync, .syncJSON)]
        case .binary: seed.isMultiple(of: 2) ? [] : [(.stateFrame, .state)]
        }
    }

    // MARK: - What the user does

    private func plan(_ state: WireGroupState, at now: Milliseconds, _ hand: inout Hand) {
        let popup = state.active
        var dice = Dice(seed, for: "\(name) \(popup.id) \(popup.sinceRevision) \(state.offered)")
        if state.offered {
            guard dice.percent(75) else { return }
            let answer: WireAnswer.OneOf_Answer = dice.pick([
                (6, .accept(WireEmpty())), (2, .veto(WireEmpty())),
                (2, .later(.with { if dice.oneIn(2) { $0.retryMs = UInt32(dice.below(1500)) } })),
            ])
            return plan(
                .with {
                    $0.answer.id = popup.id
                    $0.answer.client = name
                    $0.answer.answer = answer
                }, at: now + Milliseconds(dice.number(0...800)), &hand)
        }
        for (share, report) in [
            (80, WireReport.OneOf_Report.displayed(WireEmpty())), (70, .visible(WireEmpty())),
            (25, .hidden(WireEmpty())),
        ] where dice.percent(share) {
            plan(
                .with {
                    $0.report.id = popup.id
                    $0.report.client = name
                    $0.report.report = report
                }, at: now + Milliseconds(dice.number(0...600)), &hand)
        }
        guard dice.percent(55) else { return }
        plan(
            .with {
                $0.dismiss.id = popup.id
                $0.dismiss.action = dice.pick(Workload.actions)
                if dice.percent(75) { $0.dismiss.revision = popup.sinceRevision }
                if dice.percent(85) { $0.dismiss.client = name }
            }, at: now + Milliseconds(dice.number(100...3000)), &hand)
    }

    private func plan(_ command: WireCommand, at time: Milliseconds, _ hand: inout Hand) {
        planned.append((time, command))
        hand.wake(at: time)
    }
}

extension EgressMessage {
    /// A message in either encoding, as if it had come in the binary one.
    init?(_ topic: String, _ body: [UInt8]) {
        if topic.hasPrefix(Channel.stateJSON.prefix) {
            guard let state: WireGroupState = try? WireEncoding.json.decode(body) else { return nil }
            self = .state(state)
        } else if topic.hasPrefix(Channel.syncJSON.prefix) {
            guard let sync: WireSync = try? WireEncoding.json.decode(body) else { return nil }
            self = .sync(Channel.sync.prefix + topic.dropFirst(Channel.syncJSON.prefix.count), sync)
        } else {
            self.init(body, on: topic)
        }
    }
}
