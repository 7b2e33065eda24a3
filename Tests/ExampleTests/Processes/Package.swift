import Foundation

/// Where the package and its products are.
enum Package {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The folder of the built executables: that of the test program, or one above it.
    static let products: URL = {
        var folder = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
        while folder.path != "/" {
            if FileManager.default.isExecutableFile(atPath: folder.appending(path: "popup-broker").path) {
                return folder
            }
            folder.deleteLastPathComponent()
        }
        fatalError("no popup-broker near \(CommandLine.arguments[0]); build the package first")
    }()

    static func product(_ name: String) -> URL { products.appending(path: name) }
}
