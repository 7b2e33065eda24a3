package import Foundation

/// The package's programs, which stand beside the tests' own.
package enum BuiltPrograms {
    package static func url(_ name: String) -> URL {
        URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().appending(path: name)
    }
}
