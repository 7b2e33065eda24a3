import PopupClient
import PopupProtocol

/// Sends commands and tells what the broker did about them, as far as its events show.
struct Observation {
    let admin: AdminClient

    /// - Parameters:
    ///   - groups: where it shows; none: only that the broker has handled the commands is known afterwards.
    ///   - send: sends the commands.
    /// - Returns: the events that came of them, and others of the same groups meanwhile.
    func events(of groups: [String], after send: () async throws -> Void) async throws -> [PopupEvent] {
        let events = try admin.events(of: groups)
        return try await seen(in: events, after: send)
    }

    /// The same, in a stream that is read on afterwards.
    func seen(in events: Events, after send: () async throws -> Void) async throws -> [PopupEvent] {
        try await admin.settled()
        _ = events.takeAvailable()
        try await send()
        // A question on the same socket is answered after the command has been applied, and one that is asked after
        // that answer, after the events of its batch have been sent.
        _ = try await admin.statistics()
        _ = try await admin.statistics()
        return events.takeAvailable()
    }

    /// The group of a live popup.
    ///
    /// - Throws: `Failure` when there is no such popup, or it is over.
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
    /// What was refused first of the commands about a popup that go without acknowledgements.
    func refusal(of popup: String) -> WireRefused? {
        for event in self where event.popup == popup {
            if case .refused(let refused)? = event.event { return refused }
        }
        return nil
    }

    /// Those that closed for a reason, in order.
    func ended(_ reason: PopupClosed.Reason) -> [String] {
        compactMap { event in
            if case .closed(let closed)? = event.event, closed.reason == reason { event.popup } else { nil }
        }
    }
}
