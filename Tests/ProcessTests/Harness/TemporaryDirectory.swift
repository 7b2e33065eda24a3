import Foundation

/// A temporary directory for one test, removed at its end.
final class TemporaryDirectory {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "process-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    func path(_ name: String) -> String {
        url.appending(path: name).path
    }

    /// Writes a file atomically. Returns its path.
    @discardableResult
    func write(_ name: String, _ text: String) throws -> String {
        try text.write(to: url.appending(path: name), atomically: true, encoding: .utf8)
        return path(name)
    }
}
