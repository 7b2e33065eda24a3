import CurveKeys
import PopupAccess
import PopupBroker
import PopupConfiguration
import PopupProtocol
import Testing

@Suite("The section `security`: keys, users, roles")
struct SecurityTests {
    private static let key = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7"
    private static let otherKey = "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID"

    private static let office = """
        security:
          curve:
            secretKeyFile: /etc/popup-broker/broker.key
          ipcMode: 0600
          users:
            - name: freight
              publicKey: "\(key)"
              roles: [freight-office, lobby-screen]
          roles:
            freight-office:
              - groups: ["freight/*"]
                may: [show, update, dismiss, watch, query]
                maxPriority: 5
                exclusive: GROUP
                own: true
            lobby-screen:
              - groups: ["lobby"]
                may: [watch, render]
            operator:
              - groups: ["*"]
                may: [all]
          anonymous: [lobby-screen]
        """

    private func security(_ text: String) throws -> Security {
        try withFile(text) { try ConfigurationLoader(file: $0).load().configuration.security }
    }

    @Test("is read whole")
    func whole() throws {
        let security = try security(Self.office)
        #expect(security.secretKeyFile == "/etc/popup-broker/broker.key")
        #expect(security.ipcMode == 0o600)
        #expect(security.usesCurve)
        let rules = try security.rules()
        let user = rules.access(of: UserName("freight"))
        #expect(
            user.grants == [
                Grant(
                    groups: [GroupPattern("freight/*")!], rights: Rights([.show, .update, .dismiss, .watch, .query]),
                    maxPriority: 5, exclusive: .group, ownPopupsOnly: true),
                Grant(groups: [GroupPattern("lobby")!], rights: Rights([.watch, .render])),
            ])
        #expect(rules.access(of: nil).grants.count == 1)
        #expect(security.roles["operator"] == [.everything])
        #expect(try security.usersByKey[#require(CurvePublicKey(Self.key))] == UserName("freight"))
    }

    @Test("A user without the field `roles` may do everything; with an empty list, nothing")
    func withoutRoles() throws {
        let rules = try security(
            """
            security:
              curve: {secretKeyFile: broker.key}
              users:
                - {name: one, publicKey: "\(Self.key)"}
                - {name: two, publicKey: "\(Self.otherKey)", roles: []}
            """
        ).rules()
        #expect(rules.access(of: UserName("one")) == .unrestricted)
        #expect(rules.access(of: UserName("two")) == .nothing)
        #expect(!rules.isOpen)
    }

    @Test("What check-config lists is read as the same")
    func listing() throws {
        try withFile(Self.office) { file in
            let loaded = try ConfigurationLoader(file: file).load()
            let again = try withFile(loaded.listing()) { try ConfigurationLoader(file: $0).load() }
            #expect(again.configuration.security == loaded.configuration.security)
            #expect(again.configuration.broker.access == loaded.configuration.broker.access)
        }
    }

    @Test("Without it everybody may do everything, from this machine")
    func absent() throws {
        #expect(try security("log:\n  level: info").rules().isOpen)
        #expect(try security("security:\n  anonymous: []").rules().access(of: nil) == .nothing)
    }

    @Test("A broker with a key and without users is told that nobody can connect")
    func nobody() throws {
        func warnings(_ text: String) throws -> [String] {
            try withFile(text) { try ConfigurationLoader(file: $0).load().warnings }
        }
        let curve = "security:\n  curve:\n    secretKeyFile: broker.key\n"
        #expect(try warnings(curve) == ["security.users is empty, so no client can connect over TCP"])
        #expect(try warnings(curve + "ingress: {endpoint: ipc:///tmp/in}\negress: {endpoint: ipc:///tmp/out}\n") == [])
    }

    @Test("Every mistake is told with its place and what to do")
    func mistakes() throws {
        let found = try problems(
            """
            security:
              curve:
                secretKeyFile: broker.key
              ipcMode: 0999
              allowPlainNetwork: maybe
              users:
                - name: "two words"
                  publicKey: "\(Self.key)"
                - name: one
                - name: two
                  publicKey: "short"
                  rolls: [screen]
                - name: three
                  publicKey: "\(Self.key)"
                  roles: [scren]
                - name: four
                  publicKey: "\(Self.key)"
              roles:
                screen:
                  - groups: ["lobby", "lob by"]
                    may: [watch, rendr]
                    maxPriority: high
                  - groups: ["lobby"]
                    may: [all]
                    exclusive: ALL
                  - may: [watch]
              anonymous: [guest]
            """)
        let demand = "must be 40 characters of Z85, as `popup-broker keys public FILE` prints them"
        #expect(
            found == [
                "FILE:4: security.ipcMode: is \"0999\", but must be an octal number of chmod that lets the owner read "
                    + "and write, such as 0660",
                "FILE:5: security.allowPlainNetwork: is \"maybe\", but must be true or false",
                "FILE:7: security.users[0].name: is \"two words\", but must be 1 to 64 of A–Z a–z 0–9 . _ -",
                "FILE:9: security.users[1]: `publicKey` is missing; it \(demand)",
                "FILE:12: security.users[2].rolls: there is no such field; did you mean `roles`?",
                "FILE:11: security.users[2].publicKey: is \"short\", but \(demand)",
                "FILE:7: security.users: gives `three` and `four` one key; give each a key of its own",
                "FILE:20: security.roles.screen[0].groups: \"lob by\" is not a valid group name or pattern, such as lobby, "
                    + "store-12/* or *",
                "FILE:21: security.roles.screen[0].may: there is no right `rendr`; did you mean `render`?",
                "FILE:22: security.roles.screen[0].maxPriority: is \"high\", but must be a whole number from "
                    + "-2147483648 to 2147483647",
                "FILE:23: security.roles.screen[1]: gives exclusive ALL, which reaches every group; it must name the "
                    + "group pattern \"*\"",
                "FILE:26: security.roles.screen[2]: names no groups; list at least one pattern, such as \"lobby\" or "
                    + "\"*\"",
                "FILE: security.users, user three: there is no role `scren`; did you mean `screen`?",
                "FILE: security.anonymous: there is no role `guest`; the known ones are `screen`",
            ])
    }

    @Test("Users without a key of the broker are a mistake")
    func usersWithoutKey() throws {
        let found = try problems(
            """
            security:
              users:
                - name: one
                  publicKey: "\(Self.otherKey)"
            """)
        #expect(
            found == [
                "FILE: security.users: names users, but without security.curve.secretKeyFile no key is checked; set it"
            ])
    }

    @Test(
        "An endpoint that others can reach needs keys, or a word that the network is trusted",
        arguments: [
            "tcp://*:5570", "tcp://0.0.0.0:5570", "tcp://192.168.1.5:5570", "tcp://eth0:5570", "tcp://[::]:5570",
        ])
    func protectedMode(_ endpoint: String) throws {
        let plain = "ingress:\n  endpoint: \"\(endpoint)\"\n"
        #expect(
            try problems(plain) == [
                "FILE:2: ingress.endpoint: \(endpoint) can be reached over the network, and every client that reaches "
                    + "it may do everything; set security.curve.secretKeyFile, or security.allowPlainNetwork: true where the "
                    + "network is trusted"
            ])
        #expect(try problems(plain + "security:\n  allowPlainNetwork: true\n") == [])
        #expect(try problems(plain + "security:\n  curve:\n    secretKeyFile: broker.key\n") == [])
    }

    @Test(
        "An endpoint that only this machine can reach needs neither",
        arguments: [
            "tcp://127.0.0.1:*", "tcp://127.1.2.3:5570", "tcp://[::1]:5570", "ipc:///tmp/x",
        ])
    func localEndpoints(_ endpoint: String) throws {
        #expect(try problems("ingress:\n  endpoint: \"\(endpoint)\"\n") == [])
    }

    @Test("An endpoint without a file has no permissions, and is refused")
    func abstractEndpoint() throws {
        #expect(
            try problems("ingress:\n  endpoint: \"ipc://@x\"\n") == [
                "FILE:2: ingress.endpoint: is \"ipc://@x\", but has no file, and so no permissions: any program of the "
                    + "machine could connect; use ipc:// and a path"
            ])
    }

    @Test(
        "A grant of everything closes popups everywhere, unless it has a limit or says how far",
        arguments: [
            ("", Grant.ExclusiveReach.all), (", own: false", .all), (", own: true", .none), (", maxPriority: 5", .none),
            (", exclusive: GROUP", .group), (", own: true, exclusive: ALL", .all),
        ])
    func reachOfEverything(_ fields: String, reach: Grant.ExclusiveReach) throws {
        let text = "security:\n  roles:\n    operator: [{groups: [\"*\"], may: [all]\(fields)}]\n"
        #expect(try security(text).roles["operator"]?.map(\.exclusive) == [reach])
    }
}
