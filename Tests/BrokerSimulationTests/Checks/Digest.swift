@testable import PopupBroker
import PopupProtocol
import PopupScheduling
import SwiftProtobuf

/// Everything that a broker can be asked, in lines: two brokers with the same journal answer the same.
struct Digest {
    private(set) var lines: [String] = []

    init(of broker: SimulatedBroker, ids: [String]) {
        let now = broker.loop.now
        for group in broker.groups {
            var name: [UInt8] = []
            broker.loop.state.scheduler.appendName(of: group, to: &name)
            var content: [UInt8] = []
            broker.loop.state.scheduler.appendActiveContent(of: group, to: &content)
            let text = String(decoding: name, as: UTF8.self)
            lines.append(
                "\(text): \(String(describing: broker.loop.state.scheduler.state(of: group, at: now))) \(content)")
            lines.append(ask(broker) { $0.peek.group = text })
        }
        lines.append(ask(broker) { $0.list = WireListQuery() })
        for id in ids { lines.append(ask(broker) { $0.explain.id = id }) }
        for tree in Workload.trees { lines.append(ask(broker) { $0.path.tree = tree }) }
        lines.append("\(broker.loop.state.scheduler.rememberedCount) ids")
        lines.append("the next timer at \(broker.loop.state.scheduler.nextDeadline ?? -1)")
    }

    private func ask(_ broker: SimulatedBroker, _ fill: (inout WireQuery) -> Void) -> String {
        var query = WireQuery()
        fill(&query)
        var queryHandler = QueryHandler(queryResults: 10_000)
        let reply = broker.loop.state.answer(
            query, by: &queryHandler, at: broker.loop.now, stats: WireStatsResult())
        return (try? reply.jsonString()) ?? ""
    }

    /// The first line in which they differ.
    func difference(from other: Digest) -> String? {
        guard lines != other.lines else { return nil }
        for (mine, theirs) in zip(lines, other.lines) where mine != theirs { return "\(mine), but \(theirs)" }
        return "\(lines.count) lines, but \(other.lines.count)"
    }
}
