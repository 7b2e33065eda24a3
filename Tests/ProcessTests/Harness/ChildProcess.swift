import Foundation
import Glibc
import TestPrograms

/// A program that a test started; it ends, by its own id, when the test lets go of it.
final class ChildProcess {
    typealias Exit = SpawnedProcess.Exit

    /// What it wrote, and its end.
    struct Result: Equatable {
        var exit: Exit
        var output: String
        var error: String

        var lines: [String] { output.split(separator: "\n").map(String.init) }
    }

    let output: Output
    let identifier: Int32
    private let name: String

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - environment: Over that of the tests, which it has without the project's own variables and with a locale of
    ///     UTF-8.
    ///   - input: The path of the file that it reads as its standard input.
    ///   - unread: Pipes that it has as its standard output or error, instead of those whose output is kept. They stay
    ///     open here.
    ///   - onLine: Is told each line of its standard output as it comes, on another thread.
    init(
        _ executable: String, _ arguments: [String], environment: [String: String] = [:], input: String = "/dev/null",
        unread: (output: UnreadPipe?, error: UnreadPipe?) = (nil, nil), onLine: (@Sendable (String) -> Void)? = nil
    ) throws {
        name = ([URL(filePath: executable).lastPathComponent] + arguments).joined(separator: " ")
        var variables = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("POPUP") }
        variables["LC_ALL"] = "C.UTF-8"
        variables.merge(environment) { $1 }
        let stdin = open(input, O_RDONLY | O_CLOEXEC)
        guard stdin >= 0 else { throw SystemError("cannot open \(input)", errno) }
        let (stdout, stderr) = (try ProgramPipe(), try ProgramPipe())
        let process = try spawn(
            executable, arguments, environment: variables,
            streams: (
                stdin, unread.output?.writeEnd ?? stdout.writeEnd, unread.error?.writeEnd ?? stderr.writeEnd
            ))
        for descriptor in [stdin, stdout.writeEnd, stderr.writeEnd] { close(descriptor) }
        identifier = process.id
        output = Output(of: process, streams: [stdout.readEnd, stderr.readEnd], onLine: onLine)
    }

    deinit {
        output.signal(SIGKILL)
    }

    /// Its id.
    var id: Int32 { output.id }

    /// The memory that it has now, in bytes.
    var residentBytes: Int {
        get throws { try MemoryUse.resident(of: id) }
    }

    func signal(_ number: Int32) {
        output.signal(number)
    }

    /// Waits until its standard error has these words.
    func waitForLog(_ words: String) throws {
        try wait(for: "to log `\(words)`") { _, error, _ in error.contains(words) ? true : nil }
    }

    /// Kills it (`SIGKILL`) and waits for its end.
    func killNow() throws {
        signal(SIGKILL)
        _ = try result()
    }

    /// Waits for its end.
    func result(before deadline: Deadline = .standard) throws -> Result {
        try wait(for: "to end", before: deadline) { output, error, exit in
            exit.map { Result(exit: $0, output: output, error: error) }
        }
    }

    /// Waits for what its output and end allow to answer.
    @discardableResult
    func wait<Answer>(
        for purpose: String, before deadline: Deadline = .standard, _ answer: (String, String, Exit?) -> Answer?
    ) throws -> Answer {
        if let answer = output.wait(until: deadline, answer) { return answer }
        throw NotInTime(
            description: """
                waited in vain for `\(name)` \(purpose)
                its standard output:
                \(output.text(.standard))
                its standard error:
                \(output.text(.error))
                """)
    }
}
