public import ArgumentParser
import PopupClient

/// Why an example cannot go on: one sentence with what to do, and the exit code for it.
public struct Failure: Error, Equatable, Sendable {
    /// Exit codes as `sysexits.h` has them.
    public enum Code: Int32, Sendable {
        /// The command line is wrong.
        case usage = 64
        /// The input's content is wrong.
        case data = 65
        /// The input can't be opened.
        case noInput = 66
        /// Something needed is not there: mostly the broker.
        case unavailable = 69
        /// Something that should not happen.
        case software = 70
        /// There is no such program; the code is that of shells.
        case noProgram = 127
    }

    /// The exit code.
    public var code: Code
    /// What was wrong, where, and what to do.
    public var message: String

    /// A failure.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    init(_ error: ClientError) {
        let code: Code =
            switch error {
            case .notConnected, .handshakeFailed, .sendTimedOut, .noReply: .unavailable
            case .invalidGroup, .socket, .incompleteKeys, .keyFile: .usage
            case .refused, .tooLarge: .data
            default: .software
            }
        self.init(code, "\(error)")
    }
}

/// A command that ends with one sentence on stderr and an exit code of `sysexits.h` when it fails.
public protocol ExampleCommand: AsyncParsableCommand {
    /// What the command does.
    func perform() async throws
}

extension ExampleCommand {
    /// Performs the command, and tells how it failed.
    public func run() async throws {
        do {
            try await perform()
        } catch let failure as Failure {
            try Self.end(failure)
        } catch let error as ClientError {
            try Self.end(Failure(error))
        }
    }

    private static func end(_ failure: Failure) throws {
        Output.error("\(_commandName): \(SafeText.line(failure.message))")
        throw ExitCode(failure.code.rawValue)
    }
}
