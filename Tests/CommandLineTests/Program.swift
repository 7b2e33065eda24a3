import Foundation
import TestPrograms

/// The built program, run with some arguments to its end.
struct Program {
    var status: Int32
    var output: [String]
    var errors: [String]

    /// Runs it with `input` on its standard input, and nothing of this process' environment but `environment`; in a locale
    /// of UTF-8, unless `environment` has another.
    static func run(
        _ arguments: String..., input: String = "", environment: [String: String] = [:]
    ) async throws -> Program {
        try await run(arguments, input: input, environment: environment)
    }

    static func run(
        _ arguments: [String], input: String = "", environment: [String: String] = [:]
    ) async throws -> Program {
        let environment = environment.merging(["LC_ALL": "C.UTF-8"]) { own, _ in own }
        let program = try RunningProgram(url, arguments, input: input, environment: environment)
        let status = await program.exitCode()
        return Program(
            status: status, output: await program.output.all().filter { !$0.isEmpty },
            errors: await program.errors.all().filter { !$0.isEmpty })
    }

    static let url = BuiltPrograms.url("popup-broker")
}

/// A file with this text in a folder of its own, which goes with it.
final class TemporaryFile: Sendable {
    let path: String

    init(_ text: String, name: String = "popup-broker.yaml") throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        path = folder.appending(path: name).path
        try write(text)
    }

    func write(_ text: String) throws {
        try text.write(toFile: path, atomically: true, encoding: .utf8)
    }

    deinit {
        try? FileManager.default.removeItem(at: URL(filePath: path).deletingLastPathComponent())
    }
}
