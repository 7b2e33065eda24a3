import PopupProtocol
import PopupScheduling
import SwiftProtobuf

// Queries about what closed, and about groups, suspensions and renderers.
extension QueryHandler {
    /// The maximum number of groups, and of popups, of one renderer in an answer.
    static let rendererDetails = 100

    /// Returns the maximum number of results of a query with this `limit`; 0 stands for `queryResults`.
    func limit(_ asked: UInt32) -> Int { asked == 0 ? queryResults : min(Int(asked), queryResults) }

    func history(_ query: WireHistoryQuery, _ scheduler: borrowing Scheduler) -> WireHistoryResult {
        let found = scheduler.history(of: Array(query.group.utf8).span.bytes, limit: limit(query.limit))
        return .with {
            $0.popups = found.popups.map { WireClosedPopup($0) }
            $0.truncated = !found.isComplete
        }
    }

    func groups(_ query: WireGroupsQuery, _ scheduler: inout Scheduler) -> WireGroupsResult {
        let found = scheduler.groups(
            of: Array(query.group.utf8).span.bytes, after: Array(query.after.utf8).span.bytes, limit: queryResults + 1)
        return .with {
            $0.groups = found.prefix(queryResults).map { WireGroupCounts($0) }
            $0.truncated = found.count > queryResults
        }
    }

    func suspensions(_ query: WireSuspensionsQuery, _ scheduler: borrowing Scheduler) -> WireSuspensionsResult {
        let found = scheduler.suspensions(
            for: Array(query.group.utf8).span.bytes, after: Array(query.after.utf8).span.bytes, limit: queryResults + 1)
        return .with {
            $0.suspensions = found.prefix(queryResults).map { WireSuspension($0) }
            $0.truncated = found.count > queryResults
        }
    }

    /// Returns the renderers without `silent_ms`, which only the broker knows.
    func renderers(_ query: WireRenderersQuery, _ scheduler: borrowing Scheduler) -> WireRenderersResult {
        let found = scheduler.renderers(
            of: Array(query.group.utf8).span.bytes, after: Array(query.after.utf8).span.bytes, limit: queryResults,
            details: Self.rendererDetails)
        return .with {
            $0.renderers = found.renderers.map { WireRenderer($0) }
            $0.truncated = !found.isComplete
        }
    }
}

extension WireClosedPopup {
    fileprivate init(_ summary: Scheduler.ClosedSummary) {
        let excerpt = PopupExcerpt(popup: summary.content.span)
        self = .with {
            $0.id = summary.id
            $0.group = summary.group
            $0.time = UInt64(clamping: summary.time)
            $0.closed.reason = WireClosed.Reason(summary.reason)
            $0.closed.displayedMs = UInt32(clamping: summary.displayed)
            if summary.reason == .dismissed { $0.closed.action = summary.detail } else { $0.cause = summary.detail }
            $0.title = excerpt.title
            $0.excerpt = excerpt.text
            $0.by = CommandUser.name(inPopup: summary.content.span)
        }
    }
}

extension WireGroupCounts {
    fileprivate init(_ counts: Scheduler.GroupCounts) {
        self = .with {
            $0.group = counts.name
            $0.revision = counts.revision
            $0.active = counts.active
            $0.offered = counts.isOffered
            $0.waiting = UInt32(clamping: counts.waiting)
            $0.paused = UInt32(clamping: counts.paused)
            $0.delayed = UInt32(clamping: counts.delayed)
            $0.session = counts.session
        }
    }
}

extension WireSuspension {
    fileprivate init(_ summary: Scheduler.SuspensionSummary) {
        self = .with {
            $0.token = summary.token
            $0.group = summary.pattern.isEmpty ? "*" : summary.pattern
            if let priority = summary.minimumPriority { $0.minPriority = priority }
            $0.since = UInt64(clamping: summary.since ?? 0)
            $0.by = summary.user
        }
    }
}

extension WireRenderer {
    fileprivate init(_ summary: Scheduler.RendererSummary) {
        self = .with {
            $0.client = summary.client
            $0.groups = summary.patterns
            $0.displays = summary.displays.map { display in
                .with {
                    $0.id = display.id
                    $0.group = display.group
                    $0.visible = display.isVisible
                }
            }
        }
    }
}
