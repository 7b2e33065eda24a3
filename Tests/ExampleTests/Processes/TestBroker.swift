import PopupClient
import Testing
import TestPrograms

/// The real broker on free ports, for one test.
struct TestBroker {
    let program: RunningProgram
    let endpoints: BrokerEndpoints
    /// A connection of the test's own.
    let connection: BrokerConnection

    var producer: Producer { Producer(connection) }
    var admin: AdminClient { AdminClient(connection) }

    /// What tells a program where the broker is.
    var environment: [String: String] {
        [
            BrokerEndpoints.ingressVariable: endpoints.ingress, BrokerEndpoints.egressVariable: endpoints.egress,
        ]
    }

    /// Starts one, and waits until it is ready. It ends with the last reference to it.
    ///
    /// - Parameters:
    ///   - endpoints: Where it binds; nil: on free ports.
    ///   - dataDirectory: Where it keeps its journal; nil: where its endpoints say, on free ports in memory.
    ///   - settings: Such as `egress.highWaterMark=10`.
    static func start(
        at endpoints: BrokerEndpoints? = nil, dataDirectory: String? = nil, settings: [String] = []
    ) async throws -> TestBroker {
        let program = try RunningProgram(
            inPackage: Package.product("popup-broker"),
            [
                "run", "--ingress", endpoints?.ingress ?? "tcp://127.0.0.1:*",
                "--egress", endpoints?.egress ?? "tcp://127.0.0.1:*",
            ] + (dataDirectory.map { ["--data-dir", $0] } ?? []) + settings.flatMap { ["--set", $0] })
        let line = try await program.output.next { $0.hasPrefix("popup-broker ready") }
        let match = try #require(line.firstMatch(of: /ingress=(\S+) egress=(\S+)/))
        let endpoints = BrokerEndpoints(ingress: String(match.1), egress: String(match.2))
        let connection = try BrokerConnection(endpoints, limits: .patient)
        do {
            try await connection.connected(timeout: .seconds(60))
        } catch {
            await connection.close()
            throw error
        }
        return TestBroker(program: program, endpoints: endpoints, connection: connection)
    }

    /// Starts one, waits until it is ready, and stops it after `body`.
    static func run(
        at endpoints: BrokerEndpoints? = nil, dataDirectory: String? = nil, settings: [String] = [],
        _ body: (TestBroker) async throws -> Void
    ) async throws {
        let broker = try await start(at: endpoints, dataDirectory: dataDirectory, settings: settings)
        do {
            try await body(broker)
        } catch {
            await broker.connection.close()
            await broker.program.stop()
            throw error
        }
        await broker.connection.close()
        #expect(await broker.program.stop() == 0)
    }

    /// Starts an example that finds the broker by its environment.
    func start(_ name: String, _ arguments: [String], input: String = "") throws -> RunningProgram {
        try RunningProgram(inPackage: Package.product(name), arguments, input: input, environment: environment)
    }
}
