public import PopupProtocol
public import PopupScheduling
import SwiftProtobuf

/// What became of one popup in a simulation.
public struct PopupOutcome: Sendable, Equatable {
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

extension PopupOutcome.End: CustomStringConvertible {
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

/// The outcomes of all popups of a simulation.
struct PopupOutcomes {
    /// By their ids.
    private(set) var outcomes: [String: (group: String, outcome: PopupOutcome)] = [:]
    /// Their ids in the order in which they were first heard of.
    private(set) var ids: [String] = []

    subscript(id: String) -> PopupOutcome? { outcomes[id]?.outcome }

    func group(of id: String) -> String? { outcomes[id]?.group }

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
            guard show, outcomes[event.popup] == nil else { return }
            change(event) { $0.end = .refused(refused.reason, at: time) }
        case .queued, .offered, .paused, .resumed, .updated: change(event) { _ in }
        case nil: break
        }
    }

    private mutating func change(_ event: WireEvent, _ change: (inout PopupOutcome) -> Void) {
        if outcomes[event.popup] == nil {
            outcomes[event.popup] = (event.group, PopupOutcome())
            ids.append(event.popup)
        }
        if var outcome = outcomes[event.popup]?.outcome {
            // Refused once, and accepted when it was sent again.
            if case .refused = outcome.end { outcome.end = .open }
            change(&outcome)
            outcomes[event.popup]?.outcome = outcome
        }
    }
}
