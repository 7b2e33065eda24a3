public import PopupProtocol
public import PopupScheduling
import SwiftProtobuf

/// What became of one popup in a simulation.
public struct PopupCourse: Sendable, Equatable {
    /// How it ended.
    public enum End: Sendable, Equatable {
        /// It was not over when the last timer was.
        case open
        /// It closed.
        case closed(WireClosed.Reason, action: String, at: Milliseconds, displayed: UInt32)
        /// It was not accepted.
        case refused(WireRefused.Reason, at: Milliseconds)
    }

    /// When it was shown, in ms from the start; resumptions aren't counted.
    public var shown: [Milliseconds] = []
    /// How it ended.
    public var end = End.open

    /// A popup of which nothing has been heard.
    public init() {}
}

extension PopupCourse.End: CustomStringConvertible {
    /// As a word for people: `TIMED_OUT`, `DISMISSED ok`, `refused OVERLOAD`, `open`.
    public var description: String {
        switch self {
        case .open: "open"
        case .closed(let reason, let action, _, _): action.isEmpty ? reason.name : "\(reason.name) \(action)"
        case .refused(let reason, _): "refused \(reason.name)"
        }
    }

    /// The reason as the schema writes it; `nil` when it is open.
    public var reason: String? {
        switch self {
        case .open: nil
        case .closed(let reason, _, _, _): reason.name
        case .refused(let reason, _): reason.name
        }
    }

    /// Whether both are the same way to end, whenever.
    func isAlike(_ other: Self) -> Bool { description == other.description }
}

extension WireClosed.Reason {
    /// The reason as the schema writes it.
    var name: String {
        "\(self)".reduce(into: "") { name, letter in
            name += letter.isUppercase ? "_\(letter)" : letter.uppercased()
        }
    }
}

/// The courses of all popups of a simulation.
struct PopupCourses {
    /// By their ids.
    private(set) var courses: [String: (group: String, course: PopupCourse)] = [:]
    /// Their ids in the order in which they were first heard of.
    private(set) var ids: [String] = []

    subscript(id: String) -> PopupCourse? { courses[id]?.course }

    func group(of id: String) -> String? { courses[id]?.group }

    /// Notes what happened. A refusal counts as a popup's end only when it is that of the popup itself.
    mutating func note(_ output: Simulation.Output, of show: Bool) {
        guard case .event(let event, let time) = output, !event.popup.isEmpty else { return }
        switch event.event {
        case .shown: change(event) { $0.shown.append(time) }
        case .closed(let closed):
            change(event) {
                $0.end = .closed(closed.reason, action: closed.action, at: time, displayed: closed.displayedMs)
            }
        case .refused(let refused):
            // A repetition that is refused says nothing about the popup that is there.
            guard show, courses[event.popup] == nil else { return }
            change(event) { $0.end = .refused(refused.reason, at: time) }
        case .queued, .offered, .paused, .resumed, .updated: change(event) { _ in }
        case nil: break
        }
    }

    private mutating func change(_ event: WireEvent, _ change: (inout PopupCourse) -> Void) {
        if courses[event.popup] == nil {
            courses[event.popup] = (event.group, PopupCourse())
            ids.append(event.popup)
        }
        if var course = courses[event.popup]?.course {
            // Refused once, and accepted when it was sent again.
            if case .refused = course.end { course.end = .open }
            change(&course)
            courses[event.popup]?.course = course
        }
    }
}
