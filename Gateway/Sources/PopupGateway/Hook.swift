import PopupProtocol

/// A webhook: the rules by which the messages of another service become popups.
public struct Hook: Hashable, Sendable {
    /// A field of a popup.
    public enum Field: String, CaseIterable, Sendable {
        case group, id, collapseKey, title, text, priority, style, duration, ttl
    }

    /// A condition: a value has one of some texts.
    public struct Condition: Hashable, Sendable {
        /// The position of the value in a message.
        public var pointer: JSONPointer
        /// The texts.
        public var texts: Set<String>

        /// Creates a condition.
        public init(_ pointer: JSONPointer, is texts: Set<String>) {
            self.pointer = pointer
            self.texts = texts
        }

        func holds(for value: AnyJSON) -> Bool {
            value[pointer].map { texts.contains($0.words) } ?? false
        }
    }

    /// The proof of a sender that cannot send a token: HMAC-SHA256 over the body with the shared secret, in hexadecimal
    /// digits, with or without `sha256=` before them.
    public struct Signature: Hashable, Sendable {
        /// The header, in lower case.
        public var header: String
        /// The secret.
        public var secret: [UInt8]

        /// Creates a signature.
        public init(header: String, secret: [UInt8]) {
            self.header = header.lowercased()
            self.secret = secret
        }

        func isValid(in request: GatewayRequest) -> Bool {
            guard let sent = request.headers[header] else { return false }
            let digest = TokenHash.hmac(request.body, key: secret)
            let expected = Array(TokenHash.digits(of: digest).utf8)
            let digits = Array((sent.hasPrefix("sha256=") ? sent.dropFirst(7) : sent[...]).lowercased().utf8)
            // The comparison takes the same time wherever the digits differ.
            return digits.count == expected.count && zip(digits, expected).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
        }
    }

    /// The position of the list of messages; `nil`: the body is one message.
    public var each: JSONPointer?
    /// The messages that count; `nil`: all.
    public var when: Condition?
    /// The messages that close their popup.
    public var cancel: Condition?
    /// The fields of the popup, as templates.
    public var fields: [Field: TextTemplate]
    /// The styles of popups, by the values that the service sends.
    public var styles: [String: String] = [:]
    /// The signature of the sender; `nil`: it sends a token.
    public var signature: Signature?

    /// Creates a hook.
    public init(fields: [Field: TextTemplate] = [:]) {
        self.fields = fields
    }

    /// The hooks that have a name. They do not name a group.
    public static let presets: [String: Hook] = ["alertmanager": alerts, "grafana": alerts, "github": failedWorkflows]

    /// Alerts of Prometheus' Alertmanager and of Grafana, whose messages have the same shape. An alert that fires again is
    /// another popup.
    private static let alerts: Hook = {
        var hook = Hook(templates: [
            .id: "{/fingerprint}@{/startsAt}", .title: "{/labels/alertname}", .text: "{/annotations/summary}",
            .priority: "{/labels/popup_priority}", .style: "{/labels/severity}",
        ])
        hook.each = JSONPointer("/alerts")
        hook.cancel = JSONPointer("/status").map { Condition($0, is: ["resolved"]) }
        hook.styles = ["critical": "error", "warning": "warning", "": "info"]
        return hook
    }()

    /// Workflows of GitHub that failed (`workflow_run`). Of one workflow and branch, the last failure is shown.
    private static let failedWorkflows: Hook = {
        var hook = Hook(templates: [
            .id: "{/workflow_run/id}.{/workflow_run/run_attempt}",
            .collapseKey: "{/repository/full_name} {/workflow_run/name} {/workflow_run/head_branch}",
            .title: "{/workflow_run/name} failed", .text: "{/repository/full_name}, {/workflow_run/head_branch}",
        ])
        hook.when = JSONPointer("/workflow_run/conclusion").map { Condition($0, is: ["failure", "timed_out"]) }
        hook.fields[.style] = TextTemplate("error")
        return hook
    }()

    private init(templates: [Field: String]) {
        self.init(fields: templates.compactMapValues { TextTemplate($0) })
    }

    /// Returns the messages in a body.
    ///
    /// - Throws: 422 if there is no list where it should be, or it is too long.
    func messages(in body: AnyJSON) throws(Problem) -> [AnyJSON] {
        guard let each else { return [body] }
        guard case .list(let list)? = body[each] else {
            throw Problem(422, "INVALID", "the body has no list at `/\(each.names.joined(separator: "/"))`")
        }
        guard list.count <= Self.mostMessages else {
            throw Problem(422, "INVALID", "the body has \(list.count) messages; it may have \(Self.mostMessages)")
        }
        return list
    }

    /// The maximum number of messages in a body.
    private static let mostMessages = 256

    /// Returns a field of the popup of a message.
    func text(_ field: Field, of message: AnyJSON) -> String {
        let text = fields[field]?.text(for: message) ?? ""
        return field == .style ? styles[text] ?? text : text
    }
}
