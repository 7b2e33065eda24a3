import PopupProtocol

extension WireEvent {
    /// What happened, as tests compare it: `A shown`, `A closed DISMISSED ok`, `A refused STALE`.
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
                "closed \(closed.reason.word)" + (closed.action.isEmpty ? "" : " \(closed.action)")
            case .refused(let refused): "refused \(refused.reason.name)"
            case nil: "nothing"
            }
        return popup.isEmpty ? what : "\(popup) \(what)"
    }
}

extension WireGroupState {
    /// What the group shows, as tests compare it: `A`, `A +2` with two that wait, `nothing +1 paused`.
    var words: String {
        (hasActive ? active.id : "nothing") + (waiting > 0 ? " +\(waiting)" : "")
            + (paused > 0 ? " +\(paused) paused" : "")
    }
}

extension WireClosed.Reason {
    /// As the JSON of the wire has it.
    var word: String {
        var closed = WireClosed()
        closed.reason = self
        guard let json = try? WireEncoding.json.encode(closed) else { return "?" }
        return String(String(decoding: json, as: UTF8.self).dropFirst(#"{"reason":""#.count).dropLast(2))
    }
}

extension WirePopupSummary {
    /// As tests compare it: `A ACTIVE 5`, with its priority.
    var words: String {
        let words: [WirePhase.Name: String] = [
            .delayed: "DELAYED", .waiting: "WAITING", .offered: "OFFERED", .active: "ACTIVE", .paused: "PAUSED",
            .closed: "CLOSED",
        ]
        return "\(id) \(words[phase] ?? "?") \(priority)"
    }
}
