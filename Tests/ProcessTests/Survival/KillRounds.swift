import Foundation
import PopupProtocol
import TestPrograms
import TestSupport

/// Broker, producers and renderers, killed at random moments under load, again and again, on one data directory.
///
/// - `outbox`: a producer with an outbox file that each of its processes goes on with.
/// - `plain`: one without; each of its processes has another name.
/// - `left`, `right`: renderers that follow everything, and dismiss what stays until then.
final class KillRounds {
    private static let producers = ["outbox", "plain"]
    private static let renderers = ["left", "right"]
    /// Popups that a producer's process asks for.
    private static let popups = 50
    /// Small enough that segments are sealed and snapshots made under the kills.
    private static let segmentBytes = 65_536

    private let stage: Stage
    private let observer: Observer
    private var dice: SplitMix64
    private var names: [String: String] = [:]
    private var lives = 0
    /// What went wrong so far.
    private var faults: [String] = []

    init(seed: UInt64, durability: String) throws {
        dice = SplitMix64(seed: seed)
        stage = try Stage(
            durability: durability,
            policies: """
                  - {group: "timed/*", defaultDurationMs: 10}

                """, settings: ["journal.segmentBytes=\(Self.segmentBytes)"])
        observer = Observer(ingress: stage.ingress, egress: stage.egress)
    }

    /// Returns what is not as it should be; nothing is.
    func run(_ rounds: Int) throws -> [String] {
        try stage.startBroker()
        for name in Self.producers + Self.renderers { try start(name) }
        for round in 1...rounds {
            try self.round(round)
            if faults.count > 10 { return faults }
        }
        try finish()
        try check()
        return faults
    }

    private func start(_ name: String) throws {
        lives += 1
        if Self.renderers.contains(name) { return try stage.start(name, "renderer", "*", "dismiss") }
        names[name] = "\(name)\(lives)"
        let outbox = name == "outbox" ? [stage.folder.path("outbox")] : []
        try stage.start(name, "producer", names[name] ?? name, Self.popups, outbox)
    }

    // MARK: A round

    private func round(_ number: Int) throws {
        // Whoever has asked for all of its popups makes way for the next.
        let settled = stage.facts.now.settled
        for name in Self.producers where settled.contains(names[name] ?? "") { try start(name) }
        let until = stage.facts.now.count + Int.random(in: 1...80, using: &dice)
        let names = names.values
        try stage.facts.wait(for: "something to happen in round \(number)", before: .after(.seconds(180))) { facts in
            facts.count >= until || names.allSatisfy { facts.settled.contains($0) }
        }
        var victims: [String] = []
        for name in Self.producers + Self.renderers where dice.falls(35) { victims.append(name) }
        if victims.isEmpty || dice.falls(75) { victims.append("broker") }
        victims.shuffle(using: &dice)
        usleep(UInt32.random(in: 0...3000, using: &dice))
        for victim in victims { try victim == "broker" ? stage.killBroker() : stage.kill(victim) }
        if victims.contains("broker"), dice.falls(25) { try verify("in round \(number)") }
        victims.shuffle(using: &dice)
        for victim in victims { try victim == "broker" ? restartBroker() : start(victim) }
    }

    /// Now and then it is killed while it starts, too.
    private func restartBroker() throws {
        for _ in 0..<3 where dice.falls(25) {
            try stage.launchBroker()
            usleep(UInt32.random(in: 0...100_000, using: &dice))
            try stage.killBroker()
        }
        try stage.startBroker()
    }

    private func verify(_ moment: String) throws {
        let result = try stage.verify()
        if result.exit != .code(0) { faults.append("verify \(moment): \(result.output) \(result.error)") }
    }

    // MARK: The end

    /// Undisturbed, until all is closed.
    private func finish() throws {
        try stage.facts.wait(for: "all to be settled", before: .after(.seconds(300))) { [names] facts in
            names.values.allSatisfy { facts.settled.contains($0) }
        }
        let wire = try stage.wire()
        let deadline = Deadline.after(.seconds(300))
        while try wire.ask(#""count":{"selector":{"group":"*"}}"#).count.popups > 0 {
            guard !deadline.isOver else {
                let left = try wire.ask(#""list":{"selector":{"group":"*"}}"#).list.popups.map {
                    "\($0.group) \($0.words)"
                }
                faults.append("never closed: \(left)")
                return
            }
        }
    }

    private func check() throws {
        let record = try observer.end()
        // What is asked now has come through a restart.
        try stage.killBroker()
        try verify("after the last kill")
        try stage.startBroker()
        let facts = stage.facts.now
        let promised = facts.accepted.union(facts.safe)
        let ids = try stage.folder.write("ids", promised.sorted().joined(separator: "\n"))
        try stage.start("auditor", "auditor", ids)
        try stage.facts.wait(for: "the audit", before: .after(.seconds(300))) { $0.isAudited }
        if try stage.endBroker().exit != .code(0) { faults.append("the broker did not end well") }
        try verify("at the end")
        if zip(stage.epochs, stage.epochs.dropFirst()).contains(where: { $0 >= $1 }) {
            faults.append("epochs do not grow: \(stage.epochs)")
        }
        faults += Findings(record, stage.facts.now).all
        print(
            """
            \(promised.count) promised, \(facts.done.count) dismissed, \(record.arrivals.count) messages observed, \
            \(record.sent) plain popups, \(stage.epochs.count) brokers, \(lives) other processes, \
            \(facts.torn) torn outboxes
            """)
    }
}

extension Stage {
    fileprivate func start(
        _ name: String, _ role: String, _ producer: String, _ count: Int, _ outbox: [String]
    ) throws {
        if let outbox = outbox.first {
            try start(name, role, producer, "\(count)", outbox)
        } else {
            try start(name, role, producer, "\(count)")
        }
    }
}
