import Foundation
import PopupClient
import TestPrograms
import Testing
import ZeroMQ

@Suite("popup-broker run with keys", .timeLimit(.minutes(5)))
struct SecurityTests {
    /// A directory with key files, which goes with it.
    private final class Keys {
        let directory: String

        init() throws {
            directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        }

        deinit { try? FileManager.default.removeItem(atPath: directory) }

        func path(_ name: String) -> String { "\(directory)/\(name)" }

        /// Makes a key. Returns the public one, which is also in a file of its own.
        func make(_ name: String) throws -> String {
            let keys = try CurveKeyPair.random()
            try KeyFile(path("\(name).key")).create(keys)
            try "\(keys.publicKey)\n".write(toFile: path("\(name).pub"), atomically: false, encoding: .utf8)
            return "\(keys.publicKey)"
        }

        func configuration(_ users: [(name: String, key: String)]) -> String {
            """
            security:
              curve: {secretKeyFile: "\(path("broker.key"))"}
              users:
            \(users.map { "    - {name: \($0.name), publicKey: \"\($0.key)\"}\n" }.joined())
            """
        }

        func endpoints(of broker: RunningBroker, key: String, server: String = "broker") -> BrokerEndpoints {
            BrokerEndpoints(
                ingress: broker.ingress, egress: broker.egress, keyFile: path("\(key).key"),
                serverKeyFile: path("\(server).pub"))
        }
    }

    /// Returns why a client cannot connect.
    private func failure(of endpoints: BrokerEndpoints) async throws -> ClientError? {
        let admin = try AdminClient(endpoints)
        let end = ContinuousClock.now + .seconds(60)
        while true {
            do {
                try await admin.connected(timeout: .seconds(2))
                await admin.close()
                return nil
            } catch let error as ClientError {
                // On a busy machine, no handshake may have ended in that time.
                if case .notConnected = error, ContinuousClock.now < end { continue }
                await admin.close()
                return error
            }
        }
    }

    @Test("An address that others can reach, without keys: one sentence with the two ways out, exit 78")
    func protectedMode() async throws {
        let broker = try await Program.run("run", "--ingress", "tcp://*:*", "--egress", "tcp://127.0.0.1:*")
        #expect(broker.status == 78)
        #expect(broker.output == [])
        #expect(
            broker.errors == [
                "popup-broker: --ingress: ingress.endpoint: tcp://*:* can be reached over the network, and every client that "
                    + "reaches it may do everything; set security.curve.secretKeyFile, or security.allowPlainNetwork: "
                    + "true where the network is trusted"
            ])
        let trusting = try await RunningBroker(
            ingress: "tcp://*:*", arguments: ["--set", "security.allowPlainNetwork=true"])
        trusting.signal(SIGTERM)
        #expect(await trusting.exitStatus() == 0)
    }

    @Test("A key of the broker that others can read: exit 77; none there: 66; none in it: 65; nothing is bound")
    func keyOfBroker() async throws {
        let keys = try Keys()
        _ = try keys.make("broker")
        func run(_ file: String) async throws -> Program {
            try await Program.run("run", "--set", "security.curve.secretKeyFile=\(keys.path(file))")
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: keys.path("broker.key"))
        let open = try await run("broker.key")
        #expect(open.status == 77)
        #expect(open.output == [])
        #expect(open.errors.last?.contains("its mode 0640 lets others use it; run `chmod 600") == true)
        #expect(try await run("none.key").status == 66)
        #expect(try await run("broker.pub").status == 65)
    }

    @Test("A user works with it; others are told in one sentence what is wrong")
    func clients() async throws {
        let keys = try Keys()
        _ = try keys.make("broker")
        _ = try keys.make("stranger")
        let file = try TemporaryFile(keys.configuration([("freight", try keys.make("freight"))]))
        let broker = try await RunningBroker("--config", file.path)

        let user = try AdminClient(keys.endpoints(of: broker, key: "freight"), limits: .patient)
        try await user.connected(timeout: .seconds(60))
        #expect(try await user.count() == 0)
        await user.close()

        let ingress = broker.ingress
        #expect(
            try await failure(of: keys.endpoints(of: broker, key: "stranger"))
                == .handshakeFailed(endpoint: ingress, .denied))
        #expect(
            try await failure(of: keys.endpoints(of: broker, key: "freight", server: "stranger"))
                == .handshakeFailed(endpoint: ingress, .ended))
        #expect(try await failure(of: broker.endpoints) == .handshakeFailed(endpoint: ingress, .mechanism))
        // Each of them is counted, and told to whoever operates the broker.
        try await broker.logged("is not one of a user")
        let counter = try AdminClient(keys.endpoints(of: broker, key: "freight"), limits: .patient)
        #expect(try await counter.statistics().connectionsCut >= 2)
        await counter.close()
    }

    @Test("SIGHUP lets new users in, who have been waiting, and ends those that are gone; a bad file changes nothing")
    func reload() async throws {
        let keys = try Keys()
        _ = try keys.make("broker")
        let (freight, lobby) = (try keys.make("freight"), try keys.make("lobby"))
        let file = try TemporaryFile(keys.configuration([("freight", freight)]))
        let broker = try await RunningBroker("--config", file.path)
        // The last request is never answered: the test waits for the whole time.
        var limits = ClientLimits.patient
        limits.replyTimeout = .seconds(10)
        let one = try AdminClient(keys.endpoints(of: broker, key: "freight"), limits: limits)
        try await one.connected(timeout: .seconds(60))
        let other = try AdminClient(keys.endpoints(of: broker, key: "lobby"), limits: .patient)
        await #expect(throws: ClientError.handshakeFailed(endpoint: broker.ingress, .denied)) {
            try await other.connected(timeout: .seconds(5))
        }

        try file.write("security: {users: [{name: lobby}]}")
        broker.signal(SIGHUP)
        try await broker.logged("configuration not reloaded")
        #expect(try await one.count() == 0)

        try file.write(keys.configuration([("lobby", lobby)]))
        broker.signal(SIGHUP)
        try await broker.logged("the rights of its user have changed")
        try await other.connected(timeout: .seconds(60))
        #expect(try await other.count() == 0)
        await #expect(throws: ClientError.self) { try await one.count() }
        await one.close()
        await other.close()
    }

    private func isDenied(_ error: any Error) -> Bool {
        guard case .refused(let refusal)? = error as? ClientError else { return false }
        return refusal.reason == .permissionDenied
    }

    @Test("Roles decide what a user may do; SIGHUP changes them")
    func roles() async throws {
        let keys = try Keys()
        _ = try keys.make("broker")
        let (freight, lobby) = (try keys.make("freight"), try keys.make("lobby"))
        func configuration(maximum: Int) -> String {
            """
            security:
              curve: {secretKeyFile: "\(keys.path("broker.key"))"}
              users:
                - {name: freight, publicKey: "\(freight)", roles: [office]}
                - {name: lobby, publicKey: "\(lobby)", roles: [screen]}
              roles:
                office: [{groups: ["freight/*"], may: [show, update, query], maxPriority: \(maximum)}]
                screen: [{groups: ["lobby"], may: [watch, render, query]}]
            """
        }
        let file = try TemporaryFile(configuration(maximum: 5))
        let broker = try await RunningBroker("--config", file.path)
        let office = try AdminClient(keys.endpoints(of: broker, key: "freight"), limits: .patient)
        let screen = try AdminClient(keys.endpoints(of: broker, key: "lobby"), limits: .patient)
        try await office.show(Popup(id: "A", group: "freight/1", priority: 5, text: "A"))
        await #expect { try await office.show(Popup(id: "B", group: "freight/1", priority: 6, text: "B")) } throws: {
            isDenied($0)
        }
        await #expect { try await office.show(Popup(id: "C", group: "lobby", text: "C")) } throws: {
            isDenied($0)
        }
        #expect(try await office.whoami().user == "freight")
        #expect(try await office.explain("A").user == "freight")
        // What a user may not see is not there.
        #expect(try await screen.explain("A").phase == .unknown)
        #expect(try await screen.whoami().grants.map(\.rights) == [["watch", "render", "query"]])

        try file.write(configuration(maximum: 6))
        broker.signal(SIGHUP)
        try await broker.logged("configuration reloaded")
        try await office.show(Popup(id: "B", group: "freight/1", priority: 6, text: "B"))
        await office.close()
        await screen.close()
    }

    @Test("a subscription without its right delivers no message, ever, and whoami lists it")
    func deniedSubscriptions() async throws {
        let keys = try Keys()
        _ = try keys.make("broker")
        let (chief, lobby) = (try keys.make("chief"), try keys.make("lobby"))
        let file = try TemporaryFile(
            """
            security:
              curve: {secretKeyFile: "\(keys.path("broker.key"))"}
              users:
                - {name: chief, publicKey: "\(chief)"}
                - {name: lobby, publicKey: "\(lobby)", roles: [screen]}
              roles:
                screen: [{groups: ["lobby"], may: [watch]}]
            """)
        let broker = try await RunningBroker("--config", file.path)
        let denied = ["", "state/", "state/freight/", "events/lobby/", "feed/", "acks/"]
        let pair = try KeyFile(keys.path("lobby.key")).keyPair()
        let server = try KeyFile(keys.path("broker.pub")).publicKey()
        let reader = try Socket(
            Context(), .sub, options: [.curveClient(pair, server: server), .linger(milliseconds: 0)])
        for prefix in denied + ["state/lobby/"] { try reader.subscribe(to: prefix) }
        try reader.connect(broker.egress)
        let admin = try AdminClient(keys.endpoints(of: broker, key: "chief"), limits: .patient)
        let user = try AdminClient(keys.endpoints(of: broker, key: "lobby"), limits: .patient)
        let end = ContinuousClock.now + .seconds(60)
        while try await user.whoami().denied.count < denied.count, ContinuousClock.now < end {}
        #expect(try await Set(user.whoami().denied.map(\.prefix)) == Set(denied))

        // What comes last has come when all before it would have.
        try await admin.show(Popup(id: "A", group: "freight", text: "A"))
        try await admin.show(Popup(id: "B", group: "lobby", text: "B"))
        var topics: Set<String> = []
        var poller = Poller()
        _ = poller.add(reader)
        let message = Message()
        while !topics.contains("state/lobby/"), ContinuousClock.now < end {
            _ = try poller.wait(timeoutMilliseconds: 100)
            while try reader.receive(into: message) {
                topics.insert(String(decoding: message.copy(), as: UTF8.self))
                while message.more { _ = try reader.receive(into: message, wait: true) }
            }
        }
        #expect(topics == ["state/lobby/"])
        let counts = try await admin.statistics().denied.filter { $0.user == "lobby" }
        #expect(counts.map(\.count).reduce(0, +) == UInt64(denied.count))
        await admin.close()
        await user.close()
    }

    @Test("a reload without security.anonymous does not give clients without a key everything")
    func emptied() async throws {
        let roles = "roles: {reader: [{groups: [\"*\"], may: [query, watch]}]}"
        let file = try TemporaryFile("security: {\(roles), anonymous: [reader]}")
        let broker = try await RunningBroker("--config", file.path)
        let admin = try AdminClient(broker.endpoints, limits: .patient)
        try await admin.connected(timeout: .seconds(60))
        func isShown(_ id: String) async throws -> Bool {
            do {
                try await admin.show(Popup(id: id, group: "g", text: "A"))
                return true
            } catch  where isDenied(error) { return false }
        }
        for emptied in ["{}", "security:", "security: {}", "security: {\(roles)}"] {
            try file.write(emptied)
            broker.signal(SIGHUP)
            try await broker.logged("security.anonymous is gone")
            try await broker.logged("configuration not reloaded")
            #expect(try await !isShown("A"))
        }
        // What is said is done.
        try file.write("security: {roles: {all: [{groups: [\"*\"], may: [all]}]}, anonymous: [all]}")
        broker.signal(SIGHUP)
        try await broker.logged("configuration reloaded")
        #expect(try await isShown("A"))
        await admin.close()
    }
}

@Suite("popup-broker check-config --may")
struct RightsQuestionTests {
    private static let configuration = """
        security:
          curve: {secretKeyFile: broker.key}
          users:
            - name: freight
              publicKey: "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7"
              roles: [office]
            - name: screen
              publicKey: "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID"
              roles: [screen]
          roles:
            screen: [{groups: ["lobby"], may: [watch]}]
            office: [{groups: ["freight/*"], may: [show, update, watch], maxPriority: 5, own: true}]
          anonymous: []
        """

    private static let questions: [(arguments: [String], status: Int32, sentence: String)] = [
        (
            ["--as", "freight", "--may", "show", "--group", "freight/42"], 0,
            "yes: freight may show in \"freight/42\""
        ),
        (
            ["--as", "freight", "--may", "show", "--group", "freight/42", "--priority", "6"], 77,
            "no: freight may show in \"freight/42\" up to the priority 5 only; send a lower one"
        ),
        (
            ["--as", "freight", "--may", "show", "--group", "lobby"], 77,
            "no: freight needs the right show in \"lobby\"; no role of the user gives it there"
        ),
        (
            ["--as", "freight", "--may", "update", "--group", "freight/42"], 77,
            "no: freight may update in \"freight/42\" only popups that the user itself has shown"
        ),
        (
            ["--as", "freight", "--may", "update", "--group", "freight/42", "--own"], 0,
            "yes: freight may update in \"freight/42\""
        ),
        (
            ["--as", "freight", "--may", "watch", "--group", "freight/*"], 0,
            "yes: freight may watch in \"freight/*\", group by group; the subscription to all of them at once matches "
                + "\"freight\" too, and is denied"
        ),
        (
            // Subscriptions to a group include the groups below it.
            ["--as", "screen", "--may", "watch", "--group", "lobby/1"], 0,
            "yes: screen may watch in \"lobby/1\""
        ),
        (
            ["--as", "screen", "--may", "watch", "--group", "lobby/*"], 0,
            "yes: screen may watch in \"lobby/*\""
        ),
        (
            ["--as", "screen", "--may", "events", "--group", "lobby/1"], 77,
            "no: screen needs the right events in \"lobby/1\"; no role of the user gives it there"
        ),
        (
            ["--as", "screen", "--may", "watch", "--group", "*"], 77,
            "no: screen needs the right watch in \"*\"; no role of the user gives it there"
        ),
        (
            ["--may", "watch", "--group", "lobby"], 77,
            "no: a client without a key needs the right watch in \"lobby\"; no role of the user gives it there"
        ),
        (
            ["--as", "nobody", "--may", "watch", "--group", "lobby"], 77,
            "no: there is no user nobody in security.users"
        ),
    ]

    @Test("answers, and explains what is missing", arguments: questions)
    func answers(_ arguments: [String], _ status: Int32, _ sentence: String) async throws {
        let file = try TemporaryFile(Self.configuration)
        let program = try await Program.run(["check-config", file.path] + arguments)
        #expect(program.status == status)
        #expect(program.output == [sentence])
    }

    @Test("needs a right and a group", arguments: [["--as", "freight"], ["--may", "show"], ["--group", "lobby"]])
    func incomplete(_ arguments: [String]) async throws {
        let file = try TemporaryFile(Self.configuration)
        let program = try await Program.run(["check-config", file.path] + arguments)
        #expect(program.status == 64)
        #expect(program.errors.first?.contains("--may and --group go together") == true)
    }
}
