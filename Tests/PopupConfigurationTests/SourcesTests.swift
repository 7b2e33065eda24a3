import Logging
import PopupBroker
import PopupConfiguration
import PopupScheduling
import Testing

@Suite("The file, over it the environment, over both the command line")
struct SourcesTests {
    @Test("Nothing given: the defaults")
    func defaults() throws {
        let loaded = try ConfigurationLoader().load()
        #expect(loaded.configuration == Configuration())
        #expect(loaded.origins.isEmpty)
        #expect(loaded.warnings.isEmpty)
        #expect(loaded.configuration.broker.endpoints.ingress == "tcp://127.0.0.1:5570")
        #expect(loaded.configuration.broker.endpoints.egress == "tcp://127.0.0.1:5571")
    }

    @Test("An empty file and one of comments are the defaults", arguments: ["", "# nothing\n", "log:\npolicies:\n"])
    func emptyFile(text: String) throws {
        #expect(try load(text).configuration == Configuration())
    }

    @Test("The stronger source wins, and the origin tells which it was")
    func strength() throws {
        let file = """
            log:
              level: error
              format: json
            limits:
              suspensions: 1
            """
        let environment = ["POPUP_BROKER_LOG_LEVEL": "debug", "POPUP_BROKER_LIMITS_SUSPENSIONS": "2", "HOME": "/"]
        try withFile(file) { path in
            let loaded = try ConfigurationLoader(
                file: path, environment: environment,
                flags: [.init(key: "limits.suspensions", value: "3", spelling: "--set limits.suspensions")]
            ).load()
            #expect(loaded.configuration.log.format == .json)
            #expect(loaded.configuration.log.level == .debug)
            #expect(loaded.configuration.broker.scheduling.suspensions == 3)
            #expect(
                loaded.origins == [
                    "log.format": .file(path, line: 3),
                    "log.level": .environment(variable: "POPUP_BROKER_LOG_LEVEL"),
                    "limits.suspensions": .flag("--set limits.suspensions"),
                ])
        }
    }

    @Test("A variable is the key in capitals, its words apart")
    func variables() {
        #expect(Setting.named("deduplication.maxIDs")?.variable == "POPUP_BROKER_DEDUPLICATION_MAX_IDS")
        #expect(Setting.named("limits.waitingPerGroup")?.variable == "POPUP_BROKER_LIMITS_WAITING_PER_GROUP")
        #expect(Set(Setting.all.map(\.variable)).count == Setting.all.count)
    }

    @Test("An unknown variable is a warning, not an error: platforms set variables named after services")
    func unknownVariable() throws {
        let environment = ["POPUP_BROKER_LOG_LEVLE": "debug", "POPUP_BROKER_SERVICE_HOST": "10.0.0.1"]
        let loaded = try ConfigurationLoader(environment: environment).load()
        #expect(
            loaded.warnings == [
                "the environment variable POPUP_BROKER_LOG_LEVLE is not the name of a setting; did you mean `POPUP_BROKER_LOG_LEVEL`?",
                "the environment variable POPUP_BROKER_SERVICE_HOST is not the name of a setting",
            ])
    }

    @Test("The listing of a configuration is a file that gives the same one")
    func listing() throws {
        let loaded = try load(
            """
            ingress: {endpoint: "tcp://*:7000"}
            egress: {endpoint: "tcp://*:*"}
            security:
              curve: {secretKeyFile: broker.key}
              users:
                - {name: freight, publicKey: "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7"}
            limits: {groups: 7}
            policies:
              - {group: "*", preset: FIFO, maxWaiting: 3}
              - {group: lobby, higher: STOP, gapMinMs: 1, gapMaxMs: 2, interruptibles: []}
            """.replacing(", interruptibles: []", with: ""))
        #expect(try load(loaded.listing()).configuration == loaded.configuration)
    }
}
