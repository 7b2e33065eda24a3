import ArgumentParser
import Foundation
import TerminalText
import ZeroMQ

struct KeysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Make the keys of a broker and of its clients.",
        discussion: """
            A key file is a certificate of ZeroMQ, as CZMQ and pyzmq read and write them.
            """,
        subcommands: [KeysNewCommand.self, KeysPublicCommand.self])
}

struct KeysNewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new",
        abstract: "Make a new key.",
        discussion: """
            With --output, writes the secret key to a new file that only its owner can read, and prints the public key. \
            Without it, prints the file. Exits with 73 if the file exists.
            """)

    @Option(
        help: ArgumentHelp("The new file of the secret key; it must not exist.", valueName: "file"),
        completion: .file())
    var output: String?

    func run() throws {
        do {
            let keys = try CurveKeyPair.random()
            guard let output else {
                StandardOutput.write(KeyCertificate(keys).text)
                return
            }
            try KeyFile(output).create(keys)
            StandardOutput.line("\(keys.publicKey)")
        } catch let failure as KeyFile.Failure {
            StandardError.write("popup-broker: \(failure)")
            throw ExitCode(failure)
        } catch let error as ZeroMQError {
            StandardError.write("popup-broker: \(error)")
            throw ExitCode.unavailable
        }
    }
}

struct KeysPublicCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "public",
        abstract: "Print the public key of a key file.",
        discussion: """
            Prints 40 characters: what the configuration names in security.users, and what --server-key of a client reads \
            from a file. Exits with 77 if others can read the file of a secret key.
            """)

    @Argument(help: "The key file.", completion: .file())
    var file: String

    func run() throws {
        do throws(KeyFile.Failure) {
            StandardOutput.line("\(try KeyFile(file).publicKey())")
        } catch {
            StandardError.write("popup-broker: \(error)")
            throw ExitCode(error)
        }
    }
}
