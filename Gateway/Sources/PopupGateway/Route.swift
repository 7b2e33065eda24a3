import PopupProtocol

/// The route of a request, by method and path.
enum Route: Hashable {
    case showPopup
    case putPopup(id: String)
    case showText(group: String)
    case update(id: String)
    case cancel(id: String)
    case dismiss(id: String)
    case answer(id: String)
    case report(id: String)
    case explain(id: String)
    case list
    case state(group: String)
    case queue(group: String)
    case stream
    case events
    case policies
    case stats
    case groups, suspensions
    case advance(group: String)
    case clear, suspend, resume, session, page, policy
    case commands
    case rights, sessionCookie, noSessionCookie
    case hook(name: String)
    case whatIf

    /// Returns the route of a request.
    ///
    /// - Throws: 404 for another path, 405 for another method of the path, 400 for an id that cannot be decoded.
    init(method: String, path: String) throws(Problem) {
        let routes = try Self.routes(of: path)
        guard !routes.isEmpty else { throw Problem(404, "NOT_FOUND", "there is no path `\(path)`") }
        guard let route = routes[method] else {
            throw Problem.method(method, ofPath: path, allowed: routes.keys.sorted())
        }
        self = route
    }

    /// Returns the routes of a path, by method.
    private static func routes(of path: String) throws(Problem) -> [String: Route] {
        var parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        guard parts.popFirst() == "v1", let verb = parts.popFirst() else { return [:] }
        // Without a valid encoding, it is no name of a group, which is reported with the name.
        let encoded = parts.joined(separator: "/")
        let group = percentDecoded(encoded) ?? encoded
        switch (verb, parts.isEmpty) {
        case ("popups", true): return ["POST": .showPopup, "GET": .list]
        case ("popups", false): return try popupRoutes(parts)
        case ("show", false): return ["POST": .showText(group: group)]
        case ("state", false): return ["GET": .state(group: group)]
        case ("queue", false): return ["GET": .queue(group: group)]
        case ("advance", false): return ["POST": .advance(group: group)]
        case ("stream", true): return ["GET": .stream]
        case ("events", true): return ["GET": .events]
        case ("stats", true): return ["GET": .stats]
        case ("groups", true): return ["GET": .groups]
        case ("suspensions", true): return ["GET": .suspensions]
        case ("clear", true): return ["POST": .clear]
        case ("suspend", true): return ["POST": .suspend]
        case ("resume", true): return ["POST": .resume]
        case ("session", true): return ["POST": .session]
        case ("page", true): return ["POST": .page]
        case ("commands", true): return ["POST": .commands]
        case ("hooks", false) where parts.count == 1: return ["POST": .hook(name: group)]
        case ("session-cookie", true):
            return ["GET": .rights, "POST": .sessionCookie, "DELETE": .noSessionCookie]
        case ("what-if", true): return ["POST": .whatIf]
        case ("policy", true): return ["GET": .policies, "PUT": .policy]
        default: return [:]
        }
    }

    private static func popupRoutes(_ parts: ArraySlice<Substring>) throws(Problem) -> [String: Route] {
        guard let part = parts.first, !part.isEmpty, parts.count <= 2 else { return [:] }
        guard let id = percentDecoded(part) else {
            throw Problem(400, "MALFORMED", "the id in the path is not valid percent-encoding of UTF-8")
        }
        guard parts.count == 2 else {
            return [
                "PUT": .putPopup(id: id), "PATCH": .update(id: id), "DELETE": .cancel(id: id),
                "GET": .explain(id: id),
            ]
        }
        switch parts.last {
        case "dismiss": return ["POST": .dismiss(id: id)]
        case "answer": return ["POST": .answer(id: id)]
        case "report": return ["POST": .report(id: id)]
        default: return [:]
        }
    }
}

extension Route {
    /// Returns the template of a path, whatever the method; `nil` for a path without routes.
    static func template(ofPath path: String) -> String? {
        // All methods of a path have one template.
        (try? routes(of: path))?.values.first?.template
    }

    /// All routes with their methods, each with some id, group or name.
    static let all: [(method: String, route: Route)] = [
        "popups", "popups/x", "popups/x/dismiss", "popups/x/answer", "popups/x/report", "show/x", "state/x", "queue/x",
        "advance/x", "stream", "events", "stats", "groups", "suspensions", "clear", "suspend", "resume", "session",
        "page", "commands", "hooks/x", "session-cookie", "what-if", "policy",
    ].flatMap { path in
        ((try? routes(of: "/v1/" + path)) ?? [:]).map { (method: $0.key, route: $0.value) }
    }

    /// The names of the parameters in its query; `nil`: it takes any. A stream takes any because clients add some of their
    /// own when they reconnect, and a refusal would be its end; a webhook, because its service may.
    var parameters: Set<String>? {
        switch self {
        case .stream, .events, .hook: nil
        case .showPopup, .putPopup: ["wait"]
        case .showText: PopupOfText.parameters
        case .update, .dismiss, .answer: ["group"]
        case .report: ["group", "tab"]
        case .commands: ["tab"]
        case .cancel: ["action", "group"]
        case .explain: ["group", "wait"]
        case .list: ["active", "count", "group", "producer", "surface"]
        case .state: ["wait"]
        case .groups: ["after", "group"]
        case .suspensions, .policies: ["group"]
        case .whatIf: ["since"]
        case .queue, .stats, .advance, .clear, .suspend, .resume, .session, .page, .policy, .rights, .sessionCookie,
            .noSessionCookie:
            []
        }
    }

    /// The names of the parameters that may be in its query several times.
    var repeatedParameters: Set<String> {
        if case .showText = self { ["action"] } else { [] }
    }

    /// Whether it is answered with a stream.
    var isStream: Bool {
        switch self {
        case .stream, .events: true
        default: false
        }
    }

    /// The status when it went well.
    var status: Int {
        switch self {
        case .showPopup, .showText: 201
        case .report, .hook: 202
        case .sessionCookie, .noSessionCookie: 204
        default: 200
        }
    }

    /// The path with placeholders.
    var template: String {
        switch self {
        case .showPopup, .list: "/v1/popups"
        case .putPopup, .update, .cancel, .explain: "/v1/popups/{id}"
        case .showText: "/v1/show/{group}"
        case .dismiss: "/v1/popups/{id}/dismiss"
        case .answer: "/v1/popups/{id}/answer"
        case .report: "/v1/popups/{id}/report"
        case .state: "/v1/state/{group}"
        case .queue: "/v1/queue/{group}"
        case .stream: "/v1/stream"
        case .events: "/v1/events"
        case .policies, .policy: "/v1/policy"
        case .stats: "/v1/stats"
        case .groups: "/v1/groups"
        case .suspensions: "/v1/suspensions"
        case .advance: "/v1/advance/{group}"
        case .clear: "/v1/clear"
        case .suspend: "/v1/suspend"
        case .resume: "/v1/resume"
        case .session: "/v1/session"
        case .page: "/v1/page"
        case .commands: "/v1/commands"
        case .rights, .sessionCookie, .noSessionCookie: "/v1/session-cookie"
        case .hook: "/v1/hooks/{name}"
        case .whatIf: "/v1/what-if"
        }
    }
}
