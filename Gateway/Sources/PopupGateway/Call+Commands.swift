internal import PopupAccess
internal import PopupClient
internal import PopupProtocol

// Commands as the protocol has them. The other routes complete the command with the parts of their path, and send it in
// the same way.
extension Call {
    /// Answers with the result of each command. They are sent in order, each after the previous one is committed.
    func commands() async throws -> GatewayResponse {
        guard isBatch else {
            var series = CommandSeries()
            let result = await result(of: try body(), in: &series)
            return GatewayResponse(status: result.status, json: Array("{\"results\":[\(result.json)]}".utf8))
        }
        let batch: WireBatch = try body()
        guard (1...Self.batchCommands).contains(batch.commands.count) else {
            throw Problem(422, "INVALID", "a batch has 1 to \(Self.batchCommands) commands")
        }
        return try await hold {
            var series = CommandSeries()
            var results: [String] = []
            for (index, command) in batch.commands.enumerated() {
                results.append(await result(of: command, at: index + 1, in: &series).json)
            }
            return GatewayResponse(json: Array("{\"results\":[\(results.joined(separator: ","))]}".utf8))
        }
    }

    /// Whether the body begins like a batch, with a field that no command has.
    private var isBatch: Bool {
        let space = Array(" \t\r\n".utf8)
        let rest = request.body.drop { space.contains($0) }.dropFirst().drop { space.contains($0) }
        return rest.starts(with: "\"commands\"".utf8)
    }

    /// Sends a command, and returns its result.
    ///
    /// - Parameters:
    ///   - place: Its place in a batch, from 1; `nil`: it is alone.
    ///   - series: The commands of the request.
    private func result(
        of command: WireCommand, at place: Int? = nil, in series: inout CommandSeries
    ) async -> (status: Int, json: String) {
        do throws(Problem) {
            return (200, try await series.send { try await accept(command, at: place) })
        } catch {
            return (
                error.status,
                "{\"refused\":\(String(decoding: error.response.bytes, as: UTF8.self)),\"status\":\(error.status)}"
            )
        }
    }

    /// Sends a command, and returns the JSON that says that it was accepted.
    private func accept(_ command: WireCommand, at place: Int?) async throws -> String {
        guard command.producer.isEmpty, command.sequence == 0 else {
            throw Problem(422, "INVALID", "leave out `producer` and `sequence`: the gateway numbers the commands")
        }
        guard let content = command.command else {
            throw Problem(422, "INVALID", "the command is missing; give one, such as `show`")
        }
        let allowed = try await authorized(content, at: place)
        guard case .show(let popup) = allowed else {
            try await send(allowed)
            return #"{"accepted":true}"#
        }
        try await sendShow(popup)
        return "{\"accepted\":true,\"id\":\(JSONText.quoted(popup.id))}"
    }

    /// Returns a command as it may be sent: with the group for which the token has the right, and the token's own names.
    ///
    /// - Parameters:
    ///   - command: The command.
    ///   - place: Its place in a batch, from 1; `nil`: it is alone.
    /// - Throws: 403, 404, 422, 501.
    func authorized(
        _ command: WireCommand.OneOf_Command, at place: Int? = nil
    ) async throws -> WireCommand.OneOf_Command {
        switch command {
        case .show(var popup):
            if popup.id.isEmpty { popup.id = newID(at: place) }
            try checkID(popup.id)
            try checkShow(popup)
            return .show(popup)
        case .update(var update):
            let group = try await group(of: update.id, named: update.group, for: .update)
            try require(.update(isOwn: false, priority: update.hasPriority ? update.priority : nil), in: group)
            update.group = group.text
            return .update(update)
        case .dismiss(var dismiss):
            // The dismissal of a user has a revision; producers and admin clients need none.
            let right: Right = dismiss.hasRevision ? .render : .dismiss
            let group = try await group(of: dismiss.id, named: dismiss.group, for: right)
            if right == .render { try await checkClick(dismiss, in: group) }
            try claim(client: dismiss.client)
            dismiss.group = group.text
            return .dismiss(dismiss)
        case .answer(var answer):
            answer.group = try await group(of: answer.id, named: answer.group, for: .render).text
            try claim(client: answer.client)
            return .answer(answer)
        case .report(var report):
            report.group = try await group(of: report.id, named: report.group, for: .render).text
            try claim(client: report.client)
            return .report(report)
        case .advance(let advance):
            try require(.control, in: GroupPattern(try groupName(advance.group)))
        case .clear(let clear):
            // The popups of another producer need control of every group.
            let isForAll = clear.selector.group.isEmpty || !clear.selector.producer.isEmpty
            try requireControl(of: isForAll ? "*" : clear.selector.group)
        case .suspend(var suspend):
            try requireControl(of: suspend.group)
            // The broker knows the suspension as `NAME:TOKEN`, with the name of the access token: no other token can
            // end it.
            if !suspend.token.isEmpty { suspend.token = "\(token.name):\(suspend.token)" }
            return .suspend(suspend)
        case .resume(var resume):
            guard token.access.hasAnywhere(.control) else { throw denied("needs the right control in some group") }
            if !resume.token.isEmpty { resume.token = "\(token.name):\(resume.token)" }
            return .resume(resume)
        case .setSession(let session): try requireControl(of: session.group)
        case .page: try requireControl(of: "*")
        case .setPolicy(let policy):
            try requireControl(of: policy.group)
            if policy.quorumAll { try checkQuorumAll() }
        case .unsetPolicy(let policy): try requireControl(of: policy.group)
        case .query, .lease:
            throw Problem(501, "UNSUPPORTED", "the gateway asks by GET, and leases by a stream with `client`")
        }
        return command
    }

    /// Checks what the broker cannot check: it knows the gateway's user, and not the token. Without the right
    /// `dismiss`, the command must name a renderer, so that quorums count, and the group must show the popup.
    private func checkClick(_ dismiss: WireDismiss, in group: GroupPattern) async throws {
        guard !token.access.has(.dismiss, in: group) else { return }
        guard !dismiss.client.isEmpty else {
            throw Problem(
                422, "INVALID", "`client` is missing; name the renderer, or use a token with the right dismiss")
        }
        let explanation = try await gateway.admin.explain(dismiss.id)
        guard explanation.group == group.text else { throw Problem.unknownPopup(dismiss.id) }
        guard explanation.phase == .active else {
            throw Problem(409, "STALE", "the group does not show the popup `\(dismiss.id)` now")
        }
    }

    /// Checks that a command's client does not belong to another token. The broker refuses a name that is not valid.
    private func claim(client name: String) throws(Problem) {
        guard let client = ClientToken(name) else { return }
        try claim(client)
    }

    private func requireControl(of groups: String) throws {
        guard let pattern = GroupPattern(groups) else { throw ClientError.invalidGroup(groups) }
        try require(.control, in: pattern)
    }

    /// Sends a command if the token may, and returns an answer without content.
    func perform(_ command: WireCommand.OneOf_Command) async throws -> GatewayResponse {
        try await send(try await authorized(command))
        return Self.accepted
    }

    func advance(_ group: String) async throws -> GatewayResponse {
        var advance = WireAdvance()
        advance.group = group
        return try await perform(.advance(advance))
    }

    private static let batchCommands = 256
}
