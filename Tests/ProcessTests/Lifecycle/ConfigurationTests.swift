import Testing
import TestPrograms

@Suite("A configuration", .ownThread)
struct ConfigurationTests {
    let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
    }

    private func check(
        _ file: String, _ arguments: [String] = [], environment: [String: String] = [:]
    ) throws -> ChildProcess.Result {
        try ChildProcess(Programs.broker, ["check-config", file] + arguments, environment: environment).result()
    }

    @Test("that is good is printed whole, and what is printed gives the same again")
    func good() throws {
        let file = try folder.write(
            "good.yaml",
            """
            ingress:
              endpoint: tcp://127.0.0.1:6001
            limits:
              groups: 500
            policies:
              - group: "store/*"
                preset: FIFO
                gapMs: 200

            """)
        let first = try check(file)
        #expect(first.exit == .code(0))
        #expect(first.error == "")
        #expect(first.output.contains("groups: 500  # \(file):4"))
        #expect(first.output.contains("endpoint: \"tcp://127.0.0.1:5571\"\n"))

        let second = try check(try folder.write("again.yaml", first.output))
        #expect(second.exit == .code(0))
        let values = { (listing: String) in
            listing.split(separator: "\n").map {
                String($0.prefix(upTo: $0.firstRange(of: "  #")?.lowerBound ?? $0.endIndex))
            }
        }
        #expect(values(second.output) == values(first.output))
    }

    @Test("that is bad: every mistake is named with its line")
    func bad() throws {
        let file = try folder.write(
            "bad.yaml",
            """
            limits:
              gruops: 500
              popups: many
            policies:
              - group: "store/*"
                hihger: STOP
              - group: "a//b"

            """)
        let result = try check(file)

        #expect(result.exit == .code(78))
        #expect(result.output == "")
        let problems = result.error.split(separator: "\n").map(String.init)
        let expected = [
            "\(file):2: limits.gruops", "\(file):3: limits.popups", "\(file):6: policies[0].hihger",
            "\(file):7: policies[1]",
        ]
        #expect(problems.count == expected.count)
        for (problem, start) in zip(problems, expected) { #expect(problem.hasPrefix("popup-broker: \(start): ")) }
    }

    @Test("that is bad keeps a broker from starting, with the same words")
    func badStart() throws {
        let file = try folder.write("bad.yaml", "limits:\n  groups: none\n")
        let result = try ChildProcess(Programs.broker, ["run", "--config", file]).result()

        #expect(result.exit == .code(78))
        #expect(result.output == "")
        #expect(result.error == (try check(file).error))
    }

    @Test("that cannot be read, or is no YAML, is named")
    func unreadable() throws {
        for file in [folder.path("missing.yaml"), try folder.write("odd.yaml", "a: [1\nb: }")] {
            let result = try check(file)
            #expect(64...78 ~= code(result))
            #expect(result.output == "")
            #expect(result.error.split(separator: "\n").count == 1)
            #expect(result.error.contains(file))
        }
    }

    private func code(_ result: ChildProcess.Result) -> Int32 {
        if case .code(let code) = result.exit { code } else { -1 }
    }

    @Test("comes from the file, over it the environment, over both the command line")
    func precedence() throws {
        let places = ["file", "environment", "flag"].map { "ipc://\(folder.path($0))" }
        let file = try folder.write(
            "broker.yaml", "ingress:\n  endpoint: \(places[0])\negress:\n  endpoint: \(places[0])-out\n")
        let environment = ["POPUP_BROKER_INGRESS": places[1], "POPUP_BROKER_CONFIG": file]

        let byFile = try BrokerProcess(configuration: file, ingress: nil, egress: nil)
        #expect(byFile.ingress == places[0])
        #expect(byFile.egress == "\(places[0])-out")
        _ = try byFile.terminate()

        let byEnvironment = try BrokerProcess(ingress: nil, egress: nil, environment: environment)
        #expect(byEnvironment.ingress == places[1])
        #expect(byEnvironment.egress == "\(places[0])-out")
        _ = try byEnvironment.terminate()

        let byFlag = try BrokerProcess(ingress: places[2], egress: nil, environment: environment)
        #expect(byFlag.ingress == places[2])
        #expect(byFlag.egress == "\(places[0])-out")
        _ = try byFlag.terminate()

        let listing = try check(file, ["--log-level", "debug"], environment: environment).output
        #expect(listing.contains("endpoint: \"\(places[1])\"  # environment variable POPUP_BROKER_INGRESS"))
        #expect(listing.contains("endpoint: \"\(places[0])-out\"  # \(file):4"))
        #expect(listing.contains("level: debug  # --log-level"))
    }
}
