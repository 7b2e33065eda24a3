package import Foundation
import Glibc

/// A program while a test uses it: nothing here blocks the test's thread, which is one of few that all tests share. It
/// ends with the test's last reference to it.
package final class RunningProgram: Sendable {
    /// Longer than any test waits: then it is killed, and what waits for it fails.
    private static let longest: Duration = .seconds(240)

    package let output: Lines
    package let errors: Lines
    private let process: SpawnedProcess
    private let ended: Task<Int32, Never>
    private let watchdog: Task<Void, Never>

    /// Starts it.
    ///
    /// - Parameters:
    ///   - input: What it reads on its standard input; then that ends.
    ///   - environment: All of it.
    ///   - folder: Where it runs; nil: where the tests do.
    /// - Throws: `SystemError` when the system can't start it.
    package init(
        _ executable: URL, _ arguments: [String] = [], input: String = "", environment: [String: String],
        folder: URL? = nil
    ) throws {
        let (stdin, stdout, stderr) = (try ProgramPipe(), try ProgramPipe(), try ProgramPipe())
        let process = try spawn(
            executable.path, arguments, environment: environment, folder: folder?.path,
            streams: (stdin.readEnd, stdout.writeEnd, stderr.writeEnd))
        for end in [stdin.readEnd, stdout.writeEnd, stderr.writeEnd] { close(end) }
        self.process = process
        let name = executable.lastPathComponent
        output = Lines(stdout.readEnd, of: name)
        errors = Lines(stderr.readEnd, of: name)
        Thread.detachNewThread { Self.write(input, to: stdin.writeEnd) }
        ended = process.end
        watchdog = Task {
            guard (try? await Task.sleep(for: Self.longest)) != nil else { return }
            print("\(name) ran for \(Self.longest), longer than any test may wait, and was killed")
            process.signal(SIGKILL)
        }
    }

    deinit {
        watchdog.cancel()
        process.signal(SIGKILL)
    }

    package var identifier: Int32 { process.id }

    package func signal(_ number: Int32) {
        process.signal(number)
    }

    /// Waits for its end. A signal that ended it is 128 and its number.
    package func exitCode() async -> Int32 {
        let code = await ended.value
        watchdog.cancel()
        return code
    }

    /// Asks it to end and waits until it has.
    @discardableResult
    package func stop() async -> Int32 {
        signal(SIGTERM)
        return await exitCode()
    }

    /// Ends when the program has read all, or has ended before.
    private static func write(_ text: String, to descriptor: Int32) {
        var brokenPipe = sigset_t()
        sigemptyset(&brokenPipe)
        sigaddset(&brokenPipe, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &brokenPipe, nil)
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno != EINTR { break }
            rest.removeFirst(max(0, count))
        }
        close(descriptor)
    }
}

extension SpawnedProcess {
    /// Its exit code, or 128 and the number of the signal that ended it, once it has ended. Once only.
    package var end: Task<Int32, Never> {
        let (ends, end) = AsyncStream.makeStream(of: Int32.self)
        Thread.detachNewThread { [self] in
            switch waitForEnd() {
            case .code(let code): end.yield(code)
            case .signal(let signal): end.yield(128 + signal)
            }
            end.finish()
        }
        return Task {
            for await code in ends { return code }
            return -1
        }
    }
}
