import PopupBroker
import PopupConfiguration
import Testing

@Suite("A key that a setting had before: the mistake names the key of today")
struct RenamedSettingsTests {
    @Test("In a file, also where the whole section is gone")
    func file() throws {
        let found = try problems(
            """
            endpoints:
              ingress: tcp://127.0.0.1:1
            queues: {sent: 5}
            limits:
              rememberedIDs: 7
              groups: 5
            quotas:
              unnamed: {burst: 3}
            """)
        #expect(
            found == [
                "FILE:2: endpoints.ingress: is now called `ingress.endpoint`; rename it",
                "FILE:3: queues.sent: is now called `egress.highWaterMark`; rename it",
                "FILE:5: limits.rememberedIDs: is now called `deduplication.maxIDs`; rename it",
                "FILE:8: quotas.unnamed: is now called `quotas.anonymous`; rename it",
            ])
    }

    @Test("In a variable and on the command line")
    func otherSources() {
        let loader = ConfigurationLoader(
            environment: ["POPUP_BROKER_LIMITS_TOKENS": "1", "POPUP_BROKER_QUOTAS_NAMED_BURST": "1"],
            flags: [.init(key: "record.file", value: "x", spelling: "--set record.file")])
        let error = #expect(throws: ConfigurationError.self) { try loader.load() }
        #expect(
            error?.problems.map(\.description) == [
                "environment variable POPUP_BROKER_LIMITS_TOKENS: is now called `POPUP_BROKER_LIMITS_SUSPENSIONS`; rename it",
                "environment variable POPUP_BROKER_QUOTAS_NAMED_BURST: is now called "
                    + "`POPUP_BROKER_QUOTAS_PER_PRODUCER_BURST`; rename it",
                "--set record.file: record.file: is now called `recording.file`; rename it",
            ])
    }

    @Test("The endpoints' variables are those of clients, as before")
    func endpoints() throws {
        let loader = ConfigurationLoader(environment: ["POPUP_BROKER_INGRESS": "tcp://127.0.0.1:1"])
        #expect(try loader.load().configuration.broker.endpoints.ingress == "tcp://127.0.0.1:1")
    }
}
