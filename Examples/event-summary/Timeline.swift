import ExampleSupport
import PopupClient

/// The popups that groups showed, with times and reasons, from their events.
struct Timeline {
    /// The greatest number of listed popups of a group; later ones are only counted.
    static let maxRows = 500

    /// The time of a popup on screen.
    struct Appearance: Equatable {
        var popup: String
        var from: UInt64
        var to: UInt64?
        var came: String
        var left: String
    }

    /// A popup that was never on screen.
    struct Absence: Equatable {
        var popup: String
        var at: UInt64
        var why: String
    }

    struct Group: Equatable {
        var appearances: [Appearance] = []
        var absences: [Absence] = []
        var leftOut = 0
        fileprivate var shown: Set<String> = []
        /// The popup that left the screen in the present step, and how: the reason for the next one.
        fileprivate var departure: (revision: UInt64, popup: String, word: String)?

        static func == (left: Group, right: Group) -> Bool {
            (left.appearances, left.absences.map(\.popup), left.leftOut)
                == (right.appearances, right.absences.map(\.popup), right.leftOut)
        }
    }

    private(set) var groups: [String: Group] = [:]
    /// The time of the first event, from which the summary counts.
    private(set) var start: UInt64?

    /// Adds the next event.
    mutating func add(_ event: PopupEvent) {
        start = min(start ?? event.time, event.time)
        var group = groups[event.group, default: Group()]
        group.add(event)
        groups[event.group] = group
    }
}

extension Timeline.Group {
    fileprivate mutating func add(_ event: PopupEvent) {
        switch event.event {
        case .shown: appear(event, reason(event, otherwise: "the screen was free"))
        case .resumed: appear(event, reason(event, otherwise: "back again"))
        case .paused:
            leave(event, "gave way")
            departure = (event.revision, event.popup, "interrupted")
        case .queued: leave(event, "went back into the queue")
        case .closed(let closed):
            let action = closed.action.isEmpty ? "" : " \"\(closed.action)\""
            if leave(event, closed.reason.name + action) {
                let word = [.preempted: "stopped", .superseded: "cleared", .replaced: "replaced"][closed.reason]
                departure = (event.revision, event.popup, word ?? "after")
            } else if !shown.contains(event.popup) {
                absent(event, closed.reason.name + action)
            }
        // The late report of a renderer about a popup that was shown.
        case .refused(let refused) where !shown.contains(event.popup):
            absent(event, "refused \(refused.reason.name): \(refused.detail)")
        default: break
        }
    }

    private func reason(_ event: PopupEvent, otherwise: String) -> String {
        guard let departure, departure.revision == event.revision else { return otherwise }
        return "\(departure.word) \(departure.popup)"
    }

    private mutating func appear(_ event: PopupEvent, _ why: String) {
        shown.insert(event.popup)
        departure = nil
        guard appearances.count < Timeline.maxRows else { return leftOut += 1 }
        appearances.append(.init(popup: event.popup, from: event.time, to: nil, came: why, left: ""))
    }

    /// - Returns: Whether it was on screen.
    @discardableResult
    private mutating func leave(_ event: PopupEvent, _ why: String) -> Bool {
        guard let index = appearances.lastIndex(where: { $0.popup == event.popup && $0.to == nil }) else {
            return false
        }
        appearances[index].to = event.time
        appearances[index].left = why
        return true
    }

    private mutating func absent(_ event: PopupEvent, _ why: String) {
        guard absences.count < Timeline.maxRows else { return leftOut += 1 }
        absences.append(.init(popup: event.popup, at: event.time, why: why))
    }
}
