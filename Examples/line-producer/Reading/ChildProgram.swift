import ExampleSupport
import Foundation
import Synchronization

/// A program whose output is read, both of its streams.
final class ChildProgram: Sendable {
    private struct State: @unchecked Sendable {
        let process: Process
    }

    /// What it writes.
    let output: OpenFile
    private let state: Mutex<State>
    private let ended: AsyncStream<CInt>

    /// Starts it.
    ///
    /// - Parameter words: the program, looked up on the path, and its arguments.
    init(_ words: [String]) throws(Failure) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = words
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
        output = OpenFile(descriptor: dup(pipe.fileHandleForReading.fileDescriptor))
        try? pipe.fileHandleForReading.close()
        self.ended = ended
        state = Mutex(State(process: process))
    }

    /// Asks it to end, if it runs.
    func stop() {
        state.withLock { if $0.process.isRunning { $0.process.terminate() } }
    }

    /// Waits for its end.
    ///
    /// - Returns: its exit code; 128 and the signal's number when one ended it.
    func exitCode() async -> CInt {
        for await code in ended { return code }
        return 0
    }
}
