import Logging
import PopupBroker
import PopupConfiguration
import PopupProtocol
import PopupScheduling
import Testing

@Suite("What the nodes of a fleet share")
struct SharedTests {
    private static let shared = """
        policies:
          - group: lobby
            higher: PAUSE
        limits:
          groups: 77
        quotas:
          perProducer:
            burst: 5
        """

    private func loader(_ file: String?, _ shared: String?, flags: [ConfigurationLoader.Flag] = [])
        -> ConfigurationLoader
    {
        var loader = ConfigurationLoader(file: file, flags: flags)
        let configuration = shared.map { SharedConfiguration($0) }
        loader.shared = { configuration }
        return loader
    }

    @Test("overrides the file, the environment and the command line, which one warning names")
    func overrides() throws {
        let file = """
            log:
              level: error
            policies:
              - group: hall
                higher: STOP
            limits:
              groups: 5
              popups: 6
              connections: 7
            """
        try withFile(file) { path in
            let flags = [ConfigurationLoader.Flag(key: "quotas.perProducer.burst", value: "9", spelling: "--set …")]
            let loaded = try loader(path, Self.shared, flags: flags).load()
            let broker = loaded.configuration.broker

            #expect(broker.policies.map(\.group) == ["lobby"])
            #expect(broker.scheduling.groups == 77)
            #expect(broker.scheduling.popups == Configuration().broker.scheduling.popups)
            #expect(broker.quotas.perProducer.burst == 5)
            // These are the machine's own.
            #expect(broker.socketLimits.connections == 7)
            #expect(loaded.configuration.log.level == .error)
            #expect(
                loaded.warnings == [
                    "policies, limits.groups, limits.popups, quotas.perProducer.burst: ignored, since all nodes go by the "
                        + "shard's configuration; `popup-fleet configure` changes it"
                ])
            #expect(loaded.origins["limits.popups"] == nil)
        }
    }

    @Test("is all the same without a file, and nothing is said then")
    func alone() throws {
        let loaded = try loader(nil, Self.shared).load()

        #expect(loaded.configuration.broker.scheduling.groups == 77)
        #expect(loaded.warnings.isEmpty)
        #expect(try loader(nil, nil).load().configuration == Configuration())
    }

    @Test(
        "has no other parts of a configuration",
        arguments: [
            ("log:\n  level: debug", "FILE:2: log.level: is not shared by the nodes of a shard; "),
            ("limits:\n  connections: 9", "FILE:2: limits.connections: says what one machine can bear; set it in "),
            ("security:\n  users: []\n  allowPlainNetwork: true", "FILE:3: security.allowPlainNetwork: is not shared"),
            ("limits:\n  grups: 9", "FILE:2: limits.grups: there is no such setting; "),
            ("limits:\n  groups: none", "FILE:2: limits.groups: is \"none\", but must be a whole number"),
            ("policies: 3", "FILE:1: policies: must be a list"),
        ])
    func mistakes(text: String, problem: String) throws {
        do throws(ConfigurationError) {
            _ = try SharedConfiguration(text).check(named: "FILE")
            Issue.record("nothing is wrong")
        } catch {
            #expect(error.problems.first?.description.hasPrefix(problem) == true, "\(error.problems)")
        }
        // A node that cannot read what another version has set says where that is wrong.
        #expect(throws: ConfigurationError.self) { try loader(nil, text).load() }
    }

    @Test("is read from a file, which may be missing")
    func files() throws {
        let text = try withFile(Self.shared) { try SharedConfiguration.read(file: $0).text }
        #expect(text == Self.shared)
        #expect(throws: ConfigurationError.self) { try SharedConfiguration.read(file: "/nowhere/shard.yaml") }
    }
}
