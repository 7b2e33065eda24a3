import PopupProtocol

/// The report of a command for which the protocol has no message: see `popupctl --json`.
enum Report {
    /// A command about this subject was sent; to a shard, if the command names one.
    case sent(String, shard: String?)
    /// This number of the selected popups was closed, and this number is left; at a shard, if the command names one.
    case cleared(Int, left: Int, shard: String?)
    /// This number of live popups is selected.
    case count(Int)
    /// A group or pattern is suspended: popups below a priority, or all.
    case suspended(String, token: String, minPriority: Int32?)
    /// The suspension with this token is not in force any more. Whether it was is absent if the user may not ask.
    case resumed(String, wasKnown: Bool?)
    /// A group has a session, or none if it is empty; these popups closed with the previous one.
    case session(String, of: String, closed: [String])
    /// The broker at this endpoint has answered.
    case ping(endpoint: String, milliseconds: Double)

    /// The report as a JSON object.
    var json: AnyJSON {
        switch self {
        case .sent(let subject, let shard):
            AnyJSON(members: ["sent": .text(subject), "shard": shard.map { .text($0) }])
        case .cleared(let count, let left, let shard):
            AnyJSON(members: [
                "cleared": .number(count), "left": .number(left), "shard": shard.map { .text($0) },
            ])
        case .count(let popups):
            AnyJSON(members: ["popups": .number(popups)])
        case .suspended(let group, let token, let priority):
            AnyJSON(members: [
                "suspended": .text(group), "token": .text(token), "minPriority": priority.map { .number($0) },
            ])
        case .resumed(let token, let wasKnown):
            AnyJSON(members: ["resumed": .text(token), "wasKnown": wasKnown.map { .flag($0) }])
        case .session(let session, let group, let closed):
            AnyJSON(members: [
                "group": .text(group), "session": .text(session), "closed": .list(closed.map { .text($0) }),
            ])
        case .ping(let endpoint, let milliseconds):
            AnyJSON(members: ["endpoint": .text(endpoint), "milliseconds": .decimal(milliseconds)])
        }
    }
}
