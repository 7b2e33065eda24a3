import PopupClient
import PopupProtocol

/// The sending of commands, and the reading of the events that they cause.
struct Observation {
    let admin: AdminClient

    /// Sends commands. Returns the events until the broker has applied them.
    ///
    /// - Parameters:
    ///   - groups: The groups of the events. With none, the call only waits until the commands are applied.
    ///   - send: The function that sends the commands.
    /// - Returns: The events that they cause, and others of the same groups meanwhile.
    func events(of groups: [String], after send: () async throws -> Void) async throws -> [PopupEvent] {
        let events = try admin.events(of: groups)
        return try await seen(in: events, after: send)
    }

    /// Sends commands. Returns the events in an open stream until the broker has applied them.
    func seen(in events: Events, after send: () async throws -> Void) async throws -> [PopupEvent] {
        try await admin.settled()
        _ = events.takeAvailable()
        try await send()
        // A query on the same connection is answered after the command has been applied. The events of its batch are
        // sent before the answer to a second query.
        _ = try await admin.statistics()
        _ = try await admin.statistics()
        return events.takeAvailable()
    }

    /// Returns the group of a live popup.
    ///
    /// - Throws: `Failure` if there is no such popup, or it is closed.
    func group(of id: String) async throws -> String {
        let explanation = try await admin.explain(id)
        switch explanation.phase {
        case .unknown: throw Failure.noPopup(id)
        case .closed: throw Failure("`\(id)` is over: \(Words.explanation(explanation))", .refused)
        default: return explanation.group
        }
    }
}

extension [PopupEvent] {
    /// Returns the first refusal of a command without acknowledgement for a popup; `nil` if there is none.
    func refusal(of popup: String) -> WireRefused? {
        for event in self where event.popup == popup {
            if case .refused(let refused)? = event.event { return refused }
        }
        return nil
    }

    /// Returns the ids of the popups that closed for a reason, in order.
    func ended(_ reason: PopupClosed.Reason) -> [String] {
        compactMap { event in
            if case .closed(let closed)? = event.event, closed.reason == reason { event.popup } else { nil }
        }
    }
}
