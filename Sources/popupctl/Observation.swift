import PopupClient
import PopupProtocol

/// Sends commands and tells what the broker did about them, as far as its events show.
struct Observation {
    let console: Console

    /// - Parameters:
    ///   - groups: where it shows; none: only that the broker has handled the commands is known afterwards.
    ///   - send: sends the commands.
    /// - Returns: the events that came of them, and others of the same groups meanwhile.
    func events(of groups: [String], after send: () async throws -> Void) async throws -> [PopupEvent] {
        let events = try console.events(of: groups)
        return try await seen(in: events, after: send)
    }

    /// The same, in a stream that is read on afterwards.
    func seen(in events: Events, after send: () async throws -> Void) async throws -> [PopupEvent] {
        try await console.settled()
        _ = events.takeAvailable()
        try await send()
        // A question on the same socket is answered after the command has been applied, and one that is asked after
        // that answer, after the events of its batch have been sent.
        _ = try await console.statistics()
        _ = try await console.statistics()
        return events.takeAvailable()
    }

    /// Applies a command about rules.
    ///
    /// - Throws: `Failure` when the broker refused it. The refusal of a command that names no single group is told in
    ///   the broker's log alone; here only its counter shows it.
    func apply(_ command: WireCommand) async throws {
        let groups = [command.subject.group].filter { GroupName($0) != nil }
        let before = try await console.statistics()
        let seen = try await events(of: groups) { try await console.connection.send(command) }
        if let refused = seen.refusal() { throw Failure.refused(refused) }
        let after = try await console.statistics()
        if groups.isEmpty, after.refused > before.refused {
            throw Failure("the broker refused a command just now, this one or another's; its log tells", .refused)
        }
    }

    /// The group of a live popup.
    ///
    /// - Throws: `Failure` when there is no such popup, or it is over.
    func group(of id: String) async throws -> String {
        let explanation = try await console.explain(id)
        switch explanation.phase {
        case .unknown: throw Failure.noPopup(id)
        case .closed: throw Failure("`\(id)` is over: \(Words.explanation(explanation))", .refused)
        default: return explanation.group
        }
    }
}

extension [PopupEvent] {
    /// What was refused of the commands about a popup or, without one, about the group alone.
    func refusal(of popup: String = "") -> WireRefused? {
        for event in self where event.popup == popup {
            if case .refused(let refused)? = event.event { return refused }
        }
        return nil
    }
}
