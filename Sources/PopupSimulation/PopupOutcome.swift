public import PopupProtocol
public import PopupScheduling
import SwiftProtobuf

/// The outcome of a popup in a simulation.
public struct PopupOutcome: Sendable, Equatable {
    /// The end of a popup.
    public enum End: Sendable, Equatable {
        /// It was still live after the last timer.
        case open
        /// It closed.
        case closed(WireClosed.Reason, action: String, at: Milliseconds, displayed: UInt32)
        /// It was refused.
        case refused(WireRefused.Reason, at: Milliseconds)
    }

    /// The times at which it was shown, in ms since the start, without resumptions.
    public var shown: [Milliseconds] = []
    /// The end of the popup.
    public var end = End.open

    /// Creates the outcome of a popup without events.
    public init() {}

    /// Whether the popup was shown at this time or later, or had not ended before.
    func reaches(_ time: Milliseconds) -> Bool {
        switch end {
        case .open: true
        case .closed(_, _, let end, _), .refused(_, let end): max(end, shown.last ?? end) >= time
        }
    }
}

extension PopupOutcome.End: CustomStringConvertible {
    /// The end as text: `TIMED_OUT`, `DISMISSED ok`, `refused OVERLOAD`, `open`.
    public var description: String {
        switch self {
        case .open: "open"
        case .closed(let reason, let action, _, _): action.isEmpty ? reason.name : "\(reason.name) \(action)"
        case .refused(let reason, _): "refused \(reason.name)"
        }
    }

    /// The name of the reason in the schema; `nil` for an open popup.
    public var reason: String? {
        switch self {
        case .open: nil
        case .closed(let reason, _, _, _): reason.name
        case .refused(let reason, _): reason.name
        }
    }

    /// Whether both ends are the same, regardless of their times.
    func isAlike(_ other: Self) -> Bool { description == other.description }
}

extension WireClosed.Reason {
    /// The name of the reason in the schema.
    var name: String {
        "\(self)".reduce(into: "") { name, letter in
            name += letter.isUppercase ? "_\(letter)" : letter.uppercased()
        }
    }
}

/// The outcomes of all popups of a simulation.
struct PopupOutcomes {
    /// The outcomes by the ids of the popups.
    private(set) var outcomes: [String: (group: String, outcome: PopupOutcome)] = [:]
    /// The ids in the order of the popups' first events.
    private(set) var ids: [String] = []

    subscript(id: String) -> PopupOutcome? { outcomes[id]?.outcome }

    func group(of id: String) -> String? { outcomes[id]?.group }

    /// Records an event. A refusal is the end of a popup only if its own `show` was refused.
    mutating func record(_ output: Simulation.Output, of show: Bool) {
        guard case .event(let event, let time) = output, !event.popup.isEmpty else { return }
        switch event.event {
        case .shown: change(event) { $0.shown.append(time) }
        case .closed(let closed):
            change(event) {
                $0.end = .closed(closed.reason, action: closed.action, at: time, displayed: closed.displayedMs)
            }
        case .refused(let refused):
            // A refused repetition does not concern the popup that exists.
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
            // It was refused first, and accepted when it was sent again.
            if case .refused = outcome.end { outcome.end = .open }
            change(&outcome)
            outcomes[event.popup]?.outcome = outcome
        }
    }
}
