import PopupConfiguration
import Testing
import ZeroMQ

@Suite("The section `security`: keys and users")
struct SecurityTests {
    private static let key = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7"
    private static let otherKey = "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID"

    private func security(_ text: String) throws -> Security {
        try withFile(text) { try ConfigurationLoader(file: $0).load().configuration.security }
    }

    @Test("is read whole")
    func whole() throws {
        let security = try security(
            """
            security:
              curve:
                secretKeyFile: /etc/popup-broker/broker.key
              ipcMode: 0600
              users:
                - name: freight
                  publicKey: "\(Self.key)"
                - {name: lobby, publicKey: "\(Self.otherKey)"}
            """)
        #expect(security.secretKeyFile == "/etc/popup-broker/broker.key")
        #expect(security.ipcMode == 0o600)
        #expect(security.usesCurve)
        #expect(security.users.map { "\($0.name)" } == ["freight", "lobby"])
        #expect(security.users.map(\.publicKey.description) == [Self.key, Self.otherKey])
        let user = try security.usersByKey[#require(CurvePublicKey(Self.otherKey))]
        #expect(user.map { "\($0)" } == "lobby")
    }

    @Test("Without it there are no keys", arguments: ["log:\n  level: info", "security:", "security:\n  users: []"])
    func absent(_ text: String) throws {
        #expect(try security(text) == Security())
    }

    @Test("A broker with a key and without users is told that nobody can connect")
    func nobody() throws {
        func warnings(_ text: String) throws -> [String] {
            try withFile(text) { try ConfigurationLoader(file: $0).load().warnings }
        }
        let curve = "security:\n  curve:\n    secretKeyFile: broker.key\n"
        #expect(try warnings(curve) == ["security.users names nobody, so that nobody can connect over TCP"])
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
                  key: "\(Self.key)"
                - name: three
                  publicKey: "\(Self.key)"
                - name: four
                  publicKey: "\(Self.key)"
                - name: three
                  publicKey: "\(Self.otherKey)"
            """)
        let demand = "must be 40 characters of Z85, as `popup-broker keys public FILE` prints them"
        #expect(
            found == [
                "FILE:4: security.ipcMode: is \"0999\", but must be an octal number of chmod that lets the owner read "
                    + "and write, such as 0660",
                "FILE:5: security.allowPlainNetwork: is \"maybe\", but must be true or false",
                "FILE:7: security.users[0].name: is \"two words\", but must be 1 to 64 of A–Z a–z 0–9 . _ -",
                "FILE:9: security.users[1]: `publicKey` is missing; it \(demand)",
                "FILE:12: security.users[2].key: there is no such field; the known ones are `name`, `publicKey`",
                "FILE:11: security.users[2].publicKey: is \"short\", but \(demand)",
                "FILE:7: security.users: gives `three` and `four` one key; give each a key of its own",
                "FILE:7: security.users: has the user `three` twice; join them",
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
                "FILE: security.users: names users, whose keys nobody asks for; set security.curve.secretKeyFile"
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
                "FILE:2: ingress.endpoint: \(endpoint) can be reached over the network, and whoever reaches it may do "
                    + "everything; set security.curve.secretKeyFile, or security.allowPlainNetwork: true where the "
                    + "network is trusted"
            ])
        #expect(try problems(plain + "security:\n  allowPlainNetwork: true\n") == [])
        #expect(try problems(plain + "security:\n  curve:\n    secretKeyFile: broker.key\n") == [])
    }

    @Test(
        "An endpoint that only this machine can reach needs neither",
        arguments: [
            "tcp://127.0.0.1:*", "tcp://127.1.2.3:5570", "tcp://[::1]:5570", "tcp://localhost:5570", "ipc:///tmp/x",
        ])
    func localEndpoints(_ endpoint: String) throws {
        #expect(try problems("ingress:\n  endpoint: \"\(endpoint)\"\n") == [])
    }
}
