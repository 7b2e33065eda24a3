import ExampleSupport
import Foundation
import Synchronization
import Testing

/// A program of this package or of the system, while a test uses it.
final class RunningProgram: Sendable {
    /// Longer than any test waits: then it is killed, and what waits for it fails.
    private static let longest: Duration = .seconds(60)

    /// `Process` isn't Sendable; after its start only its id and `isRunning` are read here.
    private struct Running: @unchecked Sendable {
        let process: Process
    }

    let output: Lines
    let errors: Lines
    private let running: Running
    private let ended: Task<Int32, Never>
    private let watchdog: Task<Void, Never>

    /// - Parameters:
    ///   - input: what it reads on stdin; then stdin ends.
    ///   - environment: besides that of the test.
    init(
        _ executable: URL, _ arguments: [String] = [], input: String = "", environment: [String: String] = [:]
    ) throws {
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        process.currentDirectoryURL = Package.folder
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let (stdin, stdout, stderr) = (Pipe(), Pipe(), Pipe())
        process.standardInput = stdin
        process.standardOutput = stdout
        process.standardError = stderr
        let (ends, end) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { process in
            let code = process.terminationStatus
            end.yield(process.terminationReason == .exit ? code : 128 + code)
            end.finish()
        }
        try process.start()
        output = Lines(stdout.fileHandleForReading, of: executable.lastPathComponent)
        errors = Lines(stderr.fileHandleForReading, of: executable.lastPathComponent)
        let running = Running(process: process)
        self.running = running
        ended = Task {
            for await code in ends { return code }
            return -1
        }
        watchdog = Task {
            guard (try? await Task.sleep(for: Self.longest)) != nil else { return }
            Issue.record("\(executable.lastPathComponent) ran for \(Self.longest) and was killed")
            kill(running.process.processIdentifier, SIGKILL)
        }
        try stdin.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try stdin.fileHandleForWriting.close()
    }

    deinit {
        watchdog.cancel()
        signal(SIGKILL)
    }

    var identifier: Int32 { running.process.processIdentifier }

    func signal(_ number: Int32) {
        if running.process.isRunning { kill(identifier, number) }
    }

    /// Waits for its end. A signal that ended it is 128 and its number.
    func exitCode() async -> Int32 {
        let code = await ended.value
        watchdog.cancel()
        return code
    }

    /// Asks it to end and waits until it has.
    @discardableResult
    func stop() async -> Int32 {
        signal(SIGTERM)
        return await exitCode()
    }
}

/// The lines of a stream, in order.
final class Lines: Sendable {
    struct Ended: Error, CustomStringConvertible {
        var description: String
    }

    private struct State {
        var unread: [String] = []
        var all: [String] = []
        var isAtEnd = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let name: String
    private let state = Mutex(State())

    init(_ handle: FileHandle, of name: String) {
        self.name = name
        Thread { [self] in
            var pending: [UInt8] = []
            while true {
                let data = handle.availableData
                if data.isEmpty { break }
                pending += data
                while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                    add(String(decoding: pending[..<end], as: UTF8.self))
                    pending.removeSubrange(...end)
                }
            }
            if !pending.isEmpty { add(String(decoding: pending, as: UTF8.self)) }
            wake { $0.isAtEnd = true }
        }.start()
    }

    /// The next line for which `isWanted` holds; those before it are passed over.
    func next(_ isWanted: @Sendable (String) -> Bool = { _ in true }) async throws -> String {
        while true {
            let (line, isAtEnd, seen) = state.withLock { state in
                if let index = state.unread.firstIndex(where: isWanted) {
                    defer { state.unread.removeSubrange(...index) }
                    return (state.unread[index] as String?, false, 0)
                }
                return (nil, state.isAtEnd, state.all.count)
            }
            if let line { return line }
            if isAtEnd {
                throw Ended(description: "\(name) ended without the line; its lines: \(state.withLock(\.all))")
            }
            await more(than: seen)
        }
    }

    /// All lines to the end.
    func all() async -> [String] {
        while true {
            let (lines, isAtEnd) = state.withLock { ($0.all, $0.isAtEnd) }
            if isAtEnd { return lines }
            await more(than: lines.count)
        }
    }

    private func more(than seen: Int) async {
        await withCheckedContinuation { continuation in
            let isNow = state.withLock { state in
                // More may have come since the caller looked.
                if state.isAtEnd || state.all.count > seen { return true }
                state.waiter = continuation
                return false
            }
            if isNow { continuation.resume() }
        }
    }

    private func add(_ line: String) {
        wake { state in
            state.unread.append(line)
            state.all.append(line)
        }
    }

    private func wake(_ change: (inout sending State) -> Void) {
        let waiter = state.withLock { state in
            change(&state)
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }
}
