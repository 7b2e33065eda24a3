import Foundation
import PopupClient
import PopupProtocol
import TestPrograms
import Testing

@Suite("popup-broker run", .timeLimit(.minutes(5)))
struct RunTests {
    @Test("It says where it is ready, and stops at once and in order when asked", arguments: [SIGTERM, SIGINT])
    func stop(signal: Int32) async throws {
        let broker = try await RunningBroker()
        broker.signal(signal)
        try await broker.logged("stopping")
        try await broker.logged("stopped")
        #expect(await broker.exitStatus() == 0)
    }

    @Test("A port in use: one sentence with what to do, exit 69", arguments: ["--ingress", "--egress"])
    func portInUse(option: String) async throws {
        let other = try await RunningBroker()
        let used = option == "--ingress" ? other.ingress : other.egress
        let free = option == "--ingress" ? "--egress" : "--ingress"
        let broker = try await Program.run("run", option, used, free, "tcp://127.0.0.1:*")
        #expect(broker.status == 69)
        #expect(broker.output == [])
        #expect(
            broker.errors == [
                "popup-broker: cannot bind \(used): the address is in use; stop the process that uses it, or choose "
                    + "another port"
            ])
    }

    @Test("A bad configuration: every mistake named, exit 78, nothing bound")
    func badConfiguration() async throws {
        let file = try TemporaryFile(
            "limits: {groups: none}\npolicies:\n"
                + "  - {group: lobby, quiet: [{from: '22:00', to: '07:00', timeZone: Europe/Berlim}]}\n")
        let broker = try await Program.run("run", "--config", file.path)
        #expect(broker.status == 78)
        #expect(
            broker.errors == [
                "popup-broker: \(file.path):1: limits.groups: is \"none\", but must be a whole number of groups "
                    + "from 1 to 100000000",
                "popup-broker: \(file.path):3: policies[0]: `quiet[0].timeZone` is `Europe/Berlim`, which "
                    + "/usr/share/zoneinfo doesn't have; check its spelling, or install the system's tzdata",
            ])
    }

    @Test("SIGHUP brings the file's policies in; a bad file is refused with its mistakes and the old ones stay")
    func reload() async throws {
        let file = try TemporaryFile("policies: [{group: \"*\", peers: DEFER}]\n")
        let broker = try await RunningBroker("--config", file.path)
        let admin = try AdminClient(broker.endpoints, limits: .patient)
        try await admin.connected(timeout: .seconds(60))
        #expect(try await shown(after: "A", by: admin) == "A")
        #expect(try await shown(after: "B", by: admin) == "A")

        try file.write("policies: [{group: \"*\", peers: STOP}]\n")
        broker.signal(SIGHUP)
        try await broker.logged("configuration reloaded")
        #expect(try await shown(after: "C", by: admin) == "C")

        try file.write("policies: [{group: \"*\", piers: DEFER}]\n")
        broker.signal(SIGHUP)
        try await broker.logged("policies[0].piers: there is no such field; did you mean `peers`?")
        try await broker.logged("configuration not reloaded; the previous one stays in force")
        #expect(try await shown(after: "D", by: admin) == "D")
        await admin.close()
    }

    @Test("SIGHUP changes the log; what can't change while it runs is named")
    func reloadLog() async throws {
        let file = try TemporaryFile("log: {level: warning, format: json}\n")
        let broker = try await RunningBroker("--config", file.path)
        try file.write("log: {level: info, format: text}\nlimits: {groups: 5}\n")
        broker.signal(SIGHUP)
        try await broker.logged("the setting has changed; it takes effect at the next start setting=limits.groups")
        broker.signal(SIGTERM)
        try await broker.logged("stopped")
        #expect(await broker.exitStatus() == 0)
    }

    @Test("A line of the log in JSON has no character that a terminal obeys, whatever it quotes")
    func logInJSON() async throws {
        let file = try TemporaryFile("log: {level: info, format: json}\n")
        let broker = try await RunningBroker("--config", file.path)
        try file.write(#"policies: [{group: "*", "p\u009b\e\"": DEFER}]"#)
        broker.signal(SIGHUP)
        try await broker.logged(#"policies[0].p\u009b\u001b\": there is no such field"#)
        broker.signal(SIGTERM)
        #expect(await broker.exitStatus() == 0)
    }

    /// Which popup the group shows once a newcomer of the same priority has come.
    private func shown(after id: String, by admin: AdminClient) async throws -> String? {
        var popup = Popup()
        popup.id = id
        popup.group = "lobby"
        try await admin.show(popup)
        return try await admin.peek("lobby").popups.first?.id
    }
}
