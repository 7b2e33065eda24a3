// swift-tools-version: 6.2

import PackageDescription

let house: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let broker: [Target.Dependency] = ["PopupBroker", "PopupJournal", "PopupProtocol", "PopupScheduling"].map {
    .product(name: $0, package: "popup-broker")
}

let package = Package(
    name: "house-broker",
    products: [.library(name: "HouseRules", targets: ["HouseRules"])],
    // Elsewhere: .package(url: "https://…/popup-broker", from: "…")
    dependencies: [.package(name: "popup-broker", path: "../..")],
    targets: [
        .target(name: "HouseRules", dependencies: broker, swiftSettings: house),
        .executableTarget(
            name: "house-broker",
            dependencies: [
                "HouseRules", .product(name: "BrokerService", package: "popup-broker"),
                .product(name: "PopupConfiguration", package: "popup-broker"),
                .product(name: "PopupProtocol", package: "popup-broker"),
            ],
            swiftSettings: house),
        .testTarget(name: "HouseRulesTests", dependencies: ["HouseRules"] + broker, swiftSettings: house),
    ]
)
