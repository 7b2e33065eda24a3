import Foundation

/// The built programs, which stand beside the bundle of the tests.
enum Programs {
    static let broker = path("popup-broker")
    static let control = path("popupctl")
    static let survivor = path("survivor")

    private static func path(_ name: String) -> String {
        URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: name).path
    }
}
