internal import PopupAccess
internal import PopupClient
internal import PopupProtocol

// Webhooks: other services send messages in formats of their own.
extension Call {
    /// Requests the popups of the messages in the body, or closes them. All are tried as long as the broker answers. The
    /// first failure is the answer, or that the broker does not answer, so that the service sends the messages again. The ids
    /// come from the messages, so a repetition changes nothing.
    func hook() async throws -> GatewayResponse {
        guard let hook = token.hook else { throw denied("has no `hook` in the file of tokens") }
        let messages = try hook.messages(in: .body(of: request)).filter { hook.when?.holds(for: $0) ?? true }
        return try await hold {
            var series = CommandSeries()
            var (ids, failure): ([String], Problem?) = ([], nil)
            for message in messages {
                do throws(Problem) {
                    ids.append(try await series.send { try await take(message, hook) })
                    gateway.metrics.count(hook: token.name, .accepted)
                } catch {
                    if failure?.isOutage != true, failure == nil || error.isOutage { failure = error }
                    gateway.metrics.count(hook: token.name, error.status >= 500 ? .unknown : .refused)
                }
            }
            if let failure { throw failure }
            let list = ids.map { JSONText.quoted($0) }.joined(separator: ",")
            return GatewayResponse(status: 202, json: Array("{\"ids\":[\(list)]}".utf8))
        }
    }

    private func take(_ message: AnyJSON, _ hook: Hook) async throws -> String {
        let name = hook.text(.id, of: message)
        guard !name.isEmpty else { throw Problem(422, "INVALID", "the message has nothing for `id`") }
        let id = "hook-\(token.name):\(name)"
        let group = hook.text(.group, of: message)
        guard hook.cancel?.holds(for: message) != true else {
            var dismiss = WireDismiss()
            (dismiss.id, dismiss.group) = (id, group)
            do { try await send(authorized(.dismiss(dismiss))) } catch let error {
                // The popup has already closed.
                guard ["NOT_FOUND", "STALE"].contains(Problem(failure: error).reason) else { throw error }
            }
            return id
        }
        try await send(authorized(.show(popup(of: message, hook, id: id, group: group))))
        return id
    }

    private func popup(of message: AnyJSON, _ hook: Hook, id: String, group: String) throws(Problem) -> WirePopup {
        var popup = WirePopup()
        (popup.id, popup.group) = (id, group)
        popup.collapseKey = hook.text(.collapseKey, of: message)
        popup.text = hook.text(.text, of: message)
        popup.presentation.title = hook.text(.title, of: message)
        popup.presentation.style = hook.text(.style, of: message)
        popup.durationMs = try time(.duration, of: message, hook)
        popup.ttlMs = try time(.ttl, of: message, hook)
        let priority = hook.text(.priority, of: message)
        if !priority.isEmpty {
            guard let number = Int32(priority) else {
                throw Problem(422, "INVALID", "`priority` is `\(priority)`; it must be a whole number")
            }
            popup.priority = number
        }
        return popup
    }

    private func time(_ field: Hook.Field, of message: AnyJSON, _ hook: Hook) throws(Problem) -> UInt32 {
        let text = hook.text(field, of: message)
        guard !text.isEmpty else { return 0 }
        guard let milliseconds = TimeText.milliseconds(text) else { throw TimeText.problem(field.rawValue, text) }
        return milliseconds
    }
}
