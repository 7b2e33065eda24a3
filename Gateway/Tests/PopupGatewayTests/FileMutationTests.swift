import PopupAccess
import PopupGateway
import PopupGatewayServer
import PopupProtocol
import Testing

/// The files of a gateway, changed by a generator with a seed: a fuzz test without coverage. A trap ends the tests: with the
/// variable `TRACE_INPUTS`, the last line names the input.
@Suite("Changed files", .serialized)
struct FileMutationTests {
    /// The changes of each input.
    private static let changes = 400

    private static let tokens: [String] = {
        let (first, second) = (TokenHash(of: "first").text, TokenHash(of: "second").text)
        return [
            TokensFile.entry(
                name: "first", hash: TokenHash(of: "first"), rights: ["show", "watch"], groups: ["kitchen", "hall/*"]),
            """
              - name: first
                sha256: \(first)
                may: {watch: [lobby, "a/*"], render: [lobby], control: ["*"]}
                maxPriority: -2147483648
                streams: 100000
                requests: 1000000
                separate: true
              - {name: second, sha256: "\(second)", may: {show: [b]}, streams: 0, requests: 1, separate: no}

            """,
            """
              - name: alerts
                sha256: &hash \(first)
                may: &may {show: [alerts, "alerts/*"], dismiss: [alerts]}
                hook:
                  preset: alertmanager
                  group: alerts{/labels/group}
                  when: {pointer: /labels/severity, is: [critical, warning]}
                  cancel: {pointer: /status, is: resolved}
                  each: /alerts
              - name: more
                sha256: \(second)
                may: *may
                hook: {group: "{/g}", id: "{/n}", title: "{/list/0/x}", text: "{/m~1~0n} {}", duration: "{/time}"}

            """,
        ].map { "tokens:\n" + $0 }
    }()

    private static let configurations = [
        """
        http: {listen: "127.0.0.1:8570", hosts: [popups.example, localhost]}
        admin: {listen: "[::1]:8571"}
        broker:
          ingress: [tcp://a:5570, tcp://b:5570]
          egress: [tcp://a:5571, tcp://b:5571]
          keyFile: me.key
          serverKeyFile: broker.key
        tokens: /etc/popup-gateway/tokens.yaml
        proxies: [192.0.2.7, "2001:db8::1", unix]
        cors: {origins: ["https://pages.example"]}
        overlay: {imageHosts: ["icons.example:8443", "[2001:db8::2]"], themes: /themes}
        metrics: {groups: [lobby, store/1]}
        whatIf: {dataDirectory: /data, program: popup-broker}
        drainMs: 5000

        """,
        """
        http:
          listen: unix:/run/popup-gateway/http.sock
        admin.listen: 127.0.0.1:8571
        limits: {streams: 1, streamsPerAddress: 100000, connections: 16, connectionsPerAddress: 1, renderers: 100000,
          groups: 1000000, requests: 1, requestsPerAddress: 1000000, heldRequests: 1, stallMs: 600000}

        """,
    ]

    /// Calls a check with each input as it is, and with its changed copies. Returns how many of each are accepted.
    private func forChanges(
        of inputs: [String], seed: UInt64, _ isAccepted: (_ text: String, _ comment: Comment) throws -> Bool
    ) throws -> (whole: Int, changed: Int) {
        var accepted = (whole: 0, changed: 0)
        for (index, input) in inputs.enumerated() {
            if try isAccepted(input, "input \(index)") { accepted.whole += 1 }
            var mutator = Mutator(seed: seed << 32 | UInt64(index))
            for change in 0..<Self.changes {
                let other = inputs[mutator.number(below: inputs.count)]
                let bytes = mutator.changed(Array(input.utf8), Array(other.utf8))
                Mutator.trace("\(index)", change)
                if try isAccepted(String(decoding: bytes, as: UTF8.self), "input \(index), change \(change)") {
                    accepted.changed += 1
                }
            }
        }
        return accepted
    }

    @Test("of tokens are refused with a sentence, or give each token a name and a hash of its own, rights and limits")
    func tokens() throws {
        let accepted = try forChanges(of: Self.tokens, seed: 1) { text, comment in
            let tokens: [AccessToken]
            do throws(GatewayConfiguration.Mistake) { tokens = try TokensFile.tokens(yaml: text) } catch {
                #expect(error.description.contains(" "), comment)
                return false
            }
            #expect(Set(tokens.map(\.name)).count == tokens.count, comment)
            #expect(Set(tokens.map(\.hash)).count == tokens.count, comment)
            #expect(tokens.count(where: \.isSeparate) <= AccessToken.maxSeparate, comment)
            for token in tokens {
                #expect(token.hash.text.utf8.count == 64 && !token.access.grants.isEmpty, comment)
                #expect(0...100_000 ~= token.streams && 1...1_000_000 ~= token.requests ?? 1, comment)
                #expect(token.hook.map { $0.fields[.group] != nil && $0.fields[.id] != nil } != false, comment)
            }
            return !tokens.isEmpty
        }
        #expect(accepted.whole == Self.tokens.count && accepted.changed > 10, "\(accepted)")
    }

    @Test("of configuration are refused with a sentence, or say what is within the limits")
    func configurations() throws {
        let accepted = try forChanges(of: Self.configurations, seed: 2) { text, comment in
            do throws(GatewayConfiguration.Mistake) {
                let read = try GatewayConfiguration(yaml: text, environment: [:])
                #expect(1...100_000 ~= read.streams && 16...1_000_000 ~= read.connections ?? 16, comment)
                #expect(100...600_000 ~= read.stallMs && 0...60_000 ~= read.drainMs, comment)
                #expect(read.metricGroups.count <= 100 && !read.tokens.isEmpty, comment)
                try read.check()
                return true
            } catch {
                #expect(error.description.contains(" "), comment)
                return false
            }
        }
        #expect(accepted.whole == Self.configurations.count && accepted.changed > 10, "\(accepted)")
    }
}
