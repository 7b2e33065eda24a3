@testable import PopupClient
import PopupProtocol
import PopupScheduling
import SwiftProtobuf

/// A renderer: keeps what each group shows by the client library's own rules, keeps its lease, and does with each popup
/// what the seed says: reports, answers, dismisses, sometimes too late.
final class SimulatedRenderer: SimulatedClient {
    let name: String
    let prefixes: [String]
    private let seed: UInt64
    private let encoding: WireEncoding
    private let groups: [String]
    private var freshness = Freshness()
    private var succession: Succession
    /// Only differences of it count.
    private let beginning = ContinuousClock.now
    private var planned: [(at: Milliseconds, command: WireCommand)] = []
    private var nextLease: Milliseconds = 0
    /// What is on its screens.
    private(set) var screens: [String: WireGroupState] = [:]
    /// Whether it is still there: one that left reports and renews nothing.
    var isPresent = true

    init(name: String, seed: UInt64, encoding: WireEncoding, groups: [String], staleAfter: Milliseconds) {
        self.name = name
        self.seed = seed
        self.encoding = encoding
        self.groups = groups
        succession = Succession(timeout: .milliseconds(staleAfter))
        let channel: Channel = encoding == .json ? .stateJSON : .state
        prefixes =
            [Channel.heads.prefix] + groups.map { $0 == "*" ? channel.prefix : "\(channel.prefix)\($0)/" }
    }

    /// Whether it is to show what this group shows.
    func follows(_ group: String) -> Bool { groups.contains { $0 == "*" || group == $0 || group.hasPrefix($0 + "/") } }

    func receive(_ topic: String, _ body: [UInt8], at now: Milliseconds, _ hand: inout Hand) {
        let instant = beginning.advanced(by: .milliseconds(now))
        if topic == Channel.heads.prefix {
            guard let heads = try? WireHeads(serializedBytes: body) else { return }
            for state in succession.heartbeat(epoch: heads.epoch, at: instant) { screens[state.group] = state }
            return
        }
        guard let state: WireGroupState = try? encoding.decode(body), freshness.accept(state) else { return }
        succession.note(state, at: instant)
        let before = screens.updateValue(state, forKey: state.group)
        guard state.hasActive, isPresent else { return }
        let isNews =
            before?.active.id != state.active.id || before?.active.sinceRevision != state.active.sinceRevision
            || before?.offered != state.offered
        if isNews { plan(state, at: now, &hand) }
    }

    func wake(at now: Milliseconds, _ hand: inout Hand) {
        guard isPresent else { return }
        if now >= nextLease {
            nextLease = now + 1000
            hand.wake(at: nextLease)
            send(
                .with {
                    $0.lease.client = name
                    $0.lease.groups = groups.flatMap { $0 == "*" ? [$0] : [$0, "\($0)/*"] }
                }, &hand)
        }
        for deed in planned where deed.at <= now { send(deed.command, &hand) }
        planned.removeAll { $0.at <= now }
    }

    private func send(_ command: WireCommand, _ hand: inout Hand) {
        hand.send((encoding == .json ? Handwriting.json : .binary).frames([command]))
    }

    // MARK: - What the person does

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
