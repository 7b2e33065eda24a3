package import PopupProtocol
import PopupScheduling
import SwiftProtobuf

// The translation of the commands of renderers, and of pages.
extension CommandTranslator {
    mutating func report(_ report: WireReport) -> Command? {
        let kind: Report.Kind
        switch report.report {
        case .displayed: kind = .displayed
        case .visible: kind = .visible
        case .hidden: kind = .hidden
        case nil: return nil
        }
        return .report(
            Report(id: text.add(report.id), client: text.add(report.client), kind, group: text.add(report.group)))
    }

    mutating func answer(_ answer: WireAnswer) -> Command? {
        let choice: Answer.Choice
        switch answer.answer {
        case .accept: choice = .accept
        case .veto: choice = .veto
        case .later(let later): choice = .later(retry: later.hasRetryMs ? later.retryMs : nil)
        case nil: return nil
        }
        return .answer(
            Answer(
                id: text.add(answer.id), client: text.add(answer.client), choice, group: text.add(answer.group)))
    }

    mutating func lease(_ lease: WireLease) -> Lease {
        Lease(
            client: text.add(lease.client), patterns: text.add(Self.patterns(of: lease)), runsOut: leasesRunOut)
    }

    /// Returns the names and patterns of a lease for the scheduler: each once, without those that another one covers,
    /// in their order. So no group matches two of them.
    package static func patterns(of lease: WireLease) -> String {
        guard lease.groups.count > 1 else { return lease.groups.first.map { "\($0)\n" } ?? "" }
        var left = Set(lease.groups)
        if left.contains("*") { return "*\n" }
        let patterns = left.filter { $0.hasSuffix("/*") }
        var result = ""
        for group in lease.groups where left.remove(group) != nil && !isCovered(group, by: patterns) {
            result += "\(group)\n"
        }
        return result
    }

    /// Whether one of the patterns covers a name or pattern.
    private static func isCovered(_ group: String, by patterns: Set<String>) -> Bool {
        guard !patterns.isEmpty else { return false }
        let segments = group.hasSuffix("/*") ? group.dropLast(2) : Substring(group)
        return segments.indices.contains { index in
            segments[index] == "/" && patterns.contains("\(segments[...index])*")
        }
    }

    mutating func page(_ page: WirePage) -> Command? {
        let tree = text.add(page.tree)
        let kind: PageChange.Kind
        switch page.page {
        case .open(let open):
            kind = .open(node: text.add(open.node), parent: text.add(open.parent), value: text.add(open.value))
        case .enter(let page): kind = .enter(node: text.add(page.node))
        case .close(let page): kind = .close(node: text.add(page.node))
        case .clear: kind = .clear
        case nil: return nil
        }
        return .page(PageChange(tree: tree, kind))
    }
}
