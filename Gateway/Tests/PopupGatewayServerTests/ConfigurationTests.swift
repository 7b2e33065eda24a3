import PopupAccess
import PopupGateway
import PopupGatewayServer
import Testing

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
            "proxies: [localhost]", "proxies: [\"10.0.0.1:80\"]", "metrics: {groups: [\"a/*\"]}",
        ])
    func mistakes(yaml: String) {
        #expect(throws: GatewayConfiguration.Mistake.self) { try GatewayConfiguration(yaml: yaml, environment: [:]) }
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

    @Test("A socket in the file system has an absolute path that the kernel takes")
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
        #expect(tokens.first?.streams == 4)
        #expect(TokenTable(tokens).token(authorization: "Bearer secret") != nil)
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
            "tokens: [{name: a, may: {show: [x]}, hook: {group: x, id: y}}]",
            "tokens: [{name: a, may: {show: [x]}, hook: {group: x, id: y, signature: {header: s, secretFile: /no}}}]",
        ])
    func mistakes(yaml: String) {
        #expect(throws: GatewayConfiguration.Mistake.self) { try TokensFile.tokens(yaml: yaml) }
    }
}
