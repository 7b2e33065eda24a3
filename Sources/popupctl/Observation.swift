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

    /// Sends commands. Returns the events in an open stream until the broker has applied them; none without a stream.
    func seen(in events: Events?, after send: () async throws -> Void) async throws -> [PopupEvent] {
        guard let events else {
            try await send()
            return []
        }
        try await admin.settled()
        _ = events.takeAvailable()
        try await send()
        // A query on the same connection is answered after the command has been applied. The events of its batch are
        // sent before the answer to a second query.
        try await ask()
        try await ask()
        return events.takeAvailable()
    }

    /// Sends a query that the user may send.
    private func ask() async throws {
        if try await admin.whoami().mayQuery { _ = try await admin.statistics() }
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

extension AdminClient {
    /// Returns the policy in force for a group after an accepted command; `nil` if the user may not ask about it.
    func policyIfAllowed(inForceFor group: String) async throws -> PolicyInForce? {
        try await unlessDenied { try await policy(inForceFor: group) }
    }

    /// Returns the events of a group from now on; `nil` if the user may not follow them. Then nothing is subscribed to,
    /// because the broker logs what it denies.
    func eventsIfAllowed(of group: String) async throws -> Events? {
        guard try await unlessDenied({ try await checkRight(.events, in: [group]) }) != nil else { return nil }
        return try events(of: [group])
    }

    /// Returns the state of a popup after an accepted command; `nil` if the user may not ask about popups. Without the
    /// right in any group, it does not ask, because the broker logs what it denies.
    func explainIfAllowed(_ id: String) async throws -> PopupExplanation? {
        guard try await whoami().mayQuery else { return nil }
        return try await unlessDenied { try await explain(id) }
    }

    /// Returns the answer to a question; `nil` if the broker denies it.
    func unlessDenied<Answer>(_ ask: () async throws -> Answer) async throws -> Answer? {
        do {
            return try await ask()
        } catch ClientError.refused(let refusal) where refusal.reason == .permissionDenied {
            return nil
        }
    }
}

extension BrokerIdentity {
    /// Whether the user may send queries about some group.
    var mayQuery: Bool { unrestricted || grants.contains { $0.rights.contains("query") } }
}

extension [PopupEvent] {
    /// Returns the first refusal of a command without acknowledgement for a popup; `nil` if there is none.
    func refusal(of popup: String) -> PopupEvent.Refused? {
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
