import ExampleSupport
import PopupClient

/// What groups showed, when and why: made of their events.
struct Timeline {
    /// Popups of a group at most; later ones are only counted.
    static let maxRows = 500

    /// A popup on screen, from when it came to when it left.
    struct Appearance: Equatable {
        var popup: String
        var from: UInt64
        var to: UInt64?
        var came: String
        var left: String
    }

    /// A popup that never came on screen.
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
        /// What left the screen in the step that is being read, and how: why the next one comes.
        fileprivate var departure: (revision: UInt64, popup: String, word: String)?

        static func == (left: Group, right: Group) -> Bool {
            (left.appearances, left.absences.map(\.popup), left.leftOut)
                == (right.appearances, right.absences.map(\.popup), right.leftOut)
        }
    }

    private(set) var groups: [String: Group] = [:]
    /// The time of the first event: the summary's zero.
    private(set) var start: UInt64?

    /// Takes in the next event.
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
        // Of what was shown, the report of a renderer came late.
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

    /// - Returns: whether it was on screen.
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
