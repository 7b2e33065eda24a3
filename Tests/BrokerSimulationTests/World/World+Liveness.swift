@testable import PopupBroker
import PopupProtocol
import PopupScheduling
import SwiftProtobuf

// When faults have stopped: everybody comes to know what there is, and everything that was accepted comes to its end.
extension World {
    /// Within so many ms everybody knows: several refreshes, the longest pause of a producer that sends again, and the
    /// time until one gives up for want of room; or until the broker has forgotten one that it has no room beside.
    private var convergence: Milliseconds { setting.isForgetful ? 40_000 : 15_000 }
    /// Within so many ms everything has ended, each popup being shown a second at most.
    private static let ending: Milliseconds = 900_000

    /// Faults stop.
    func converge() throws {
        journal.failures = 0
        journal.isFull = false
        endStall()
        for client in clients.map(\.name) {
            for direction in Direction.allCases { set(.calm, for: client, direction) }
            if network.isCut(client) { connect(client) }
        }
        if broker == nil { try start() }
        try go(until: time + convergence)
        emit(
            Handwriting.binary.frames([
                .with {
                    $0.query.client = admin.name
                    $0.query.nonce = "last"
                    $0.query.stats = WireStatsQuery()
                }
            ]), from: admin.name)
        // It may come behind a batch in flight, in one of its own.
        try go(until: time + 500 + 2 * (setting.commitDurations.max() ?? 0))

        guard let broker else { throw Failure(check: "the broker goes on", detail: "it is gone") }
        try checkScreens()
        try checkProducers(broker)
        guard admin.answered.contains("last") else {
            throw Failure(check: "queries are answered", detail: "not the last one")
        }
        try checkRecovery(broker)
    }

    /// The renderers show what the broker does.
    private func checkScreens() throws {
        guard let broker else { throw Failure(check: "the broker goes on", detail: "it is gone") }
        let states = broker.groups.map(broker.lasting)
        for renderer in renderers {
            for state in states where renderer.follows(state.group) {
                let screen = renderer.screens[state.group]?.lasting
                // Of a group that never had anything to show it needs to know nothing.
                guard screen != state, screen != nil || state.isIdle == false else { continue }
                throw Failure(
                    check: "renderers converge",
                    detail: "\(renderer.name) has \(screen?.short ?? "nothing"), the broker \(state.short)")
            }
            let known = Set(states.map(\.group))
            for screen in renderer.screens.values.sorted(by: { $0.group < $1.group })
            where screen.hasActive && !known.contains(screen.group) {
                throw Failure(
                    check: "renderers converge",
                    detail: "\(renderer.name) has \(screen.short), the broker no such group")
            }
        }
    }

    /// The journal tells another broker all that this one knows.
    func checkRecovery(_ broker: SimulatedBroker) throws {
        try checkDisk()
        for isAlone in [true, false] {
            let what = isAlone ? "replaying the journal gives the same" : "snapshot and replay give the same"
            let other = try recovered(isAlone, broker)
            let ids = audit.committed.ids
            if let difference = Digest(of: other, ids: ids).difference(from: Digest(of: broker, ids: ids)) {
                throw Failure(check: what, detail: difference)
            }
            guard other.bytes == broker.bytes else {
                throw Failure(check: what, detail: "answers, but not the same bytes")
            }
            guard other.producers == broker.producers else {
                throw Failure(check: what, detail: "but not what is remembered of producers")
            }
        }
    }

    private func recovered(_ isAlone: Bool, _ broker: SimulatedBroker) throws -> SimulatedBroker {
        let fuse = Fuse()
        var configuration = setting.configuration
        configuration.policies = broker.loop.state.configuredPolicies
        let other = try SimulatedBroker(
            configuration, transport: SimulatedTransport(fuse: fuse), journal: journal.copy(alone: isAlone), fuse: fuse,
            at: broker.loop.now, wallClockLead: broker.loop.state.scheduler.wallClockLead)
        while try other.loop.turn(at: broker.loop.now) {}
        return other
    }

    /// Producers know what became of each command, and what they know is so.
    private func checkProducers(_ broker: SimulatedBroker) throws {
        let unsettled = producers.flatMap(\.unsettled)
        guard unsettled.isEmpty else {
            throw Failure(check: "producers come to know what happened", detail: unsettled.joined(separator: " "))
        }
        // What the broker forgot or lost, as it may, it may have taken again.
        guard !setting.isForgetful, !audit.hasLost else { return }
        for case let producer as NumberingProducer in producers {
            guard let name = ProducerName(producer.id), let index = broker.loop.state.producers.index(of: name) else {
                continue
            }
            for (sequence, id) in producer.accepted.sorted(by: { $0.key < $1.key })
            where audit.acknowledgements.isTold(sequence, of: name) && audit.committed.requests[id] == nil {
                throw Failure(check: "nothing acknowledged is lost", detail: "\(producer.name) \(sequence), \(id)")
            }
            for (sequence, outcome) in producer.outcomes.sorted(by: { $0.key < $1.key })
            where outcome != .givenUp && audit.acknowledgements.isTold(sequence, of: name) {
                let refusal = broker.loop.state.producers[index].refusal(of: sequence)
                guard outcome != (refusal.map { .refused($0.reason) } ?? .accepted) else { continue }
                throw Failure(
                    check: "refusals are told",
                    detail: "\(producer.name) \(sequence) is told \(outcome), it is \(String(describing: refusal))")
            }
        }
    }

    /// The clients leave, what holds popups back is lifted, and whatever is shown is shown for a second.
    func drain() throws {
        for renderer in renderers { renderer.isPresent = false }
        for client in clients.map(\.name) {
            network.cut(client)
            broker?.transport.disconnect(client)
        }
        for token in Workload.tokens { try call(.with { $0.resume.token = token }) }
        for pattern in Workload.patterns {
            try call(
                .with {
                    $0.setPolicy.group = pattern
                    $0.setPolicy.defaultDurationMs = 1000
                    $0.setPolicy.maxDurationMs = 1000
                })
        }
        for group in Workload.groups {
            for session in Workload.sessions + [""] {
                try call(
                    .with {
                        $0.setSession.group = group
                        $0.setSession.session = session
                    })
            }
        }
        for tree in Workload.trees {
            try call(page(tree) { $0.clear = WireEmpty() })
            for value in Workload.pageValues {
                try call(
                    page(tree) {
                        $0.open.node = "root"
                        $0.open.value = value
                    })
                try call(page(tree) { $0.clear = WireEmpty() })
            }
        }

        let end = time + Self.ending
        while let broker, !broker.popups.isEmpty, time < end {
            try go(until: time + 2000)
            for group in Workload.groups { try call(.with { $0.advance.group = group }) }
        }
        guard let broker else { throw Failure(check: "the broker goes on", detail: "it is gone") }
        if let stuck = broker.popups.first {
            let explanation = broker.loop.state.scheduler.explain(
                popup: Array(stuck.id.utf8).span.bytes, at: broker.loop.now)
            throw Failure(check: "everything comes to its end", detail: "\(stuck.id) is left: \(explanation)")
        }
        try checkTimers()
        audit.checkAccounts(broker)
        if let failure = audit.failure { throw failure }
        try checkRecovery(broker)
    }

    /// With nothing left, no timer is: leases end, holds, gaps and caps too.
    private func checkTimers() throws {
        try go(until: time + 4 * Scheduler.leaseDuration)
        guard let broker, broker.loop.state.scheduler.recurringTimerCount == 0,
            let due = broker.loop.state.scheduler.nextDeadline
        else { return }
        throw Failure(check: "every timer ends", detail: "one is due in \(due - broker.loop.now) ms")
    }

    private func page(_ tree: String, _ change: (inout WirePage) -> Void) -> WireCommand {
        .with {
            $0.page.tree = tree
            change(&$0.page)
        }
    }
}

extension WireGroupState {
    /// Whether there is nothing in the group.
    var isIdle: Bool { !hasActive && waiting == 0 && paused == 0 }
}
