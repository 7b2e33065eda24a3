public import Foundation
import PopupProtocol
@_spi(Wire) public import PopupValues
import SwiftProtobuf

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// A client of a gateway, over HTTP: for phones and for other places where libzmq does not reach.
///
/// It asks for popups, shows them and answers them, with the same values as `PopupClient`. Each call returns when the broker
/// has committed the command. All calls throw `WebClientError`, and `CancellationError` if their task is cancelled.
public struct PopupWebClient: Sendable {
    let address: URL
    let token: String
    /// The name of this renderer. Several answers of one renderer count once.
    public let name: ClientToken
    private let session: Session

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - address: The address of the gateway, such as `http://127.0.0.1:8570`.
    ///   - token: The access token.
    ///   - name: The name as a renderer; `nil`: one of its own.
    ///   - timeout: The time without a byte of an answer after which a request fails. A whole answer has three times as
    ///     long, and at most 16 MiB.
    /// - Throws: `WebClientError.invalidAddress`.
    public init(
        _ address: URL, token: String, name: ClientToken? = nil, timeout: Duration = .seconds(10)
    ) throws(WebClientError) {
        guard ["http", "https"].contains(address.scheme), address.host?.isEmpty == false else {
            throw .invalidAddress(address.absoluteString)
        }
        self.address = address
        self.token = token
        self.name = name ?? .random()
        session = Session(timeout: timeout)
    }

    // MARK: - As a producer

    /// Asks for a popup. A repetition with the same id changes nothing.
    ///
    /// - Returns: Its id; made here if it has none.
    @discardableResult
    public func show(_ popup: Popup) async throws -> String {
        let popup = popup.named()
        try await send("PUT", ["popups", popup.id], popup.wire)
        return popup.id
    }

    /// Asks for a popup, and waits until it is closed.
    ///
    /// - Parameters:
    ///   - popup: The popup.
    ///   - time: The time to wait, at most a minute.
    /// - Returns: Its id, and how it closed.
    /// - Throws: The errors of `show`. When the popup was accepted, it throws nothing any more: its id would be lost.
    public func show(_ popup: Popup, waitingFor time: Duration) async throws -> ShownPopup {
        let id = try await show(popup)
        let explanation = try? await explain(id, in: popup.group, waitingFor: time)
        return ShownPopup(id: id, closed: explanation?.phase == .closed ? explanation?.closed : nil)
    }

    /// Changes a live popup. What is absent stays.
    public func update(_ update: PopupUpdate) async throws {
        var rest = update
        rest.id = ""
        try await send("PATCH", ["popups", update.id], rest.wire)
    }

    /// Closes a popup that is no longer needed.
    ///
    /// - Parameters:
    ///   - id: Its id.
    ///   - group: Its group: then the gateway need not ask for it.
    public func cancel(_ id: String, in group: String = "") async throws {
        _ = try await answer(to: request("DELETE", ["popups", id], group.isEmpty ? [] : [("group", group)]))
    }

    /// Tells what holds a popup back, or how it closed.
    ///
    /// - Parameters:
    ///   - id: Its id.
    ///   - group: Its group: then the gateway need not ask for it.
    ///   - time: The time to wait until it is closed, at most a minute; zero: the answer comes at once.
    public func explain(
        _ id: String, in group: String = "", waitingFor time: Duration = .zero
    ) async throws -> PopupExplanation {
        var query = group.isEmpty ? [] : [("group", group)]
        if time > .zero { query.append(("wait", "\(min(time, .seconds(60)).wireMilliseconds)ms")) }
        return PopupExplanation(
            wire: try await value(of: request("GET", ["popups", id], query, waiting: min(time, .seconds(60)))))
    }

    // MARK: - As a renderer

    /// Returns a stream of what groups show, now and whenever it changes: the newest state of each group, and never an older
    /// one after it. After a lost connection it goes on by itself. As long as its loop runs, this client is a renderer of
    /// the groups, unless `isRenderer` says otherwise.
    ///
    /// - Parameters:
    ///   - groups: Names and patterns, at most 64.
    ///   - isRenderer: Whether the popups are displayed. If not, the broker does not count on this client.
    /// - Throws: `WebClientError.invalidGroup`.
    public func states(of groups: [String], isRenderer: Bool = true) throws(WebClientError) -> WebGroupStates {
        for group in groups where GroupPattern(group) == nil { throw .invalidGroup(group) }
        var query = groups.map { ("group", $0) }
        if isRenderer { query.append(("client", name.text)) }
        var request = request("GET", ["stream"], query)
        request.setValue("application/x-ndjson", forHTTPHeaderField: "Accept")
        return WebGroupStates(WebStream(request))
    }

    /// Returns a stream of what groups show: see the other `states(of:)`.
    public func states(of groups: String...) throws(WebClientError) -> WebGroupStates {
        try states(of: groups)
    }

    /// Returns what a group shows now.
    public func state(of group: String) async throws -> GroupState {
        guard GroupName(group) != nil else { throw WebClientError.invalidGroup(group) }
        let path = ["state"] + group.split(separator: "/").map(String.init)
        return GroupState(PublishedState(wire: try await value(of: request("GET", path))), received: .now)
    }

    /// Dismisses the active popup of a state with an action of the user. If the popup has been updated or shown again since,
    /// it is refused (`STALE`). For a state without a popup, nothing is sent.
    public func dismiss(_ state: GroupState, action: String) async throws {
        guard let popup = state.popup ?? state.offered else { return }
        var dismiss = WireDismiss()
        (dismiss.action, dismiss.client, dismiss.group) = (action, name.text, state.group)
        dismiss.revision = popup.sinceRevision
        try await send("POST", ["popups", popup.id, "dismiss"], dismiss)
    }

    /// Accepts an offer: the popup is shown now. For a state without an offer, nothing is sent.
    public func accept(_ state: GroupState) async throws {
        try await answer(state) { $0.accept = WireEmpty() }
    }

    /// Rejects an offer: the popup closes (`VETOED`). For a state without an offer, nothing is sent.
    public func veto(_ state: GroupState) async throws {
        try await answer(state) { $0.veto = WireEmpty() }
    }

    private func answer(_ state: GroupState, _ choose: (inout WireAnswer) -> Void) async throws {
        guard let popup = state.offered else { return }
        var answer = WireAnswer()
        (answer.client, answer.group) = (name.text, state.group)
        choose(&answer)
        try await send("POST", ["popups", popup.id, "answer"], answer)
    }

    // MARK: - As a console

    /// Closes the popup that a group shows, so that the next one is shown.
    public func advance(_ group: String) async throws {
        guard GroupName(group) != nil else { throw WebClientError.invalidGroup(group) }
        _ = try await answer(
            to: request("POST", ["advance"] + group.split(separator: "/").map(String.init)))
    }

    /// Returns the live popups of groups.
    ///
    /// - Parameter groups: A name or a pattern.
    public func list(_ groups: String = "*") async throws -> [PopupSummary] {
        guard GroupPattern(groups) != nil else { throw WebClientError.invalidGroup(groups) }
        let result: WireListResult = try await value(of: request("GET", ["popups"], [("group", groups)]))
        return result.popups.map(PopupSummary.init(wire:))
    }

    // MARK: - Requests

    private func request(
        _ method: String, _ path: [String], _ query: [(String, String)] = [], waiting time: Duration = .zero
    ) -> URLRequest {
        var text = address.absoluteString
        if text.last == "/" { text.removeLast() }
        text += "/v1/" + path.map(Self.percentEncoded).joined(separator: "/")
        for (index, item) in query.enumerated() {
            text += (index == 0 ? "?" : "&") + item.0 + "=" + Self.percentEncoded(item.1)
        }
        // All parts are encoded, and the address is one.
        var request = URLRequest(url: URL(string: text) ?? address)
        request.httpMethod = method
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        request.timeoutInterval = session.timeout + time / .seconds(1)
        return request
    }

    private static func percentEncoded(_ text: String) -> String {
        let unreserved = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? text
    }

    private func send(_ method: String, _ path: [String], _ message: some Message) async throws {
        var request = request(method, path)
        request.httpBody = Data(try WireJSON.encode(message))
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        _ = try await answer(to: request)
    }

    private func value<Value: Message>(of request: URLRequest) async throws -> Value {
        let (status, bytes) = try await answer(to: request)
        do { return try WireJSON.decode(bytes) } catch { throw WebClientError.unreadable(status: status) }
    }

    private func answer(to request: URLRequest) async throws -> (status: Int, bytes: [UInt8]) {
        let (status, bytes) = try await session.answer(to: request)
        guard (200..<300).contains(status) else { throw WebClientError(status: status, problem: bytes) }
        return (status, bytes)
    }
}

/// A popup that was accepted, and its end.
public struct ShownPopup: Hashable, Sendable {
    /// Its id.
    public var id: String
    /// Its end; `nil` if it was not closed in time, or the gateway did not tell. Then `explain` tells later.
    public var closed: PopupClosed?

    /// Creates a popup that was accepted.
    public init(id: String, closed: PopupClosed? = nil) {
        self.id = id
        self.closed = closed
    }
}

extension WebClientError {
    /// Creates the error of an answer that is no success: the problem of RFC 9457 in it, or that there is none.
    init(status: Int, problem bytes: [UInt8]) {
        guard let problem = try? AnyJSON(bytes), let reason = problem["reason"]?.text,
            let detail = problem["detail"]?.text
        else {
            self = .unreadable(status: status)
            return
        }
        let retryAfter: UInt32? = problem["retryAfterMs"]?.integer()
        self = .refused(
            Refusal(
                status: status, reason: reason, detail: detail, retryAfter: retryAfter.map { .milliseconds($0) },
                isOutcomeUnknown: status == 504))
    }
}

extension ClientToken {
    /// Returns a name that no other client has.
    fileprivate static func random() -> ClientToken {
        var generator = SystemRandomNumberGenerator()
        // Its digits are letters of a token.
        return ClientToken("web-\(ProducerName(using: &generator))").unsafelyUnwrapped
    }
}
