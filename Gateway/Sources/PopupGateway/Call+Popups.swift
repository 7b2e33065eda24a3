internal import PopupAccess
@_spi(Wire) internal import PopupClient
internal import PopupProtocol

extension Call {
    /// Requests a popup. The gateway makes its id, so that the same request can be repeated with it.
    func show(_ popup: WirePopup, isNew: Bool) async throws -> GatewayResponse {
        guard case .show(let popup) = try await authorized(.show(popup)) else { return Self.accepted }
        let wait = try wait()
        if wait != nil { try require(right: .watch, in: GroupPattern(try groupName(popup.group))) }
        guard let wait else {
            try await sendShow(popup)
            return Self.shown(popup, status: isNew ? 201 : 200)
        }
        // The wait is reserved before the command: a refusal afterwards would make the client request the popup again.
        return try await hold {
            try await sendShow(popup)
            // From here on the popup exists. Only the wait can still fail.
            guard let explanation = try? await closing(of: popup.id, in: popup.group, within: wait),
                explanation.phase == .closed, explanation.group == popup.group, let closed = explanation.closed
            else { return Self.shown(popup, status: 202) }
            let fields = [
                "\"reason\":\"\(closed.reason.name)\"", "\"action\":\(JSONText.quoted(closed.action))",
                "\"displayedMs\":\(closed.displayedMs)",
            ]
            return Self.shown(
                popup, status: isNew ? 201 : 200, ",\"closed\":{\(fields.joined(separator: ","))}")
        }
    }

    /// Sends a request for a popup.
    ///
    /// - Throws: `Problem` with the id, so that the request can be repeated with it.
    func sendShow(_ popup: WirePopup) async throws(Problem) {
        do {
            try await send(.show(popup))
        } catch {
            var problem = Problem(failure: error)
            problem.id = popup.id
            throw problem
        }
    }

    /// Returns the answer to a request for a popup: its id and further fields.
    private static func shown(_ popup: WirePopup, status: Int, _ fields: String = "") -> GatewayResponse {
        var response = GatewayResponse(
            status: status, json: Array("{\"id\":\(JSONText.quoted(popup.id))\(fields)}".utf8))
        if status != 200 { response.headers["Location"] = "/v1/popups/\(percentEncoded(popup.id))" }
        return response
    }

    func put(_ id: String) async throws -> GatewayResponse {
        var popup: WirePopup = try body()
        guard popup.id.isEmpty || popup.id == id else {
            throw Problem(422, "INVALID", "`id` is another one than in the path; leave it out")
        }
        popup.id = id
        return try await show(popup, isNew: false)
    }

    func checkShow(_ popup: WirePopup) throws(Problem) {
        var command = WireCommand()
        command.show = popup
        do throws(CommandRefusal) {
            // The broker checks the size of the content.
            try CommandValidator(limits: WireLimits(contentBytes: .max)).validate(command)
        } catch {
            throw Problem(error)
        }
        let reach: Grant.ExclusiveReach =
            switch popup.exclusive {
            case .none: .none
            case .group: .group
            case .all, .UNRECOGNIZED: .all
            }
        let groups = GroupPattern(try groupName(popup.group))
        try require(.show(priority: popup.priority, exclusive: reach), in: groups)
        if popup.quorumAll { try checkQuorumAll() }
    }

    /// Checks the right to wait for renderers of all groups.
    ///
    /// - Throws: 403.
    func checkQuorumAll() throws(Problem) {
        guard token.controlsEverything else { throw denied("needs control of \"*\" for `quorumAll`") }
    }

    /// Checks that an id is not one that the gateway makes for another token: a popup that has it already would be taken for
    /// a repetition of that token's.
    ///
    /// - Throws: 403.
    func checkID(_ id: String) throws(Problem) {
        for kind in ["http-", "hook-"] where id.hasPrefix(kind) {
            let rest = id.dropFirst(kind.count)
            guard let end = rest.firstIndex(where: { ":~".contains($0) }), let name = UserName(String(rest[..<end])),
                name != token.name, gateway.hasToken(named: name)
            else { continue }
            throw denied("cannot use the id `\(id)`: the gateway makes such ids for the token that they name")
        }
    }

    /// Returns an id of the token and the key, and of the place in a batch. No name of a token has a colon or a tilde, so
    /// neither two tokens nor a batch and a lone request ever make the same id, whatever the keys are.
    func newID(at place: Int? = nil) -> String {
        if let key = request.headers["idempotency-key"], !key.isEmpty {
            return "http-\(token.name)\(place.map { "~\($0)" } ?? ""):\(key)"
        }
        var generator = SystemRandomNumberGenerator()
        return ProducerName(using: &generator).description
    }

    private static func percentEncoded(_ text: String) -> String {
        var encoded = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
                UInt8(ascii: "~"):
                encoded.unicodeScalars.append(UnicodeScalar(byte))
            default:
                encoded += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return encoded
    }

    func update(_ id: String) async throws -> GatewayResponse {
        var update: WireUpdate = try body()
        (update.id, update.group) = (try onlyInPath(id, update.id), named(update.group))
        return try await perform(.update(update))
    }

    func cancel(_ id: String) async throws -> GatewayResponse {
        var dismiss = WireDismiss()
        (dismiss.id, dismiss.group, dismiss.action) = (id, named(""), request.query["action"] ?? "")
        return try await perform(.dismiss(dismiss))
    }

    func dismiss(_ id: String) async throws -> GatewayResponse {
        var dismiss: WireDismiss = try body()
        (dismiss.id, dismiss.group) = (try onlyInPath(id, dismiss.id), named(dismiss.group))
        guard dismiss.hasRevision else {
            throw Problem(
                422, "INVALID", "`revision` is missing; give `sinceRevision` of the popup that the user has seen")
        }
        return try await perform(.dismiss(dismiss))
    }

    func answer(_ id: String) async throws -> GatewayResponse {
        var answer: WireAnswer = try body()
        (answer.id, answer.group) = (try onlyInPath(id, answer.id), named(answer.group))
        return try await perform(.answer(answer))
    }

    /// Sends a report. The protocol does not acknowledge reports.
    func report(_ id: String) async throws -> GatewayResponse {
        var report: WireReport = try body()
        (report.id, report.group) = (try onlyInPath(id, report.id), named(report.group))
        var response = try await perform(.report(report))
        response.status = 202
        return response
    }

    /// Returns the group in the body, otherwise that of `?group=`.
    private func named(_ group: String) -> String {
        group.isEmpty ? request.query["group"] ?? "" : group
    }

    private func onlyInPath(_ id: String, _ inBody: String) throws(Problem) -> String {
        guard inBody.isEmpty else { throw Problem(422, "INVALID", "`id` is in the path; leave it out of the body") }
        return id
    }

    // MARK: - The outcome of a popup

    func explain(_ id: String) async throws -> GatewayResponse {
        let group = try await group(of: id, for: .watch)
        guard let wait = try wait() else {
            let explanation = try await gateway.admin.explain(id)
            guard explanation.group == group.text else { throw Problem.unknownPopup(id) }
            return try Self.json(explanation.wire)
        }
        let explanation = try await hold { try await closing(of: id, in: group.text, within: wait) }
        guard explanation.group == group.text else { throw Problem.unknownPopup(id) }
        return try Self.json(explanation.wire)
    }

    /// Returns the outcome of a popup, when it is closed or the time is over; at once if the group has no such popup.
    ///
    /// - Throws: 503 if the gateway ends before.
    private func closing(of id: String, in group: String, within time: Duration) async throws -> PopupExplanation {
        let gateway = gateway
        let watch = try watch([], Watch.Times(heartbeat: .seconds(3600), end: .now + time))
        defer { gateway.hub.unwatch(watch) }
        let events = try gateway.connection.events(of: [group])
        // From here on no event is missed.
        try await gateway.admin.settled()
        let first = try await gateway.admin.explain(id)
        guard Self.isLive(first, in: group) else { return first }
        await withTaskGroup { tasks in
            tasks.addTask {
                do {
                    for try await event in events where event.popup == id {
                        if case .closed? = event.event { return }
                    }
                } catch ClientError.refused {
                    // The gateway's user may not read events: it learns of the popup's end when the time is over.
                    try? await Task.sleep(for: time)
                } catch {
                    // The connection is closed; the query below reports that.
                }
            }
            tasks.addTask { await closingOrEnd(of: id, in: group, watch) }
            tasks.addTask { try? await Task.sleep(for: time) }
            await tasks.next()
            tasks.cancelAll()
        }
        // A broker that is lost would keep the gateway from ending.
        guard !gateway.hub.isDraining || gateway.hub.isConnected else { throw Problem.draining }
        let last = try await gateway.admin.explain(id)
        guard !gateway.hub.isDraining || !Self.isLive(last, in: group) else { throw Problem.draining }
        return last
    }

    /// Waits until the gateway ends, or a popup has closed while the broker was lost: its event may be lost, too.
    private func closingOrEnd(of id: String, in group: String, _ watch: Watch) async {
        for await _ in watch.signal.sequence() {
            while let item = watch.take(at: .now) {
                guard case .broker(isConnected: true) = item else { continue }
                // If the broker is lost again, it comes back again.
                guard (try? await gateway.admin.settled()) != nil,
                    let explanation = try? await gateway.admin.explain(id)
                else { continue }
                if !Self.isLive(explanation, in: group) { return }
            }
        }
    }

    private static func isLive(_ explanation: PopupExplanation, in group: String) -> Bool {
        explanation.phase != .closed && explanation.phase != .unknown && explanation.group == group
    }
}
