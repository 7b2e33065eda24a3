import Foundation
import PopupBroker
import PopupConfiguration
import SystemCalls
import Testing

@Suite("A bad configuration: every mistake with its place, its key, what is wrong and what to do")
struct ProblemsTests {
    @Test("All mistakes of a file are reported, not only the first")
    func all() throws {
        let found = try problems(
            """
            ingress:
              endpont: tcp://127.0.0.1:1
            egress:
              endpoint: udp://127.0.0.1:1
            limits:
              groups: many
              suspensions: -1
              popups: [1]
            logs:
              level: info
            log:
              level: loud
            policies:
              - group: "*"
                hihger: STOP
                lower: SOMETIMES
                maxWaiting: few
                ignorePriority: yes
              - preset: FIFO
            """)
        #expect(
            found == [
                "FILE:2: ingress.endpont: there is no such setting; did you mean `ingress.endpoint`?",
                "FILE:4: egress.endpoint: is \"udp://127.0.0.1:1\", but must be tcp://ADDRESS:PORT "
                    + "(ADDRESS * for all interfaces, PORT 1 to 65535 or * for a free port) or ipc://PATH",
                "FILE:6: limits.groups: is \"many\", but must be a whole number of groups from 1 to 100000000",
                "FILE:7: limits.suspensions: is \"-1\", but must be a whole number of tokens from 0 to 1000000",
                "FILE:8: limits.popups: must be a single value",
                "FILE:9: logs: there is no such section; did you mean `log`?",
                "FILE:12: log.level: is \"loud\", but must be one of "
                    + "trace, debug, info, notice, warning, error, critical",
                "FILE:15: policies[0].hihger: there is no such field; did you mean `higher`?",
                "FILE:16: policies[0].lower: is \"SOMETIMES\", but must be one of STOP, PAUSE, DEFER, NEVER",
                "FILE:17: policies[0].maxWaiting: is \"few\", but must be a whole number from 0 to 4294967295",
                "FILE:18: policies[0].ignorePriority: is \"yes\", but must be true or false",
                "FILE:19: policies[1]: `group` is missing; name a group, a pattern like `store-12/*`, or `*`",
            ])
    }

    @Test("What is not YAML is named with its line")
    func syntax() throws {
        #expect(try problems("log:\n  level: [info\n").map { $0.prefix(21) } == ["FILE:3: is not YAML: "])
        #expect(
            try problems("log:\n  level: info\n  level: info\n") == [
                "FILE:2: has the key `level` twice in one mapping; remove one of them"
            ])
        #expect(
            try problems("- 1") == ["FILE:1: must be a mapping, for example `log:` with `level: info` below it"])
    }

    @Test("A pipe is not read again: a reload would find nothing, and remove every policy")
    func pipe() throws {
        let pipe = FileManager.default.temporaryDirectory.appending(path: "configuration-\(UUID().uuidString)").path
        #expect(mkfifo(pipe, 0o600) == 0)
        defer { unlink(pipe) }
        let error = #expect(throws: ConfigurationError.self) { try ConfigurationLoader(file: pipe).reload() }
        #expect(error?.description.contains("is a pipe, which cannot be read again") == true)
    }

    @Test("A file that isn't there")
    func missing() {
        #expect(throws: ConfigurationError.self) { try ConfigurationLoader(file: "/nowhere/broker.yaml").load() }
        do throws(ConfigurationError) {
            _ = try ConfigurationLoader(file: "/nowhere/broker.yaml").load()
        } catch {
            #expect(
                error.description == "/nowhere/broker.yaml: cannot be read: it does not exist; check the path")
        }
    }

    @Test("Mistakes in variables and flags name them")
    func otherSources() {
        let loader = ConfigurationLoader(
            environment: ["POPUP_BROKER_LOG_FORMAT": "xml"],
            flags: [.init(key: "limit.groups", value: "1", spelling: "--set limit.groups")])
        do throws(ConfigurationError) {
            _ = try loader.load()
            Issue.record("it was accepted")
        } catch {
            #expect(
                error.problems.map(\.description) == [
                    "environment variable POPUP_BROKER_LOG_FORMAT: log.format: is \"xml\", but must be one of text, json",
                    "--set limit.groups: limit.groups: there is no such setting; did you mean `limits.groups`?",
                ])
        }
    }

    @Test("Both sockets at one place")
    func collision() throws {
        #expect(
            try problems("egress:\n  endpoint: tcp://127.0.0.1:5570\n") == [
                "FILE:2: egress.endpoint: is the same as ingress.endpoint; give each socket an endpoint of its own"
            ])
        #expect(try problems("ingress:\n  endpoint: tcp://127.0.0.1:*\negress:\n  endpoint: tcp://127.0.0.1:*\n") == [])
    }

    @Test(
        "Endpoints that can't be bound",
        arguments: [
            "", "5570", "tcp://", "tcp://:5570", "tcp://host", "tcp://host:port", "tcp://host:65536", "ipc://",
            "inproc://x", "ipc:///" + String(repeating: "x", count: 107),
        ])
    func badEndpoints(endpoint: String) {
        let loader = ConfigurationLoader(flags: [
            .init(key: "ingress.endpoint", value: endpoint, spelling: "--ingress")
        ])
        #expect(throws: ConfigurationError.self) { try loader.load() }
    }

    @Test(
        "Endpoints with the name of a machine: an address is needed",
        arguments: [
            ("tcp://localhost:5570", "use tcp://127.0.0.1:5570"),
            ("tcp://broker.example:*", "use one of this machine, or tcp://*:*"),
        ])
    func hostNames(endpoint: String, advice: String) {
        let loader = ConfigurationLoader(flags: [
            .init(key: "ingress.endpoint", value: endpoint, spelling: "--ingress")
        ])
        let error = #expect(throws: ConfigurationError.self) { try loader.load() }
        #expect(error?.problems.map { "\($0)" }.joined().hasSuffix("bound to an address; \(advice)") == true)
    }

    @Test(
        "Endpoints that can",
        arguments: [
            "tcp://eth0.100:1", "tcp://10.1.2.3:*", "tcp://*:5570", "tcp://[::1]:0", "tcp://eth0:1",
            "ipc:///run/popup/in",
        ])
    func goodEndpoints(endpoint: String) throws {
        let loader = ConfigurationLoader(flags: [
            .init(key: "ingress.endpoint", value: endpoint, spelling: "--ingress"),
            .init(key: "security.allowPlainNetwork", value: "true", spelling: "--set"),
        ])
        #expect(try loader.load().configuration.broker.endpoints.ingress == endpoint)
    }

    @Test("Settings in mappings of mappings, and defaults by group")
    func nested() throws {
        let found = try problems(
            """
            quotas:
              perProducer: {burst: 3, brust: 4}
              anonymous: 5
              both: {burst: 1}
            defaults:
              - group: "*"
                durationMs: long
                presentation: {scene: TOP, titel: Hello}
              - group: lobby
                id: one
            """)
        #expect(
            found == [
                "FILE:2: quotas.perProducer.brust: there is no such setting; did you mean `quotas.perProducer.burst`?",
                "FILE:3: quotas.anonymous: must be a mapping of settings",
                "FILE:4: quotas.both: there is no such setting; the known ones are `quotas.producers`, "
                    + "`quotas.perProducer.commandsPerSecond`, `quotas.perProducer.burst`, `quotas.perProducer.livePopups`, "
                    + "`quotas.anonymous.commandsPerSecond`, `quotas.anonymous.burst`, `quotas.anonymous.livePopups`",
                "FILE:7: defaults[0].durationMs: is \"long\", but must be a whole number from 0 to 4294967295",
                "FILE:8: defaults[0].presentation.scene: is \"TOP\", but must be one of "
                    + "CENTER, BOTTOM_SHEET, TOP_BAR, FULL_SCREEN",
                "FILE:8: defaults[0].presentation.titel: there is no such field; did you mean `title`?",
                "FILE:10: defaults[1]: `id` cannot have a default; each popup has its own",
            ])
    }
}
