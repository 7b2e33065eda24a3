// swift-tools-version: 6.2

import PackageDescription

/// The settings of all targets: Swift 6 mode (the default of these tools), access levels of imports, and warnings as
/// errors.
let house: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let unixSignals: Target.Dependency = .product(name: "UnixSignals", package: "swift-service-lifecycle")
let yams: Target.Dependency = .product(name: "Yams", package: "Yams")
let protobuf: Target.Dependency = .product(name: "SwiftProtobuf", package: "swift-protobuf")

/// Whether a fuzzer and its dependencies are built, by the variable `FUZZ` (`Scripts/fuzz.sh`).
let isFuzzing = Context.environment["FUZZ"] != nil

/// Returns the target of a program; for the fuzzer, that of a library with which an executable can be linked.
func program(_ name: String, dependencies: [Target.Dependency]) -> Target {
    guard isFuzzing else { return .executableTarget(name: name, dependencies: dependencies, swiftSettings: house) }
    let main = "\(name)_main".replacing("-", with: "_")
    return .target(
        name: name, dependencies: dependencies,
        swiftSettings: house + [.unsafeFlags(["-Xfrontend", "-entry-point-function-name", "-Xfrontend", main])])
}

/// The dependencies of the fuzzers' entry points.
let fuzzed: [Target.Dependency] = [
    "popup-broker", "Checksums", "FleetState", "PopupAccess", "PopupBroker", "PopupClient", "PopupConfiguration",
    "PopupFleet", "PopupJournal", "PopupProtocol", "PopupScheduling", "PopupSimulation", "PopupState", "PopupValues",
    "PopupWebClient", "popupctl", "SQLiteJournal", "ZeroMQ",
    .product(name: "GRDBSQLite", package: "GRDB.swift"), logging, protobuf,
]

/// The entry points as a fuzzer, otherwise as tests that replay the corpora.
let fuzzing: [Target] =
    if isFuzzing {
        [
            .systemLibrary(name: "CFuzzer", path: "Tests/Fuzz/CFuzzer"),
            .executableTarget(
                name: "fuzz", dependencies: fuzzed + ["CFuzzer"], path: "Tests/Fuzz",
                exclude: ["CFuzzer", "Corpus", "Replay"], swiftSettings: house),
        ]
    } else {
        [
            .testTarget(
                name: "FuzzTests", dependencies: fuzzed, path: "Tests/Fuzz", exclude: ["CFuzzer", "Corpus", "Driver"],
                swiftSettings: house)
        ]
    }

let package = Package(
    name: "popup-broker",
    products: [
        .library(name: "PopupScheduling", targets: ["PopupScheduling"]),
        .library(name: "PopupCenter", targets: ["PopupCenter"]),
        .library(name: "PopupProtocol", targets: ["PopupProtocol"]),
        .library(name: "PopupAccess", targets: ["PopupAccess"]),
        .library(name: "PopupJournal", targets: ["PopupJournal"]),
        .library(name: "PopupFleet", targets: ["PopupFleet"]),
        .library(name: "FleetState", targets: ["FleetState"]),
        .library(name: "FleetBroker", targets: ["FleetBroker"]),
        .library(name: "SQLiteJournal", targets: ["SQLiteJournal"]),
        .library(name: "PopupClient", targets: ["PopupClient"]),
        .library(name: "PopupWebClient", targets: ["PopupWebClient"]),
        .library(name: "PopupSimulation", targets: ["PopupSimulation"]),
        .library(name: "PopupBroker", targets: ["PopupBroker"]),
        .library(name: "ZeroMQTransport", targets: ["ZeroMQTransport"]),
        .library(name: "PopupConfiguration", targets: ["PopupConfiguration"]),
        .library(name: "BrokerService", targets: ["BrokerService"]),
        .library(name: "Supervision", targets: ["Supervision"]),
        .library(name: "CommandNames", targets: ["CommandNames"]),
    ]
        + (isFuzzing
            ? []
            : [
                .executable(name: "popup-broker", targets: ["popup-broker"]),
                .executable(name: "popupctl", targets: ["popupctl"]),
            ]),
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // The platform's C library, in one place, with threads and the settings of its allocator.
        .systemLibrary(name: "CGlibc"),
        .target(
            name: "SystemCalls", dependencies: [.target(name: "CGlibc", condition: .when(platforms: [.linux]))],
            swiftSettings: house),

        // The rules: pure.
        .target(name: "PopupScheduling", dependencies: ["SystemCalls"], swiftSettings: house),

        // The rules inside one application: no broker, no wire, no Foundation.
        .target(name: "PopupCenter", dependencies: ["PopupScheduling"], swiftSettings: house),

        // The wire: values, no sockets.
        .target(name: "PopupProtocol", dependencies: [protobuf], exclude: ["Schema"], swiftSettings: house),

        // Users, roles and rights in groups: pure.
        .target(
            name: "PopupAccess",
            dependencies: ["PopupProtocol", .product(name: "DequeModule", package: "swift-collections")],
            swiftSettings: house),

        // The keys of CURVE as values: pure.
        .target(name: "CurveKeys", swiftSettings: house),

        // Sockets: bytes, no popups.
        // Without pkg-config: the flags in Debian's libzmq.pc are not needed, and SwiftPM warns of them.
        .systemLibrary(name: "CZeroMQ", providers: [.apt(["libzmq3-dev"])]),
        .target(name: "ZeroMQ", dependencies: ["CZeroMQ", "CurveKeys", "SystemCalls"], swiftSettings: house),

        // Checksums of data in files; C for the processor's instruction.
        .target(name: "CChecksums"),
        .target(name: "Checksums", dependencies: ["CChecksums"], swiftSettings: house),

        // The log of committed commands: ports, and the journal in memory.
        .target(name: "PopupJournal", dependencies: ["Checksums"], swiftSettings: house),
        // The journal on disk: only the executable links it, and SQLite.
        .target(
            name: "SQLiteJournal",
            dependencies: [
                "Checksums", "PopupJournal", "SystemCalls", grdb, .product(name: "GRDBSQLite", package: "GRDB.swift"),
                logging,
            ],
            swiftSettings: house),

        // The service manager that started the process: systemd; the files that it has read again.
        .target(name: "Supervision", dependencies: ["SystemCalls"], swiftSettings: house),

        // The state machine: all that a journal determines; pure.
        .target(
            name: "PopupState", dependencies: ["PopupScheduling", "PopupProtocol", "PopupJournal", protobuf],
            swiftSettings: house),

        // The rules in virtual time.
        .target(
            name: "PopupSimulation",
            dependencies: ["PopupScheduling", "PopupProtocol", "PopupJournal", "PopupState", protobuf],
            swiftSettings: house),

        // The life of a node that shares its log with others: pure.
        .target(name: "PopupFleet", dependencies: ["PopupJournal"], swiftSettings: house),
        // The state machine of a broker over such a log: pure.
        .target(
            name: "FleetState",
            dependencies: ["PopupFleet", "PopupJournal", "PopupProtocol", "PopupScheduling", "PopupState", protobuf],
            swiftSettings: house),

        // The loop that joins them, and a transport within the process.
        .target(
            name: "PopupBroker",
            dependencies: [
                "PopupAccess", "PopupScheduling", "PopupProtocol", "PopupJournal", "PopupState", "SystemCalls", logging,
                protobuf, .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HeapModule", package: "swift-collections"),
            ],
            swiftSettings: house),
        // The journal, the tenure and the clock of a broker beside a node of a fleet.
        .target(
            name: "FleetBroker",
            dependencies: ["FleetState", "PopupBroker", "PopupFleet", "PopupJournal", "SystemCalls"],
            swiftSettings: house),
        // The transport over sockets: only the executable links it, and libzmq.
        .target(
            name: "ZeroMQTransport",
            dependencies: ["PopupAccess", "PopupBroker", "PopupProtocol", "SystemCalls", "ZeroMQ"],
            swiftSettings: house),
        .target(
            name: "PopupConfiguration",
            dependencies: [
                "CurveKeys", "PopupAccess", "PopupBroker", "PopupProtocol", "PopupScheduling", "PopupState",
                "Supervision", logging, protobuf, .product(name: "Yams", package: "Yams"),
            ],
            swiftSettings: house),
        // Reserves the standard streams of a program before anything is opened.
        .target(name: "CStandardStreams"),
        // A broker with file, sockets, data directory, log and signals: for popup-broker and for brokers with plugins.
        .target(
            name: "BrokerService",
            dependencies: [
                "CStandardStreams", "PopupBroker", "PopupConfiguration", "PopupJournal", "PopupProtocol",
                "SQLiteJournal", "Supervision", "SystemCalls", "ZeroMQ", "ZeroMQTransport", logging, unixSignals,
            ],
            swiftSettings: house),
        // The text that commands print.
        .target(name: "TerminalText", dependencies: ["CStandardStreams", "SystemCalls"], swiftSettings: house),
        // The names of subcommands and options.
        .target(
            name: "CommandNames", dependencies: ["PopupProtocol", "TerminalText", argumentParser],
            swiftSettings: house),

        program(
            "popup-broker",
            dependencies: [
                "BrokerService", "CommandNames", "PopupAccess", "PopupBroker", "PopupConfiguration", "PopupJournal",
                "PopupProtocol", "PopupScheduling", "PopupSimulation", "PopupState", "SQLiteJournal", "SystemCalls",
                "TerminalText", "ZeroMQ", argumentParser, logging,
            ]),

        // The library for applications, and the program for administration over it.
        .target(name: "PopupValues", dependencies: ["PopupProtocol"], swiftSettings: house),
        .target(
            name: "PopupClient",
            dependencies: [
                "Checksums", "PopupProtocol", "PopupValues", "ZeroMQ",
                .product(name: "DequeModule", package: "swift-collections"),
            ],
            swiftSettings: house),
        // The client over HTTP: without libzmq.
        .target(
            name: "PopupWebClient", dependencies: ["PopupProtocol", "PopupValues", protobuf], swiftSettings: house),
        program(
            "popupctl",
            dependencies: [
                "CommandNames", "PopupClient", "PopupProtocol", "SystemCalls", "TerminalText", "ZeroMQ",
                argumentParser, protobuf,
            ]),

        // Examples: one directory per story, and their common part.
        .target(
            name: "ExampleSupport",
            dependencies: ["CommandNames", "PopupClient", "SystemCalls", "TerminalText", argumentParser, unixSignals],
            path: "Examples/support", exclude: ["README.md", "story.sh"], swiftSettings: house),
        .executableTarget(
            name: "terminal-renderer",
            dependencies: ["ExampleSupport", "PopupClient", "SystemCalls", "TerminalText", argumentParser],
            path: "Examples/terminal-renderer", exclude: ["README.md"], swiftSettings: house),
        .executableTarget(
            name: "line-producer",
            dependencies: ["ExampleSupport", "PopupClient", "PopupProtocol", "SystemCalls", argumentParser, yams],
            path: "Examples/line-producer", exclude: ["README.md", "rules"], swiftSettings: house),
        .executableTarget(
            name: "replay-producer", dependencies: ["ExampleSupport", "PopupClient", "SystemCalls", argumentParser],
            path: "Examples/replay-producer", exclude: ["README.md", "lobby.jsonl"], swiftSettings: house),
        .executableTarget(
            name: "freight-negotiation", dependencies: ["ExampleSupport", "PopupClient", argumentParser],
            path: "Examples/freight-negotiation", exclude: ["README.md", "run.sh"], swiftSettings: house),
        .executableTarget(
            name: "wish-story", dependencies: ["ExampleSupport", "PopupClient", argumentParser],
            path: "Examples/wish-story", exclude: ["README.md", "run.sh"], swiftSettings: house),
        .executableTarget(
            name: "pages-walk", dependencies: ["ExampleSupport", "PopupClient", "TerminalText", argumentParser],
            path: "Examples/pages-walk", exclude: ["README.md"], swiftSettings: house),
        .executableTarget(
            name: "web-screen", dependencies: ["CommandNames", "PopupWebClient", "TerminalText", argumentParser],
            path: "Examples/web-screen", exclude: ["README.md"], swiftSettings: house),
        .executableTarget(
            name: "embedded-broker", dependencies: ["PopupBroker", "PopupJournal", "PopupProtocol"],
            path: "Examples/embedded-broker", exclude: ["README.md"], swiftSettings: house),
        .executableTarget(
            name: "popup-center", dependencies: ["PopupCenter"], path: "Examples/popup-center",
            exclude: ["README.md"], swiftSettings: house),
        .executableTarget(
            name: "event-summary", dependencies: ["ExampleSupport", "PopupClient", "TerminalText", argumentParser],
            path: "Examples/event-summary", exclude: ["README.md"], swiftSettings: house),

        // Programs that tests start.
        .systemLibrary(name: "CSpawn", path: "Tests/CSpawn"),
        .target(
            name: "TestPrograms", dependencies: ["CSpawn", "PopupClient"], path: "Tests/Programs", swiftSettings: house),
        .executableTarget(
            name: "web-client-calls", dependencies: ["PopupWebClient"], path: "Tests/WebClientCalls",
            swiftSettings: house),
        // Random numbers, and files of time zones, for tests.
        .target(name: "TestSupport", path: "Tests/Support", swiftSettings: house),
        // A log of several nodes, and what happens to calls on their way to it.
        .target(
            name: "SimulatedLogs", dependencies: ["PopupFleet", "PopupJournal", "TestSupport"],
            path: "Tests/SimulatedLogs", swiftSettings: house),
        // The schema as tests read it.
        .target(name: "SchemaReading", path: "Tests/SchemaReading", swiftSettings: house),

        .testTarget(
            name: "PopupSchedulingTests", dependencies: ["PopupScheduling", "SystemCalls"], swiftSettings: house),
        .testTarget(
            name: "PopupCenterTests",
            dependencies: ["PopupCenter", "PopupProtocol", "PopupSimulation", "PopupState"], swiftSettings: house),
        .testTarget(
            name: "PopupProtocolTests", dependencies: ["PopupProtocol", "SchemaReading", "TestSupport", protobuf],
            swiftSettings: house),
        .testTarget(
            name: "PopupAccessTests", dependencies: ["PopupAccess", "PopupProtocol"], swiftSettings: house),
        .testTarget(name: "BrokerServiceTests", dependencies: ["BrokerService"], swiftSettings: house),
        .testTarget(
            name: "ChecksumsTests", dependencies: ["CChecksums", "Checksums"], swiftSettings: house),
        .testTarget(name: "PopupJournalTests", dependencies: ["PopupJournal", "Checksums"], swiftSettings: house),
        // Nodes over a simulated log.
        .testTarget(
            name: "PopupFleetTests", dependencies: ["PopupFleet", "PopupJournal", "SimulatedLogs"],
            swiftSettings: house),
        .testTarget(
            name: "FleetStateTests",
            dependencies: ["FleetState", "PopupFleet", "PopupJournal", "PopupProtocol", protobuf],
            swiftSettings: house),
        .testTarget(
            name: "SQLiteJournalTests",
            dependencies: [
                "SQLiteJournal", "PopupJournal", "TestSupport", grdb,
                .product(name: "GRDBSQLite", package: "GRDB.swift"), logging,
            ],
            exclude: ["Fixtures"], swiftSettings: house),
        .testTarget(
            name: "SupervisionTests", dependencies: ["Supervision", "SystemCalls", "TestPrograms"], swiftSettings: house
        ),
        .testTarget(name: "TerminalTextTests", dependencies: ["TerminalText"], swiftSettings: house),
        .testTarget(name: "ZeroMQTests", dependencies: ["ZeroMQ"], swiftSettings: house),
        .testTarget(
            name: "PopupStateTests",
            dependencies: ["PopupState", "PopupScheduling", "PopupProtocol", "PopupJournal", "TestSupport", protobuf],
            swiftSettings: house),
        .testTarget(
            name: "PopupSimulationTests",
            dependencies: ["PopupSimulation", "PopupBroker", "PopupState", "PopupProtocol", protobuf],
            swiftSettings: house),
        .testTarget(
            name: "PopupBrokerTests",
            dependencies: [
                "PopupAccess", "PopupBroker", "PopupSimulation", "PopupState", "PopupScheduling", "PopupProtocol",
                "PopupJournal", "SchemaReading", "TestPrograms", "TestSupport", logging, protobuf,
            ],
            swiftSettings: house),
        .testTarget(
            name: "ZeroMQTransportTests",
            dependencies: [
                "PopupAccess", "ZeroMQTransport", "PopupBroker", "PopupJournal", "PopupProtocol", "ZeroMQ", logging,
                protobuf,
            ],
            swiftSettings: house),
        // The real broker under simulated time, network and disk.
        .testTarget(
            name: "BrokerSimulationTests",
            dependencies: [
                "FleetBroker", "FleetState", "PopupAccess", "PopupBroker", "PopupClient", "PopupFleet",
                "PopupScheduling", "PopupProtocol", "PopupJournal", "PopupState", "SimulatedLogs", "TestSupport",
                logging,
                protobuf,
            ],
            swiftSettings: house),
        .testTarget(
            name: "PopupConfigurationTests",
            dependencies: [
                "CurveKeys", "PopupConfiguration", "PopupBroker", "PopupScheduling", "PopupProtocol", "SystemCalls",
                logging, protobuf,
            ],
            swiftSettings: house),
        .testTarget(
            name: "PopupClientTests", dependencies: ["PopupClient", "PopupProtocol", "TestSupport", "ZeroMQ"],
            swiftSettings: house),
        .testTarget(
            name: "PopupValuesTests", dependencies: ["PopupValues", "PopupProtocol", "SchemaReading", protobuf],
            swiftSettings: house),
        .testTarget(
            name: "PopupWebClientTests", dependencies: ["PopupWebClient", "PopupValues", "PopupProtocol"],
            swiftSettings: house),
        .testTarget(
            name: "PopupCtlTests",
            dependencies: [
                "CommandNames", "popupctl", "PopupClient", "PopupProtocol", "TerminalText", "ZeroMQ", argumentParser,
            ],
            swiftSettings: house),
        .testTarget(
            name: "CommandLineTests",
            dependencies: [
                "popup-broker", "PopupClient", "PopupProtocol", "PopupConfiguration", "TestPrograms", "ZeroMQ",
            ],
            swiftSettings: house),
        // The broker's steady work on one thread: `make instruction-counts`, `make scale`.
        .executableTarget(
            name: "hot-path",
            dependencies: [
                "PopupAccess", "PopupBroker", "PopupJournal", "PopupProtocol", "PopupScheduling", logging, protobuf,
            ],
            path: "Benchmarks/InProcess", exclude: ["counts.py", "run.sh", "thresholds.json"], swiftSettings: house),
        // Keeps a broker busy for an hour: `make soak`.
        .executableTarget(
            name: "soak", dependencies: ["PopupProtocol", "TestSupport", "ZeroMQ", protobuf], path: "Tests/Soak",
            swiftSettings: house),
        // Producers and renderers that tests kill.
        .executableTarget(
            name: "survivor", dependencies: ["PopupClient"], path: "Tests/Survivor", swiftSettings: house),
        // The real binaries over real sockets.
        .testTarget(
            name: "ProcessTests",
            dependencies: ["PopupClient", "PopupProtocol", "TestPrograms", "TestSupport", "ZeroMQ"],
            exclude: ["Fixtures", "Python"], swiftSettings: house),
        .testTarget(
            name: "ExampleTests",
            dependencies: [
                "ExampleSupport", "PopupClient", "terminal-renderer", "line-producer", "replay-producer",
                "freight-negotiation", "wish-story", "pages-walk", "embedded-broker", "event-summary", "popup-broker",
                "popup-center", "web-screen", "TerminalText", "TestPrograms",
            ],
            swiftSettings: house),
    ] + fuzzing
)
