import NIOCore
import PopupAccess
import PopupClient
import PopupGateway
import Testing

@testable import PopupGatewayServer

@Suite("Configuration")
struct ConfigurationTests {
    @Test("A file sets keys, and the environment goes before it")
    func order() throws {
        let configuration = try GatewayConfiguration(
            yaml: "http:\n  listen: 127.0.0.1:9000\n  hosts: [popups.example]\ntokens: /tmp/a.yaml\n",
            environment: ["POPUP_GATEWAY_TOKENS": "/tmp/b.yaml"])
        #expect(configuration.listen == .host("127.0.0.1", port: 9000))
        #expect(configuration.hosts == ["popups.example"])
        #expect(configuration.tokens == "/tmp/b.yaml")
    }

    @Test(
        "Unknown keys and values that do not fit are mistakes",
        arguments: [
            "htp: {listen: x}", "http: {lisen: 127.0.0.1:1}", "http: {listen: nowhere}", "http: {listen: \"::1:8570\"}",
            "http: {listen: \"[localhost]:1\"}", "drainMs: soon", "- a", "a: [",
            "limits: {connections: 3}", "limits: {heldRequests: none}", "limits: {requestsPerAddress: 0}",
            "limits: {groups: 0}",
            "broker: {ingress: []}", "broker: {egress: [\"tcp://192.0.2.1:1\", \"\"]}", "admin: {listen: systemd}",
            "proxies: [localhost]", "proxies: [\"10.0.0.1:80\"]", "metrics: {groups: [\"a/*\"]}",
        ])
    func mistakes(yaml: String) {
        #expect(throws: GatewayConfiguration.Mistake.self) { try GatewayConfiguration(yaml: yaml, environment: [:]) }
    }

    @Test(
        "Two listeners need two addresses", arguments: ["unix:/run/a.sock", "127.0.0.1:8570", "[::1]:1"])
    func sameAddress(address: String) throws {
        var configuration = try GatewayConfiguration(yaml: "http: {listen: \"\(address)\"}", environment: [:])
        try configuration.check()
        try configuration.set("admin.listen", to: [address])
        #expect(throws: GatewayConfiguration.Mistake.self) { try configuration.check() }
        try configuration.set("http.listen", to: ["127.0.0.1:0"])
        try configuration.set("admin.listen", to: ["127.0.0.1:0"])
        try configuration.check()
    }

    @Test(
        "An endpoint of the broker to which no client can connect is a mistake, in the file and in the environment",
        arguments: [
            "nonsense", "tcp://127.0.0.1", "tcp://127.0.0.1:*", "tcp://127.0.0.1:0", "tcp://127.0.0.1:70000",
            "tcp://:5570/", "tcp://a host:1", "udp://127.0.0.1:1", "ipc://",
            "ipc://" + String(repeating: "x", count: 108),
        ])
    func endpoints(endpoint: String) throws {
        let right = [
            "tcp://127.0.0.1:5570", "tcp://broker.example:65535", "tcp://[::1]:1", "tcp://eth0;192.0.2.1:5570",
            "ipc:///run/popup-broker/ingress", "ipc://@popup", "tcp://192.0.2.1:1, tcp://192.0.2.2:1",
        ]
        for text in right {
            let yaml = "broker: {ingress: \"\(text)\", egress: \"\(text)\"}"
            try GatewayConfiguration(yaml: yaml, environment: [:]).check()
        }
        let variables = [("ingress", BrokerEndpoints.ingressVariable), ("egress", BrokerEndpoints.egressVariable)]
        for (key, variable) in variables {
            let list = "[\"tcp://127.0.0.1:1\", \"\(endpoint)\"]"
            let file = try GatewayConfiguration(yaml: "broker: {\(key): \(list)}", environment: [:])
            let environment = try GatewayConfiguration(yaml: nil, environment: [variable: endpoint])
            for configuration in [file, environment] {
                let mistake = #expect(throws: GatewayConfiguration.Mistake.self) { try configuration.check() }
                #expect(mistake?.description.hasPrefix("`broker.\(key)` has `") == true)
            }
        }
        let none = try GatewayConfiguration(yaml: nil, environment: [BrokerEndpoints.egressVariable: ""])
        #expect(throws: GatewayConfiguration.Mistake.self) { try none.check() }
    }

    @Test("The endpoints of the nodes of a fleet are a list, in the file and in the environment")
    func nodes() throws {
        let file = try GatewayConfiguration(
            yaml: """
                broker:
                  ingress: ["tcp://192.0.2.1:1", "tcp://192.0.2.2:1"]
                  egress: tcp://192.0.2.1:2
                """, environment: ["POPUP_GATEWAY_BROKER_EGRESS": "tcp://192.0.2.1:2,tcp://192.0.2.2:2"])
        #expect(file.broker.ingress == "tcp://192.0.2.1:1,tcp://192.0.2.2:1")
        #expect(file.broker.egress == "tcp://192.0.2.1:2,tcp://192.0.2.2:2")
    }

    @Test("The listener is systemd's socket, or an address, which a flag can set again")
    func systemd() throws {
        var configuration = try GatewayConfiguration(yaml: "http: {listen: systemd}", environment: [:])
        #expect(configuration.needsInheritedSocket)
        #expect(configuration.gatewaySettings.hosts == ["127.0.0.1", "localhost"])
        // It takes no address, so none can be that of the other listener.
        try configuration.set("admin.listen", to: ["127.0.0.1:8570"])
        try configuration.check()
        let address = try GatewayConfiguration(yaml: nil, environment: [:])
        #expect(configuration.fixedKeys(differingFrom: address).contains("http.listen"))
        try configuration.set("http.listen", to: ["127.0.0.1:9000"])
        #expect(!configuration.needsInheritedSocket && configuration.listen == .host("127.0.0.1", port: 9000))
    }

    @Test("An accepted host has no port, and an origin is as browsers send it: no request has others")
    func hostsAndOrigins() throws {
        var configuration = try GatewayConfiguration(yaml: nil, environment: [:])
        func mistake(_ key: String, _ text: String) -> String? {
            #expect(throws: GatewayConfiguration.Mistake.self, "\(text)") { try configuration.set(key, to: [text]) }?
                .description
        }
        try configuration.set("http.hosts", to: ["Popups.example", "192.0.2.1", "[2001:DB8::1]", "popup_host"])
        #expect(configuration.gatewaySettings.hosts.isSuperset(of: ["popups.example", "[2001:db8::1]"]))
        for text in [
            "popups.example:443", "https://popups.example", "popups.example/", "::1", "[::1]:80", "a b", "", "*",
        ] {
            #expect(mistake("http.hosts", text)?.hasPrefix("`http.hosts` has `") == true)
        }
        let origins = [
            "https://Pages.example", "http://pages.example:8080", "http://[2001:db8::1]:443", "http://absolute",
            "capacitor://localhost", "*",
        ]
        try configuration.set("cors.origins", to: origins)
        #expect(configuration.gatewaySettings.origins == Set(origins.map { $0.lowercased() }))
        for text in [
            "https://a.example/", "null", "a.example", "https://a.example:443", "http://a.example:80", "https://", "",
            "https://a.example:70000", "https://*.example", "https://a.example/path", "https://user@a.example",
        ] {
            #expect(mistake("cors.origins", text)?.hasPrefix("`cors.origins` has `\(text)`") == true)
        }
    }

    @Test("A host of icons is a host, with a port or without, as the address of an icon has it")
    func imageHosts() throws {
        var configuration = try GatewayConfiguration(yaml: nil, environment: [:])
        try configuration.set("overlay.imageHosts", to: ["Icons.example", "192.0.2.1:8443", "[2001:db8::1]:80"])
        #expect(configuration.imageHosts == ["icons.example", "192.0.2.1:8443", "[2001:db8::1]:80"])
        for text in ["https://icons.example", "icons.example/", "*.example", "*", "icons.example:", "a b", "", "x;y"] {
            let mistake = #expect(throws: GatewayConfiguration.Mistake.self, "\(text)") {
                try configuration.set("overlay.imageHosts", to: ["icons.example", text])
            }
            #expect(mistake?.description.hasPrefix("`overlay.imageHosts` has `\(text)`") == true)
        }
    }

    @Test("What a running gateway changes is read again, and the rest stays and is named")
    func reload() throws {
        let before = try GatewayConfiguration(yaml: "http: {listen: \"127.0.0.1:1\"}", environment: [:])
        let file = try GatewayConfiguration(
            yaml: """
                http: {listen: "192.0.2.1:2", hosts: [popups.example]}
                admin: {listen: "127.0.0.1:3"}
                broker: {ingress: "tcp://192.0.2.9:1"}
                tokens: /tmp/other.yaml
                proxies: [192.0.2.4]
                cors: {origins: ["https://pages.example"]}
                overlay: {imageHosts: [images.example], themes: /tmp/themes}
                limits:
                  streams: 1
                  streamsPerAddress: 2
                  connections: 30
                  connectionsPerAddress: 4
                  renderers: 5
                  groups: 9
                  requests: 6
                  requestsPerAddress: 7
                  heldRequests: 8
                  stallMs: 900
                metrics: {groups: [lobby]}
                whatIf: {dataDirectory: /tmp/data}
                drainMs: 1
                """, environment: [:])
        let after = before.reloaded(from: file)
        let settings = after.gatewaySettings
        #expect(settings.hosts == ["127.0.0.1", "localhost", "popups.example"])
        #expect(settings.origins == ["https://pages.example"] && settings.imageHosts == ["images.example"])
        #expect([settings.streams, settings.streamsPerAddress, settings.connections] == [1, 2, 30])
        #expect([settings.connectionsPerAddress, settings.renderers, settings.requests] == [4, 5, 6])
        #expect([settings.requestsPerAddress, settings.heldRequests, settings.groups] == [7, 8, 9])
        #expect(after.themes == "/tmp/themes")
        #expect(settings.stall == .milliseconds(900) && settings.metricGroups == [])
        #expect(after.listen == before.listen && after.admin == before.admin && after.tokens == before.tokens)
        #expect(after.proxies == before.proxies && after.drainMs == before.drainMs && after.broker == before.broker)
        #expect(
            file.fixedKeys(differingFrom: before) == [
                "http.listen", "admin.listen", "broker", "tokens", "proxies", "metrics.groups", "whatIf", "drainMs",
            ])
        #expect(after.fixedKeys(differingFrom: before) == [])
    }
}

@Suite("Addresses")
struct AddressTests {
    @Test("An address of IPv6 stands in brackets")
    func brackets() throws {
        let address = try #require(ListenAddress("[::1]:8570"))
        #expect(address == .host("::1", port: 8570) && address.urlHost == "[::1]")
        #expect(ListenAddress("127.0.0.1:80")?.urlHost == "127.0.0.1")
    }

    @Test("An address of loopback has the names of this machine; others may have any, and a socket needs none")
    func localHosts() {
        for text in ["127.0.0.1:8571", "127.1.2.3:1", "[::1]:8571", "localhost:8571"] {
            #expect(ListenAddress(text)?.localHosts?.contains("localhost") == true, "\(text)")
        }
        #expect(ListenAddress("127.1.2.3:1")?.localHosts?.contains("127.1.2.3") == true)
        for text in ["0.0.0.0:8571", "192.0.2.1:8571", "[::]:1", "[2001:db8::1]:1", "host.example:1", "unix:/a"] {
            #expect(ListenAddress(text)?.localHosts == nil, "\(text)")
        }
    }

    @Test("The address of a socket that listens already is its own")
    func inherited() throws {
        let sockets = [
            ("http://127.0.0.1:8570", try SocketAddress(ipAddress: "127.0.0.1", port: 8570)),
            ("http://[::1]:80", try SocketAddress(ipAddress: "::1", port: 80)),
            ("unix:/run/http.sock", try SocketAddress(unixDomainSocketPath: "/run/http.sock")),
        ]
        for (url, socket) in sockets { #expect(ListenAddress(socket)?.url == url) }
        #expect(ListenAddress(nil as SocketAddress?) == nil)
    }

    @Test("A Unix socket has an absolute path that the kernel takes")
    func sockets() {
        #expect(ListenAddress("unix:/run/popup.sock") == .socket(path: "/run/popup.sock"))
        #expect(ListenAddress("unix:/run/popup.sock")?.urlHost == "localhost")
        let longest = "/" + String(repeating: "x", count: 106)
        #expect(ListenAddress("unix:\(longest)") == .socket(path: longest))
        for text in ["unix:", "unix:popup.sock", "unix:\(longest)x"] { #expect(ListenAddress(text) == nil, "\(text)") }
    }
}

@Suite("File of tokens")
struct TokensFileTests {
    private static let hash = TokenHash(of: "secret").text

    @Test("A new token is added behind those that the file has, and the file stays one")
    func adding() throws {
        var text: String?
        for name in ["first", "second"] {
            text = try TokensFile.adding(
                name: name, hash: TokenHash(of: name), rights: ["show", "watch"], groups: ["kitchen", "hall/*"],
                to: text)
        }
        let tokens = try TokensFile.tokens(yaml: try #require(text))
        #expect(tokens.map(\.name.text) == ["first", "second"])
        #expect(tokens.map(\.hash) == [TokenHash(of: "first"), TokenHash(of: "second")])
    }

    @Test(
        "A new token that cannot be there is a mistake",
        arguments: [
            ("first", ["watch"], ["lobby"]), ("two words", ["watch"], ["lobby"]), ("a", ["fly"], ["lobby"]),
            ("a", ["watch"], ["no group"]), ("a", ["watch"], ["\"], x: [\""]),
        ])
    func notAdding(name: String, rights: [String], groups: [String]) throws {
        let text = try TokensFile.adding(
            name: "first", hash: TokenHash(of: "first"), rights: ["watch"], groups: ["lobby"], to: "\n")
        #expect(throws: GatewayConfiguration.Mistake.self) {
            try TokensFile.adding(name: name, hash: TokenHash(of: "a"), rights: rights, groups: groups, to: text)
        }
    }

    @Test("A token has a name, a hash and rights")
    func token() throws {
        let tokens = try TokensFile.tokens(
            yaml:
                "tokens:\n  - name: kiosk\n    sha256: \(Self.hash)\n    may: {watch: [lobby, \"a/*\"]}\n    streams: 4\n"
        )
        #expect(tokens.map(\.name.text) == ["kiosk"])
        #expect(tokens.first?.streams == 4 && tokens.first?.isSeparate == false)
        #expect(TokenTable(tokens).token(authorization: "Bearer secret") != nil)
    }

    @Test("The messages that close their popup are told by `cancel`; the key of before names it")
    func cancel() throws {
        let yaml = { (key: String) in
            """
            tokens:
              - name: doors
                sha256: \(Self.hash)
                may: {show: [x]}
                hook: {group: x, id: y, \(key): {pointer: /kind, is: closed}}
            """
        }
        let hook = try #require(try TokensFile.tokens(yaml: yaml("cancel")).first?.hook)
        #expect(hook.cancel == Hook.Condition(try #require(JSONPointer("/kind")), is: ["closed"]))
        let mistake = #expect(throws: GatewayConfiguration.Mistake.self) {
            try TokensFile.tokens(yaml: yaml("withdraw"))
        }
        #expect(mistake?.description == "`tokens[0].hook.withdraw` is now called `cancel`; rename it")
    }

    @Test("At most 32 tokens have a connection of their own")
    func separate() throws {
        let text = { (count: Int) in
            "tokens:\n"
                + (1...count).map { number in
                    TokensFile.entry(
                        name: "t\(number)", hash: TokenHash(of: "\(number)"), rights: ["show"], groups: ["a"])
                        + "    separate: true\n"
                }.joined()
        }
        #expect(try TokensFile.tokens(yaml: text(32)).allSatisfy(\.isSeparate))
        let mistake = #expect(throws: GatewayConfiguration.Mistake.self) { try TokensFile.tokens(yaml: text(33)) }
        #expect(mistake?.description.contains("`separate: true`") == true)
    }

    @Test(
        "Mistakes are told",
        arguments: [
            "tokens: 3", "token: []", "tokens: [{name: a}]", "tokens: [{name: a, sha256: 12, may: {watch: [x]}}]",
            "tokens: [{name: a, sha256: \(hash), may: {wach: [x]}}]", "tokens: [{name: a, sha256: \(hash), may: {}}]",
            "tokens: [{name: a, sha256: \(hash), may: {watch: [\"a b\"]}}]",
            "tokens: [{name: a, sha256: \(hash), may: {watch: [x]}, secret: 1}]",
            "tokens: [{name: a, sha256: \(hash), may: {show: [x]}, hook: {preset: pager, group: x}}]",
            "tokens: [{name: a, sha256: \(hash), may: {show: [x]}, hook: {preset: github}}]",
            "tokens: [{name: a, sha256: \(hash), may: {show: [x]}, hook: {group: x}}]",
            "tokens: [{name: a, sha256: \(hash), may: {show: [x]}, hook: {group: x, id: \"{id}\"}}]",
            "tokens: [{name: a, sha256: \(hash), may: {show: [x]}, hook: {group: x, id: y, when: {pointer: /a}}}]",
            "tokens: [{name: a, sha256: \(hash), may: {show: [x]}, separate: maybe}]",
            "tokens: [{name: a, may: {show: [x]}, hook: {group: x, id: y}}]",
            "tokens: [{name: a, may: {show: [x]}, hook: {group: x, id: y, signature: {header: s, secretFile: /no}}}]",
        ])
    func mistakes(yaml: String) {
        #expect(throws: GatewayConfiguration.Mistake.self) { try TokensFile.tokens(yaml: yaml) }
    }
}
