import Foundation
import TestPrograms

/// Where the package and its products are.
enum Package {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The folder of the built executables.
    static var products: URL { product("").standardized }

    static func product(_ name: String) -> URL { BuiltPrograms.url(name) }
}
