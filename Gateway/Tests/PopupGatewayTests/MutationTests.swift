import Foundation
import PopupAccess
import PopupClient
import PopupProtocol
import Testing

@testable import PopupGateway

/// The requests of `Corpus`, each changed by a generator with a seed, into everything that reads them: a fuzz test without
/// coverage. A trap ends the tests: with the variable `TRACE_INPUTS`, the last line names the input.
@Suite("Changed requests", .serialized)
struct MutationTests {
    /// The changes of each input.
    private static let changes = 50

    private static let corpus: [(name: String, bytes: [UInt8])] = {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Corpus")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()) ?? []
        return names.compactMap { name in
            FileManager.default.contents(atPath: folder.appending(path: name).path).map { (name, Array($0)) }
        }
    }()

    // MARK: - The gateway

    private struct Trial: PolicyTrial {
        func run(policy: String, since: Int64) async throws -> PolicyTrialResult {
            PolicyTrialResult(differences: [], more: 0, notes: [policy, "\(since)"])
        }
    }

    /// Returns a gateway whose connection is closed: whatever passes its checks gets 503 at once.
    private static func gateway() async throws -> Gateway {
        let all = Dictionary(uniqueKeysWithValues: Right.allCases.map { ($0, [GroupPattern.every]) })
        func token(_ name: String, _ may: [Right: [GroupPattern]], _ hook: Hook? = nil) throws -> AccessToken {
            AccessToken(
                name: try #require(UserName(name)), hash: TokenHash(of: name), may: may, requests: 1_000_000, hook: hook
            )
        }
        func hook(_ preset: String?, _ fields: [Hook.Field: String]) throws -> Hook {
            var hook = try preset.map { try #require(Hook.presets[$0]) } ?? Hook()
            for (field, text) in fields {
                let template = try #require(TextTemplate(text))
                hook.fields[field] = template
            }
            return hook
        }
        var signed = try hook("github", [.group: "builds"])
        signed.signature = Hook.Signature(header: "X-Signature", secret: Array("sixteen bytes of".utf8))
        let fields = try hook(
            nil, [.group: "{/g}", .id: "{/n}", .title: "{/list/0/x}", .text: "{/m~1~0n} {}", .duration: "{/time}"])
        let tokens = [
            try token("secret", all), try token("less", [.watch: [try #require(GroupPattern("g"))]]),
            try token("alerts", all, try hook("alertmanager", [.group: "{/labels/group}alerts"])),
            try token("builds", all, signed), try token("fields", all, fields),
        ]
        let endpoints = BrokerEndpoints(ingress: "tcp://127.0.0.1:9", egress: "tcp://127.0.0.1:9")
        var limits = ClientLimits()
        limits.lingerTime = .zero
        let gateway = try Gateway(
            BrokerConnection(endpoints, limits: limits), tokens: TokenTable(tokens),
            settings: Gateway.Settings(origins: ["https://pages.example"]), policyTrial: Trial()
        ) { () throws(ClientError) in
            throw .closed
        }
        await gateway.connection.close()
        return gateway
    }

    /// Returns the request of a text: its first line, its headers, an empty line, its body.
    ///
    /// - Parameter token: The token, unless the text has one. A webhook has the one of its name.
    private static func request(_ bytes: [UInt8], token: String = "secret") -> GatewayRequest {
        var rest = bytes[...]
        func line() -> String {
            let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
            defer { rest = rest[min(end + 1, rest.endIndex)...] }
            return String(decoding: rest[..<end], as: UTF8.self)
        }
        let first = line()
        let space = first.firstIndex(of: " ") ?? first.endIndex
        let target = String(first[space...].dropFirst())
        let hook = target.hasPrefix("/v1/hooks/") ? String(target.dropFirst("/v1/hooks/".count)) : nil
        var headers = ["host": "localhost", "authorization": "Bearer \(hook ?? token)"]
        while true {
            let text = line()
            guard let colon = text.firstIndex(of: ":") else { break }
            headers[text[..<colon].lowercased()] = String(text[colon...].dropFirst().drop { $0 == " " })
        }
        return GatewayRequest(String(first[..<space]), target, headers: headers, body: Array(rest))
    }

    @Test("are answered: by what they ask for, or by a problem that says in a sentence what is wrong")
    func requests() async throws {
        let gateway = try await Self.gateway()
        try #require(Self.corpus.count > 100)
        for (index, input) in Self.corpus.enumerated() {
            var mutator = Mutator(seed: UInt64(index))
            for change in 0..<Self.changes {
                let other = Self.corpus[mutator.number(below: Self.corpus.count)].bytes
                // The first is the input as it is.
                let bytes = change == 0 ? input.bytes : mutator.changed(input.bytes, other)
                let request = Self.request(bytes, token: change % 4 == 3 ? "less" : "secret")
                Mutator.trace(input.name, change)
                let answers: [GatewayResponse?] = [
                    await gateway.respond(to: request), await gateway.respond(toHeadOf: request),
                    await gateway.respondToAdmin(request, localHosts: ["localhost"]),
                ]
                for answer in answers.compactMap({ $0 }) {
                    let fault = Self.fault(in: answer, bytes.count)
                    #expect(fault == nil, "\(input.name), change \(change): \(String(decoding: bytes, as: UTF8.self))")
                }
            }
        }
    }

    /// Returns what is wrong with a response; `nil` for nothing.
    private static func fault(in response: GatewayResponse, _ requestBytes: Int) -> String? {
        guard (200...599).contains(response.status) else { return "the status \(response.status)" }
        let lines = response.headers.map { "\($0): \($1)" } + response.cookies
        guard lines.allSatisfy({ $0.utf8.allSatisfy { (0x20...0x7E).contains($0) } }) else {
            return "a header with other characters than those of ASCII: \(lines)"
        }
        let bytes = response.bytes
        guard let type = response.headers["Content-Type"], type.hasPrefix("application/") else { return nil }
        guard bytes.count <= (1 << 17) + 10 * requestBytes else { return "\(bytes.count) bytes" }
        guard response.status >= 400 else { return nil }
        guard bytes.allSatisfy({ $0 >= 0x20 }) else { return "a control character in JSON" }
        guard var problem = try? AnyJSON(bytes), case .object = problem else { return "no object of JSON" }
        // What `/livez` and `/readyz` say.
        if problem["checks"] != nil { return nil }
        // The status is that of the only command.
        if case .list(let results)? = problem["results"], results.count == 1, let refused = results[0]["refused"],
            case .object = refused
        {
            problem = refused
        } else if type != "application/problem+json" {
            return "no problem, but \(type)"
        }
        guard let detail = problem["detail"]?.text, let reason = problem["reason"]?.text,
            detail.contains(" "), !reason.isEmpty, problem["status"] == .number(response.status)
        else { return "no problem: \(String(decoding: bytes, as: UTF8.self))" }
        return nil
    }

    @Test(
        "begin with requests that pass all checks: only the broker is missing",
        arguments: [
            "show", "put", "patch", "cancel", "dismiss", "answer", "report", "advance", "clear", "suspend", "resume",
            "session", "page", "policy", "alerts", "text-00", "explain", "queue", "list", "state",
        ])
    func accepted(name: String) async throws {
        let input = try #require(Self.corpus.first { $0.name == "seed-\(name)" })
        let response = try await Self.gateway().respond(to: Self.request(input.bytes))
        #expect(
            response.status == 503 && String(decoding: response.bytes, as: UTF8.self).contains("UNAVAILABLE"),
            "\(response.status) \(String(decoding: response.bytes, as: UTF8.self))")
    }

    // MARK: - Readers

    /// Calls a check with the changed parts of all requests.
    private func forChanges(seed: UInt64, _ check: (_ request: GatewayRequest, _ text: String) throws -> Void) throws {
        for (index, input) in Self.corpus.enumerated() {
            var mutator = Mutator(seed: seed << 32 | UInt64(index))
            for change in 0..<Self.changes {
                let other = Self.corpus[mutator.number(below: Self.corpus.count)].bytes
                let request = Self.request(mutator.changed(input.bytes, other))
                let parts = [
                    request.path, request.headers.values.sorted().joined(),
                    String(decoding: request.body, as: UTF8.self),
                ]
                Mutator.trace(input.name, change)
                try check(request, parts[mutator.number(below: parts.count)])
            }
        }
    }

    @Test("a path has a route with a template, or none")
    func routes() throws {
        try forChanges(seed: 1) { request, text in
            for path in [request.path, "/v1/popups/\(text)", "/v1/hooks/\(text)"] {
                let route = try? Route(method: request.method, path: path)
                #expect(route == nil || Route.template(ofPath: path) == route?.template, "\(path)")
            }
        }
    }

    @Test("a query has at most one item between two ampersands, each with a value; what is not encoded stays as it is")
    func queries() throws {
        try forChanges(seed: 2) { _, text in
            let items = QueryItems(text)
            #expect(items.names.count <= text.utf8.count { $0 == UInt8(ascii: "&") } + 1)
            #expect(items.names.allSatisfy { items[$0] == items.all($0).first && items[$0] != nil })
            if !text.utf8.contains(UInt8(ascii: "%")) { #expect(percentDecoded(text) == text) }
            let decoded = percentDecoded(text)
            #expect(decoded.map { $0.utf8.count <= text.utf8.count } ?? true)
        }
    }

    @Test("a time is the same in milliseconds")
    func times() throws {
        try forChanges(seed: 3) { request, text in
            for text in request.query.names.compactMap({ request.query[$0] }) + [String(text.prefix(12))] {
                guard let time = TimeText.milliseconds(text) else { continue }
                #expect(TimeText.milliseconds("\(time)ms") == time, "\(text)")
                #expect(text.first?.isNumber == true && text.last?.isLetter == true)
            }
        }
    }

    @Test("a text in JSON is read as it was, and in one line")
    func quoted() throws {
        try forChanges(seed: 4) { _, text in
            let json = Array("[\(JSONText.quoted(text))]".utf8)
            #expect(json.allSatisfy { $0 >= 0x20 })
            let read = try AnyJSON(json)
            #expect(read == .list([.text(text)]))
        }
    }

    @Test("the id of a request has at most 128 printable bytes, and is kept by the next one who reads it")
    func requestIDs() throws {
        try forChanges(seed: 5) { _, text in
            for header in [text, String(text.prefix(100))] {
                let id = RequestID(header: header)
                #expect((1...128).contains(id.description.utf8.count))
                #expect(id.description.utf8.allSatisfy { (0x21...0x7E).contains($0) })
                #expect(RequestID(header: id.description) == id)
            }
        }
    }

    @Test("a cookie gives back the secret that it was set with, and holds no other characters")
    func cookies() throws {
        try forChanges(seed: 6) { request, text in
            _ = SessionCookie.secret(in: request)
            let secret = AccessToken.secret(authorization: "Bearer \(text)") ?? ""
            guard !secret.isEmpty, let response = try? SessionCookie.setting(secret, in: request) else { return }
            let cookie = try #require(response.cookies.first)
            #expect(cookie.utf8.allSatisfy { (0x20...0x7E).contains($0) })
            let back = GatewayRequest("GET", "/", headers: ["cookie": String(cookie.prefix { $0 != ";" })])
            #expect(SessionCookie.secret(in: back) == secret)
        }
    }

    @Test("a popup of text is a message that can be sent, or a problem")
    func popupsOfText() throws {
        try forChanges(seed: 7) { request, text in
            let popup: WirePopup
            do throws(Problem) { popup = try PopupOfText(request, group: text).popup } catch {
                #expect([400, 415, 422].contains(error.status) && error.detail.contains(" "))
                return
            }
            let json = try? WireJSON.encode(popup)
            let read = json.flatMap { try? WireJSON.decode($0, as: WirePopup.self) }
            #expect(json != nil && json == read.flatMap { try? WireJSON.encode($0) }, "\(popup)")
        }
    }

    @Test("a webhook has at most 256 messages; the texts of its fields are no longer than its values and templates")
    func hooks() throws {
        let templates = try ["{/labels/severity}", "{/a~1b/0}{}", "x"].map { try #require(TextTemplate($0)) }
        try forChanges(seed: 8) { request, text in
            let template = TextTemplate(text)
            let pointer = JSONPointer(text)
            guard let body = try? AnyJSON(request.body) else { return }
            _ = pointer.flatMap { body[$0] }
            for template in templates + (template.map { [$0] } ?? []) {
                let most = (text.utf8.count + 20) * (request.body.count + 40)
                #expect(template.text(for: body).utf8.count <= most)
            }
            for hook in Hook.presets.values {
                guard let messages = try? hook.messages(in: body) else { continue }
                #expect(messages.count <= 256)
                for message in messages { for field in Hook.Field.allCases { _ = hook.text(field, of: message) } }
            }
        }
    }
}
