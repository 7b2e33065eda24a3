import ExampleSupport
import Foundation
import Synchronization

/// A program whose two output streams are read.
final class ChildProgram: Sendable {
    private struct State: @unchecked Sendable {
        let process: Process
    }

    /// The output of the program.
    let output: OpenFile
    private let state: Mutex<State>
    private let ended: AsyncStream<CInt>

    /// Starts a program.
    ///
    /// - Parameter words: The program, looked up on the path, and its arguments.
    init(_ words: [String]) throws(Failure) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try Self.path(of: words.first ?? ""))
        process.arguments = Array(words.dropFirst())
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        let (ended, end) = AsyncStream.makeStream(of: CInt.self)
        process.terminationHandler = { process in
            end.yield(process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus)
            end.finish()
        }
        do {
            try process.start()
        } catch {
            throw Failure(.unavailable, "`\(words.joined(separator: " "))` cannot be started: \(error)")
        }
        try? pipe.fileHandleForWriting.close()
        output = OpenFile(descriptor: dup(pipe.fileHandleForReading.fileDescriptor), name: "the output of the program")
        try? pipe.fileHandleForReading.close()
        self.ended = ended
        state = Mutex(State(process: process))
    }

    /// Returns the path of a program that may be executed.
    private static func path(of program: String) throws(Failure) -> String {
        let files = FileManager.default
        let search = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let candidates =
            program.contains("/") ? [program] : search.split(separator: ":").map { "\($0)/\(program)" }
        var isDirectory: ObjCBool = false
        for path in candidates where files.isExecutableFile(atPath: path) {
            if files.fileExists(atPath: path, isDirectory: &isDirectory), !isDirectory.boolValue { return path }
        }
        throw Failure(.noProgram, "there is no program `\(program)`; check its name and the PATH")
    }

    /// Asks the program to end, if it runs.
    func stop() {
        state.withLock { if $0.process.isRunning { $0.process.terminate() } }
    }

    /// Waits until the program ends.
    ///
    /// - Returns: Its exit code; 128 plus the signal's number if a signal ended it.
    func exitCode() async -> CInt {
        for await code in ended { return code }
        return 0
    }
}
