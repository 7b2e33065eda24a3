// swift-tools-version: 6.2

import PackageDescription

let house: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "in-process-benchmarks",
    dependencies: [
        .package(name: "popup-broker", path: "../.."),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
    ],
    targets: [
        .executableTarget(
            name: "hot-path",
            dependencies: [
                .product(name: "PopupAccess", package: "popup-broker"),
                .product(name: "PopupBroker", package: "popup-broker"),
                .product(name: "PopupJournal", package: "popup-broker"),
                .product(name: "PopupProtocol", package: "popup-broker"),
                .product(name: "PopupScheduling", package: "popup-broker"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "SwiftProtobuf", package: "swift-protobuf"),
            ],
            swiftSettings: house)
    ]
)
