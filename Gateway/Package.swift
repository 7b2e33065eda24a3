// swift-tools-version: 6.2

import PackageDescription

let house: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let access: Target.Dependency = .product(name: "PopupAccess", package: "popup-broker")
let client: Target.Dependency = .product(name: "PopupClient", package: "popup-broker")
let commandNames: Target.Dependency = .product(name: "CommandNames", package: "popup-broker")
let supervision: Target.Dependency = .product(name: "Supervision", package: "popup-broker")
let wire: Target.Dependency = .product(name: "PopupProtocol", package: "popup-broker")
let hummingbird: Target.Dependency = .product(name: "Hummingbird", package: "hummingbird")
let protobuf: Target.Dependency = .product(name: "SwiftProtobuf", package: "swift-protobuf")

let package = Package(
    name: "popup-gateway",
    products: [.executable(name: "popup-gateway", targets: ["popup-gateway"])],
    dependencies: [
        .package(name: "popup-broker", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.3.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.90.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.20.0"),
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: []),
        .package(url: "https://github.com/apple/swift-system", from: "1.5.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // Rights, requests and answers: no sockets.
        .target(
            name: "PopupGateway",
            dependencies: [
                access, client, wire, protobuf, .product(name: "DequeModule", package: "swift-collections"),
            ],
            swiftSettings: house),
        // HTTP, files, signals.
        .target(
            name: "PopupGatewayServer",
            dependencies: [
                "PopupGateway", access, client, supervision, wire, hummingbird, protobuf,
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"), .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOExtras", package: "swift-nio-extras"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                .product(name: "Yams", package: "Yams"),
            ],
            swiftSettings: house),
        .executableTarget(
            name: "popup-gateway",
            dependencies: [
                "PopupGateway", "PopupGatewayServer", access, commandNames, supervision, wire,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: house),
        .testTarget(
            name: "PopupGatewayTests",
            dependencies: ["PopupGateway", "PopupGatewayServer", access, client, wire], exclude: ["Corpus"],
            swiftSettings: house),
        .testTarget(
            name: "PopupGatewayServerTests",
            dependencies: [
                "PopupGatewayServer", "PopupGateway", access, client, wire, hummingbird,
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: house),
    ]
)
