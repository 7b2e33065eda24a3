// swift-tools-version: 6.2

import PackageDescription

let house: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let fleet: Target.Dependency = .product(name: "PopupFleet", package: "popup-broker")
let journal: Target.Dependency = .product(name: "PopupJournal", package: "popup-broker")
let broker: Target.Dependency = .product(name: "PopupBroker", package: "popup-broker")
let service: Target.Dependency = .product(name: "BrokerService", package: "popup-broker")
let wire: Target.Dependency = .product(name: "PopupProtocol", package: "popup-broker")
let settings: Target.Dependency = .product(name: "PopupConfiguration", package: "popup-broker")
let state: Target.Dependency = .product(name: "FleetState", package: "popup-broker")
let tenure: Target.Dependency = .product(name: "FleetBroker", package: "popup-broker")
let client: Target.Dependency = .product(name: "PopupClient", package: "popup-broker")
let commandNames: Target.Dependency = .product(name: "CommandNames", package: "popup-broker")
let sqlite: Target.Dependency = .product(name: "SQLiteJournal", package: "popup-broker")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let grpc: Target.Dependency = .product(name: "GRPCCore", package: "grpc-swift-2")
let transport: Target.Dependency = .product(name: "GRPCNIOTransportHTTP2Posix", package: "grpc-swift-nio-transport")
let serialization: Target.Dependency = .product(name: "GRPCProtobuf", package: "grpc-swift-protobuf")
let protobuf: Target.Dependency = .product(name: "SwiftProtobuf", package: "swift-protobuf")

let package = Package(
    name: "popup-fleet",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "popup-fleet", targets: ["popup-fleet"])],
    dependencies: [
        .package(name: "popup-broker", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
        .package(url: "https://github.com/grpc/grpc-swift-2", from: "2.4.3"),
        .package(url: "https://github.com/grpc/grpc-swift-nio-transport", from: "2.9.2"),
        .package(url: "https://github.com/grpc/grpc-swift-protobuf", from: "2.4.1"),
    ],
    targets: [
        // The shared log in etcd.
        .target(
            name: "EtcdLog", dependencies: [journal, grpc, transport, serialization, protobuf],
            exclude: ["Schema"], swiftSettings: house),
        // A node with clocks and a log. Of the client library it uses the writer of metrics.
        .target(
            name: "FleetService", dependencies: [broker, client, fleet, state, tenure, journal, sqlite, logging],
            swiftSettings: house),
        .executableTarget(
            name: "popup-fleet",
            dependencies: [
                "EtcdLog", "FleetService", broker, commandNames, fleet, state, journal, service, settings, sqlite, wire,
                logging, .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: house),
        // What the tests of whole processes run: a node over a small state machine, and a checker.
        .target(
            name: "FleetTrial", dependencies: [fleet, journal], path: "Tests/Trial/FleetTrial", swiftSettings: house),
        .executableTarget(
            name: "fleet-trial",
            dependencies: [
                "EtcdLog", "FleetService", "FleetTrial", fleet, journal, state,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/Trial/fleet-trial", swiftSettings: house),
        .testTarget(
            name: "FleetServiceTests",
            dependencies: [
                "FleetService", "FleetTrial", broker, fleet, wire, state, journal, sqlite, logging, protobuf,
            ],
            swiftSettings: house),
        .testTarget(
            name: "PopupFleetCommandTests", dependencies: ["popup-fleet", "EtcdLog", journal, settings],
            swiftSettings: house),
        .testTarget(
            name: "EtcdLogTests", dependencies: ["EtcdLog", fleet, journal, grpc, protobuf], swiftSettings: house),
    ]
)
