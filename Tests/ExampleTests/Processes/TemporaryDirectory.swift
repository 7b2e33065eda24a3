import Foundation

/// A temporary directory for one test, removed at its end.
final class TemporaryDirectory: Sendable {
    private let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "examples-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    func path(_ name: String) -> String { url.appending(path: name).path }

    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: url.appending(path: name))
    }

    func append(_ text: String, to name: String) throws {
        let file = try FileHandle(forWritingTo: url.appending(path: name))
        defer { try? file.close() }
        try file.seekToEnd()
        try file.write(contentsOf: Data(text.utf8))
    }

    func move(_ name: String, to other: String) throws {
        try FileManager.default.moveItem(at: url.appending(path: name), to: url.appending(path: other))
    }

    func truncate(_ name: String) throws {
        let file = try FileHandle(forWritingTo: url.appending(path: name))
        try file.truncate(atOffset: 0)
        try file.close()
    }
}
