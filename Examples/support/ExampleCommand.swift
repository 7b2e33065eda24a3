public import ArgumentParser
import CommandNames
import Foundation
import PopupClient
package import SystemCalls

/// An error that ends an example: a sentence for each mistake, with what to do, and the exit code.
public struct Failure: Error, Equatable, Sendable {
    /// An exit code, as `sysexits.h` has it.
    public enum Code: Int32, Sendable {
        /// The command line is wrong.
        case usage = 64
        /// The content of the input is wrong.
        case data = 65
        /// The input cannot be opened.
        case noInput = 66
        /// A service that is needed is not available, usually the broker.
        case unavailable = 69
        /// An internal error.
        case software = 70
        /// The program to be run does not exist. The code is that of shells.
        case noProgram = 127
    }

    /// The exit code.
    public var code: Code
    /// The sentences: what was wrong, where, and what to do.
    public var messages: [String]

    /// Creates a failure with one sentence.
    public init(_ code: Code, _ message: String) {
        self.init(code, [message])
    }

    /// Creates the failure of a program whose input cannot be read.
    package init(_ error: InputError) {
        self.init(.noInput, "\(error)")
    }

    /// Creates a failure with a sentence for each mistake.
    public init(_ code: Code, _ messages: [String]) {
        self.code = code
        self.messages = messages
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

/// A command that prints a sentence for each mistake on stderr if it fails, and ends with an exit code of `sysexits.h`.
public protocol ExampleCommand: AsyncParsableCommand {
    /// Performs the command.
    func perform() async throws
}

extension ExampleCommand {
    /// Runs the program. An unknown option is reported before what is missing.
    public static func main() async {
        await runProgram(Array(CommandLine.arguments.dropFirst()))
    }

    /// Performs the command, and reports an error.
    public func run() async throws {
        for warning in BrokerEndpoints.warnings(about: ProcessInfo.processInfo.environment) {
            Output.error("\(Self._commandName): \(warning)")
        }
        do {
            try await perform()
        } catch let failure as Failure {
            try Self.end(failure)
        } catch let error as ClientError {
            try Self.end(Failure(error))
        }
    }

    private static func end(_ failure: Failure) throws {
        for message in failure.messages { Output.error("\(_commandName): \(SafeText.line(message))") }
        throw ExitCode(failure.code.rawValue)
    }
}
