public import PopupProtocol
public import PopupScheduling
import SwiftProtobuf

/// The evaluation of queries on a scheduler.
public struct QueryHandler: Sendable {
    /// The maximum number of popups in an answer to `list` or `peek`.
    public var queryResults: Int
    private var translator = CommandTranslator()

    /// Creates a handler.
    public init(queryResults: Int) {
        self.queryResults = queryResults
    }

    /// Returns the answer to an admitted query. `stats` are the counters of the broker.
    public mutating func answer(
        _ query: WireQuery, from scheduler: inout Scheduler, at now: Milliseconds, stats: WireStatsResult
    ) -> WireReply {
        let result: WireResult.OneOf_Result =
            switch query.query {
            case .list(let list): .list(self.list(list, &scheduler, now))
            case .count(let count): .count(self.count(count, &scheduler))
            case .peek(let peek): .peek(self.peek(peek, scheduler, now))
            case .explain(let explain): .explain(self.explain(explain, scheduler, now))
            case .path(let path): .path(self.path(path, scheduler))
            case .stats: .stats(stats)
            // The broker answers for its users; here there are none.
            case .whoami: .whoami(.with { $0.unrestricted = true })
            case .history(let history): .history(self.history(history, scheduler))
            case .groups(let groups): .groups(self.groups(groups, &scheduler))
            case .suspensions(let suspensions): .suspensions(self.suspensions(suspensions, scheduler))
            case .renderers(let renderers): .renderers(self.renderers(renderers, scheduler))
            // `BrokerState` answers: it knows what the configuration has set, and the producers.
            case .policies, .producers, nil: .refused(.with { $0.reason = .unsupported })
            }
        return WireReply(to: query, result)
    }

    private mutating func list(
        _ query: WireListQuery, _ scheduler: inout Scheduler, _ now: Milliseconds
    ) -> WireListResult {
        let selector = translator.onlySelector(query.selector)
        let found = scheduler.list(
            selector, text: translator.text.bytes.span.bytes, limit: queryResults + 1, at: now)
        var result = WireListResult()
        result.popups = summaries(found, scheduler, now)
        result.truncated = found.count > queryResults
        return result
    }

    /// Returns the popups of a reply, no more than fit, each with its user and an excerpt of its content.
    private func summaries(
        _ found: [PopupSummary], _ scheduler: borrowing Scheduler, _ now: Milliseconds
    ) -> [WirePopupSummary] {
        var summaries: [WirePopupSummary] = []
        for popup in found.prefix(queryResults) {
            var summary = WirePopupSummary(popup)
            if let listing = scheduler.listing(ofPopup: popup.id) {
                summary.by = listing.user
                summary.title = listing.excerpt.title
                summary.excerpt = listing.excerpt.text
                if let expiry = listing.expiry { summary.expiresMs = UInt32(clamping: max(0, expiry - now)) }
            }
            summaries.append(summary)
        }
        return summaries
    }

    private mutating func count(_ query: WireCountQuery, _ scheduler: inout Scheduler) -> WireCountResult {
        let selector = translator.onlySelector(query.selector)
        let count = scheduler.count(selector, text: translator.text.bytes.span.bytes)
        return .with { $0.popups = UInt32(clamping: count) }
    }

    private func peek(
        _ query: WirePeekQuery, _ scheduler: borrowing Scheduler, _ now: Milliseconds
    ) -> WirePeekResult {
        let found = scheduler.peek(group: Array(query.group.utf8).span.bytes, limit: queryResults + 1, at: now)
        var result = WirePeekResult()
        result.popups = summaries(found, scheduler, now)
        result.truncated = found.count > queryResults
        return result
    }

    private func explain(
        _ query: WireExplainQuery, _ scheduler: borrowing Scheduler, _ now: Milliseconds
    ) -> WireExplainResult {
        var result = WireExplainResult(scheduler.explain(popup: Array(query.id.utf8).span.bytes, at: now))
        if let listing = scheduler.listing(ofPopup: query.id) {
            result.user = listing.user
            result.title = listing.excerpt.title
            result.excerpt = listing.excerpt.text
            if let expiry = listing.expiry { result.expiresMs = UInt32(clamping: max(0, expiry - now)) }
        }
        return result
    }

    private func path(_ query: WirePathQuery, _ scheduler: borrowing Scheduler) -> WirePathResult {
        let tree = Array(query.tree.utf8)
        let node = Array(query.node.utf8)
        let path = scheduler.path(inTree: tree.span.bytes, node: node.isEmpty ? nil : node.span.bytes)
        let values = query.hasExcept ? path.filter { $0 != query.except } : path
        return .with {
            $0.values = values
            $0.joined = values.joined(separator: query.separator.isEmpty ? "/" : query.separator)
        }
    }
}

extension WirePopupSummary {
    package init(_ summary: PopupSummary) {
        self = .with {
            $0.id = summary.id
            $0.group = summary.group
            $0.priority = summary.priority
            $0.phase = WirePhase.Name(summary.phase)
            $0.surface = summary.surface
            $0.collapseKey = summary.collapseKey
            $0.producer = summary.producer.map { ProducerName(high: $0.high, low: $0.low).description } ?? ""
            $0.attempt = summary.attempt
            if let remaining = summary.remaining { $0.remainingMs = UInt32(clamping: remaining) }
            $0.delayMs = UInt32(clamping: summary.delay)
        }
    }
}

extension WirePhase.Name {
    package init(_ phase: Phase) {
        self =
            switch phase {
            case .delayed: .delayed
            case .waiting: .waiting
            case .offered: .offered
            case .active: .active
            case .paused: .paused
            case .closed: .closed
            }
    }
}

extension WireReply {
    /// Creates the reply to a query with a result.
    package init(to query: WireQuery, _ result: WireResult.OneOf_Result) {
        self.init()
        client = query.client
        nonce = query.nonce
        reply.result = result
    }
}
