package import PopupJournal

/// Compares what nodes told the world with the one history that the log contains.
package struct TrialCheck {
    private var problems: [String] = []

    /// Returns what does not fit; empty: nothing.
    ///
    /// - Parameters:
    ///   - entries: The entries of the log that were not removed.
    ///   - snapshots: If there are others, the snapshots that are whole: the entries follow the first one.
    ///   - nodes: What each process told, in its order.
    package static func problems(
        of entries: [LogEntry], after snapshots: [LogSnapshot] = [], and nodes: [[TrialRecord]]
    ) throws -> [String] {
        var check = TrialCheck()
        try check.compareNumbers(entries, after: snapshots.first?.index ?? 0, nodes)
        try check.compareStates(entries, snapshots, nodes)
        return check.problems
    }

    /// What was acknowledged is in the log exactly once, where it was said to be; what is there was offered.
    private mutating func compareNumbers(
        _ entries: [LogEntry], after removed: UInt64, _ nodes: [[TrialRecord]]
    ) throws {
        var places: [UInt64: UInt64] = [:]
        for entry in entries where entry.kind == .batch {
            for command in try NumberMachine.commands(of: entry.commands) {
                if let earlier = places.updateValue(entry.index, forKey: command.number) {
                    problems.append("\(command.number) is in the entries \(earlier) and \(entry.index)")
                }
            }
        }
        var offered: Set<UInt64> = []
        for record in nodes.joined() {
            switch record {
            case .offered(let number): offered.insert(number)
            case .acknowledged(let number, let index) where index > removed && places[number] != index:
                problems.append("\(number) was acknowledged in entry \(index), and is in \(places[number] ?? 0)")
            default: break
            }
        }
        for (number, index) in places where !offered.contains(number) {
            problems.append("\(number) in entry \(index) was offered by nobody")
        }
    }

    /// Each published state is the history's, epochs have one writer each, and nobody goes back. So is each snapshot.
    private mutating func compareStates(
        _ entries: [LogEntry], _ snapshots: [LogSnapshot], _ nodes: [[TrialRecord]]
    ) throws {
        let removed = snapshots.first?.index ?? 0
        var published: [UInt64: [(epoch: UInt64, time: Int64, digest: UInt64)]] = [:]
        var owners: [UInt64: Int] = [:]
        for (node, records) in nodes.enumerated() {
            var last: (epoch: UInt64, index: UInt64, time: Int64) = (0, 0, 0)
            for case .published(let epoch, let index, let time, let digest) in records {
                published[index, default: []].append((epoch, time, digest))
                if owners.updateValue(node, forKey: epoch) ?? node != node {
                    problems.append("two processes published in the epoch \(epoch)")
                }
                if (epoch, index, time) < last { problems.append("node \(node) went back at entry \(index)") }
                last = (epoch, index, time)
            }
        }
        var state = try snapshots.first.map { try NumberMachine(snapshot: $0.state) } ?? NumberMachine()
        for (place, entry) in entries.enumerated() {
            state.advance(to: entry.time)
            try state.apply(entry)
            if let kept = snapshots.first(where: { $0.index == entry.index }), kept.state != state.snapshot() {
                problems.append("the snapshot of entry \(entry.index) is not the history's")
            }
            let next = place + 1 < entries.count ? entries[place + 1].time : Int64.max
            var later = state
            for voice in (published[entry.index] ?? []).sorted(by: { $0.time < $1.time }) {
                later.advance(to: voice.time)
                if voice.time > next || voice.epoch != entry.epoch || later.digest != voice.digest {
                    problems.append(
                        "what was published after entry \(entry.index) at \(voice.time) is not the history's")
                }
            }
        }
        for index in published.keys where index == 0 || index > removed + UInt64(entries.count) {
            problems.append("something was published of entry \(index), which is not in the log")
        }
    }
}
