import ExampleSupport
import PopupClient
import TestPrograms

/// Reads the events that a test waits for.
struct EventReader {
    private var iterator: Events.AsyncIterator

    init(_ events: Events) {
        iterator = events.makeAsyncIterator()
    }

    /// From now on.
    static func listening(_ broker: TestBroker, to groups: String...) async throws -> EventReader {
        EventReader(try await broker.admin.listening(to: groups))
    }

    /// The next event, in words: `A closed DISMISSED ok`.
    mutating func next() async throws -> String {
        guard let event = try await iterator.next() else { return "the end" }
        return event.words
    }

    /// The events up to one.
    mutating func until(_ last: String) async throws -> [String] {
        var events: [String] = []
        while events.last != last {
            guard let event = try await iterator.next() else { throw Missing(last: last, events: events) }
            events.append(event.words)
        }
        return events
    }

    private struct Missing: Error, CustomStringConvertible {
        let last: String
        let events: [String]

        var description: String { "`\(last)` did not come; what came: \(events)" }
    }
}

extension PopupEvent {
    /// Popup and event, in words: `A closed DISMISSED ok`.
    var words: String {
        let what =
            switch event {
            case .queued: "queued"
            case .offered: "offered"
            case .shown: "shown"
            case .paused: "paused"
            case .resumed: "resumed"
            case .updated: "updated"
            case .closed(let closed):
                "closed \(closed.reason.name)" + (closed.action.isEmpty ? "" : " \(closed.action)")
            case .refused(let refused): "refused \(refused.reason.name)"
            case nil: "nothing"
            }
        return "\(popup) \(what)"
    }
}
