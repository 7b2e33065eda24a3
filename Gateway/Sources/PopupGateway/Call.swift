internal import PopupAccess
@_spi(Wire) internal import PopupClient
internal import PopupProtocol
import SwiftProtobuf

/// A request of a token.
struct Call: Sendable {
    let gateway: Gateway
    let token: AccessToken
    let request: GatewayRequest

    /// Performs the request.
    ///
    /// - Throws: `Problem`, `ClientError`, `CancellationError`.
    func respond(to route: Route) async throws -> GatewayResponse {
        try checkQuery(route.parameters, repeated: route.repeatedParameters)
        return switch route {
        case .showPopup: try await show(body(as: WirePopup.self), isNew: true)
        case .putPopup(let id): try await put(id)
        case .showText(let group): try await show(PopupOfText(request, group: group).popup, isNew: true)
        case .update(let id): try await update(id)
        case .cancel(let id): try await cancel(id)
        case .dismiss(let id): try await dismiss(id)
        case .answer(let id): try await answer(id)
        case .report(let id): try await report(id)
        case .explain(let id): try await explain(id)
        case .list: try await list()
        case .state(let group): try await state(of: group)
        case .queue(let group): try await queue(of: group)
        case .stream: try await stream()
        case .events: try await events()
        case .policies: try await policies()
        case .stats: try await stats()
        case .groups: try await groups()
        case .suspensions: try await suspensions()
        case .advance(let group): try await advance(group)
        case .clear: try await perform(.clear(body()))
        case .suspend: try await perform(.suspend(body()))
        case .resume: try await perform(.resume(body()))
        case .session: try await perform(.setSession(body()))
        case .page: try await perform(.page(body()))
        case .commands: try await commands()
        case .rights: rights
        case .sessionCookie: try sessionCookie()
        case .noSessionCookie: SessionCookie.removal
        case .policy: try await perform(.setPolicy(body()))
        case .hook: try await hook()
        case .whatIf: try await whatIf()
        }
    }

    // MARK: - The parts of the request

    /// Returns the message in the body.
    func body<Body: Message>(as type: Body.Type = Body.self) throws(Problem) -> Body {
        if let media = request.headers["content-type"], !media.lowercased().hasPrefix("application/json") {
            throw Problem(415, "UNSUPPORTED_MEDIA_TYPE", "the body is `\(media)`; send application/json")
        }
        do throws(JSONFault) {
            return try WireJSON.decode(request.body, unknown: .refused)
        } catch {
            throw Problem(error.reason == .invalid ? 422 : 400, error.reason.name, "\(error)")
        }
    }

    /// Checks the names of the query.
    ///
    /// - Parameters:
    ///   - parameters: Those that the route has; `nil`: any.
    ///   - repeated: Those that may be there several times.
    /// - Throws: 422 for another one, and for one that is there twice and may not be.
    func checkQuery(_ parameters: Set<String>?, repeated: Set<String>) throws(Problem) {
        guard let parameters else { return }
        var seen: Set<String> = []
        for name in request.query.names {
            guard parameters.contains(name) else {
                let known = parameters.sorted().joined(separator: ", ")
                throw Problem(
                    422, "INVALID",
                    "the parameter `\(name)` is unknown; \(known.isEmpty ? "leave it out" : "use \(known)")")
            }
            guard seen.insert(name).inserted || repeated.contains(name) else {
                throw Problem(422, "INVALID", "the parameter `\(name)` is there twice")
            }
        }
    }

    /// Returns the time of `?wait=`, at most a minute; `nil` without it.
    func wait() throws(Problem) -> Duration? {
        guard let text = request.query["wait"] else { return nil }
        guard let milliseconds = TimeText.milliseconds(text) else { throw TimeText.problem("wait", text) }
        return .milliseconds(min(milliseconds, 60_000))
    }

    /// Returns the name of the renderer's tab, `?tab=`; `nil` without it.
    func tabName() throws(Problem) -> ClientToken? {
        guard let text = request.query["tab"] else { return nil }
        guard let tab = ClientToken(text) else {
            throw Problem(422, "INVALID", "`tab` is not valid: use 1 to 64 of A–Z a–z 0–9 . _ -")
        }
        return tab
    }

    /// Returns the name of a group in a path.
    func groupName(_ text: String) throws(Problem) -> GroupName {
        guard let name = GroupName(text) else { throw Problem(ClientError.invalidGroup(text)) }
        return name
    }

    // MARK: - Rights

    /// Checks a right.
    ///
    /// - Throws: 403.
    func require(_ action: AccessRequest.Action, in groups: GroupPattern) throws(Problem) {
        guard let denial = token.access.denial(of: AccessRequest(action, in: groups)) else { return }
        throw denied("\(denial)")
    }

    /// Checks a right to read.
    ///
    /// - Throws: 403.
    func require(right: Right, in groups: GroupPattern) throws(Problem) {
        guard !token.access.has(right, in: groups) else { return }
        throw denied("\(Denial(.right, of: right, in: groups))")
    }

    func denied(_ why: String) -> Problem {
        Problem(403, "PERMISSION_DENIED", "the token `\(token.name)` \(why)")
    }

    /// Reserves a client's name for the token.
    ///
    /// - Throws: 403 if the name belongs to another token.
    func claim(_ client: ClientToken) throws(Problem) {
        guard gateway.claim(client, for: token) else {
            throw denied("uses the client's name `\(client)` of another; choose another one")
        }
    }

    /// Returns the group of a popup: from `?group=` or the body, otherwise from the broker.
    ///
    /// A popup that does not exist and one without the right have the same answer, so that a token cannot find out
    /// which ids exist.
    func group(of id: String, named: String = "", for right: Right) async throws -> GroupPattern {
        let name = named.isEmpty ? request.query["group"] ?? "" : named
        guard name.isEmpty else {
            let pattern = GroupPattern(try groupName(name))
            try require(right: right, in: pattern)
            return pattern
        }
        guard let group = GroupName(try await gateway.admin.explain(id).group),
            token.access.has(right, in: GroupPattern(group))
        else { throw Problem.unknownPopup(id) }
        return GroupPattern(group)
    }

    // MARK: - Commands

    /// The connection of the token's commands: one of its own, or that of the gateway.
    var commandConnection: BrokerConnection {
        gateway.separateConnections.connection(of: token) ?? gateway.connection
    }

    /// Sends a command, and returns when the broker has committed it. The answer hides what the broker reports about a
    /// popup of another group than the command's.
    func send(_ command: WireCommand.OneOf_Command) async throws {
        let tab = try tabName()
        let begin = ContinuousClock.now
        var outcome = GatewayMetrics.Outcome.accepted
        defer { gateway.metrics.count(command, outcome, duration: begin.duration(to: .now)) }
        let connection = commandConnection
        guard connection.isConnected else {
            outcome = .unreachable
            throw notConnected(after: .zero)
        }
        var frame = WireCommand()
        frame.command = command
        do {
            guard case .report(let report) = command else { return try await connection.send(frame) }
            try gateway.rendererTabs.record(report, ofTab: tab) { () throws(ClientError) in
                try connection.enqueue(frame, delivery: .bestEffort)
            }
            // Nobody may have seen it until now.
            if case .visible = report.report { gateway.timeChecks.check(report.group) }
        } catch ClientError.refused(let refusal) where refusal.reason == .notFound || refusal.reason == .stale {
            outcome = .refused
            if let (id, group) = Self.target(of: command), try await gateway.admin.explain(id).group != group {
                throw Problem.unknownPopup(id)
            }
            throw ClientError.refused(refusal)
        } catch {
            outcome = if case ClientError.refused = error { .refused } else { .unknown }
            throw error
        }
    }

    /// Returns the popup of a command, and the group in which the command expects it.
    private static func target(of command: WireCommand.OneOf_Command) -> (id: String, group: String)? {
        switch command {
        case .update(let update): (update.id, update.group)
        case .dismiss(let dismiss): (dismiss.id, dismiss.group)
        case .answer(let answer): (answer.id, answer.group)
        case .report(let report): (report.id, report.group)
        default: nil
        }
    }

    /// Performs a request that waits until something changes, or for several commands.
    ///
    /// - Throws: 429 if too many wait already.
    func hold<Answer>(_ body: () async throws -> Answer) async throws -> Answer {
        try await gateway.streams.hold(
            for: token, limit: gateway.settings.heldRequests, onFull: { gateway.metrics.count(.held) }, body)
    }

    /// Follows groups as long as the request is held.
    ///
    /// - Throws: 503 if the gateway ends, 429 if it follows too many groups or patterns.
    func watch(_ patterns: [GroupPattern], _ times: Watch.Times) throws -> Watch {
        guard !gateway.hub.isDraining else { throw Problem.draining }
        do throws(ClientError) {
            return try gateway.hub.watch(patterns, for: token.hash, times, groups: gateway.settings.groups)
        } catch {
            switch error {
            case .tooManyGroups(let limit):
                gateway.metrics.count(.groups)
                throw Problem(
                    429, "OVERLOAD", "\(limit) groups with popups are followed already; try again later",
                    retryAfterMs: 1000)
            case .tooManyStreams(let limit):
                gateway.metrics.count(.patterns)
                throw Problem(
                    429, "OVERLOAD", "\(limit) patterns are followed already, or those of the token; try again later",
                    retryAfterMs: 1000)
            default: break
            }
            throw error
        }
    }

    /// Returns the error for a broker that is not connected.
    func notConnected(after time: Duration) -> ClientError {
        .notConnected(endpoint: gateway.connection.endpoints.ingress, after: time)
    }

    /// The answer without content to a command that was accepted.
    static let accepted = GatewayResponse(json: Array(#"{"accepted":true}"#.utf8))

    static func json(_ message: some Message) throws -> GatewayResponse {
        GatewayResponse(json: try WireJSON.encode(message))
    }
}
