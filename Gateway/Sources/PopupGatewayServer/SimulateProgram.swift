internal import Foundation
internal import PopupGateway
internal import Subprocess
internal import SystemPackage

/// The comparison of policies by `popup-broker simulate --journal`, in a process of its own: whatever it needs, the
/// gateway goes on.
struct SimulateProgram: PolicyTrial {
    /// The path of `popup-broker`, or its name in the directories of `PATH`.
    var program: String
    /// The broker's data directory. It is only read.
    var dataDirectory: String

    /// The time after which a comparison is ended.
    private static let limit: Duration = .seconds(30)
    /// The maximum number of bytes of what it says about the comparison.
    private static let maxNoteBytes = 64 * 1024

    func run(policy: String, since: Int64) async throws -> PolicyTrialResult {
        try await withThrowingTaskGroup(of: PolicyTrialResult?.self) { group in
            group.addTask { try await compare(policy, since) }
            group.addTask {
                try await Task.sleep(for: Self.limit)
                return nil
            }
            defer { group.cancelAll() }
            guard let result = try await group.next() ?? nil else {
                throw Problem(
                    503, "TOO_LONG",
                    "the comparison takes longer than \(Self.limit.components.seconds) s; run `popup-broker simulate "
                        + "--journal` on the broker's machine")
            }
            return result
        }
    }

    private func compare(_ policy: String, _ since: Int64) async throws -> PolicyTrialResult {
        var options = PlatformOptions()
        options.teardownSequence = [.gracefulShutDown(allowedDurationToNextStep: .seconds(1))]
        do {
            let run = try await Subprocess.run(
                program.contains("/") ? .path(FilePath(program)) : .name(program),
                arguments: [
                    "simulate", "--journal", dataDirectory, "--policy", "-", "--since", Self.text(since),
                    "--diff", "--keep-other-policies", "--json",
                ],
                platformOptions: options, input: .inputWriter, output: .sequence,
                error: .string(limit: Self.maxNoteBytes)
            ) { execution in
                let input = execution.standardInputWriter
                async let isWritten: Void = Self.write(policy, to: input)
                var differences: [String] = []
                var more = 0
                for try await line in execution.standardOutput.strings() {
                    if differences.count < PolicyTrialResult.maxDifferences {
                        differences.append(line)
                    } else {
                        more += 1
                    }
                }
                try await isWritten
                return (differences, more)
            }
            let notes = Self.sentences(run.standardError)
            try Self.check(run.terminationStatus, notes)
            return PolicyTrialResult(differences: run.closureResult.0, more: run.closureResult.1, notes: notes)
        } catch let error as SubprocessError {
            throw Problem(503, "UNAVAILABLE", "`\(program)` cannot be run: \(error); set `whatIf.program`")
        }
    }

    /// Writes the policy to the program, and closes its input.
    ///
    /// A program that ends before it has read everything gives the reason by its exit code and its standard error. With
    /// `.string(policy)` as its input, swift-subprocess 1.0.2 would end the gateway in that case (its issue 367).
    private static func write(_ policy: String, to input: StandardInputWriter) async throws {
        do {
            _ = try await input.write(policy)
        } catch {
            guard error.underlyingError == .brokenPipe else { throw error }
        }
        try await input.finish()
    }

    /// Checks how the program ended.
    private static func check(_ status: TerminationStatus, _ notes: [String]) throws(Problem) {
        let why = notes.first ?? "the comparison ended with \(status)"
        switch status {
        case .exited(0): return
        case .exited(ExitCode.configuration): throw Problem(422, "INVALID", why)
        default: throw Problem(503, "UNAVAILABLE", why)
        }
    }

    private enum ExitCode {
        /// A policy is invalid.
        static let configuration: Int32 = 78
    }

    /// Returns the lines of the program's standard error, without its name.
    private static func sentences(_ text: String) -> [String] {
        text.split(separator: "\n").map { line in
            let name = "popup-broker: "
            return String(line.hasPrefix(name) ? line.dropFirst(name.count) : line)
        }
    }

    /// Returns a time in the form of RFC 3339.
    private static func text(_ time: Int64) -> String {
        Date(timeIntervalSince1970: Double(time) / 1000).formatted(.iso8601)
    }
}
