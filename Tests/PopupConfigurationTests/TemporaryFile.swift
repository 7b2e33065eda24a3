import Foundation
import PopupConfiguration

/// A file that is there while the closure runs.
func withFile<Result>(_ text: String, _ body: (String) throws -> Result) throws -> Result {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).yaml").path
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try body(path)
}

/// What is loaded from this text alone.
func load(_ text: String) throws -> LoadedConfiguration {
    try withFile(text) { try ConfigurationLoader(file: $0).load() }
}

/// What is wrong with this text, as it is printed, the file's name as `FILE`.
func problems(_ text: String) throws -> [String] {
    try withFile(text) { path in
        do throws(ConfigurationError) {
            _ = try ConfigurationLoader(file: path).load()
            return []
        } catch {
            return error.problems.map { $0.description.replacing(path, with: "FILE") }
        }
    }
}

/// The package's folder.
let packageFolder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
