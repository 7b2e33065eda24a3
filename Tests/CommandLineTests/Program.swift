import Foundation
import Synchronization
import Testing

/// The built program, run with some arguments to its end.
struct Program {
    var status: Int32
    var output: [String]
    var errors: [String]

    /// Runs it with `input` on its standard input, and nothing of this process' environment but `environment`.
    static func run(
        _ arguments: String..., input: String = "", environment: [String: String] = [:]
    ) async throws -> Program {
        try await run(arguments, input: input, environment: environment)
    }

    static func run(
        _ arguments: [String], input: String = "", environment: [String: String] = [:]
    ) async throws -> Program {
        let process = Process()
        let pipes = (input: Pipe(), output: Pipe(), errors: Pipe())
        process.executableURL = url
        process.arguments = arguments
        process.environment = environment
        process.standardInput = pipes.input
        process.standardOutput = pipes.output
        process.standardError = pipes.errors
        try process.run()
        // Each stream has a thread: whoever fills a pipe must not wait for the other's reader.
        async let output = lines(of: pipes.output.fileHandleForReading)
        async let errors = lines(of: pipes.errors.fileHandleForReading)
        try pipes.input.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try pipes.input.fileHandleForWriting.close()
        let (outputLines, errorLines) = await (output, errors)
        process.waitUntilExit()
        return Program(status: process.terminationStatus, output: outputLines, errors: errorLines)
    }

    /// Beside the tests' own binary.
    static let url = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        .appending(path: "popup-broker")

    private static func lines(of handle: FileHandle) async -> [String] {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let text = String(decoding: handle.readDataToEndOfFile(), as: UTF8.self)
                continuation.resume(returning: text.split(separator: "\n").map(String.init))
            }
        }
    }
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
