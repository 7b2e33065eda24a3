public import ArgumentParser
import Foundation
import PopupProtocol
import TerminalText

/// An option that a command does not have, with the nearest one that it has, or with the place where it belongs.
public struct MisspeltOption: Error, CustomStringConvertible {
    /// The message, as the parser words it.
    public let description: String
    /// The usage of the command.
    private let usage: String

    fileprivate init(_ description: String, usage: String) {
        self.description = description
        self.usage = usage
    }

    /// The text for standard error.
    fileprivate var text: String { "Error: \(description)" + usage }
}

extension AsyncParsableCommand {
    /// Returns the command of these arguments. An unknown option is reported before everything that is missing: what is
    /// missing may be what a misspelt option was to give.
    ///
    /// - Throws: `MisspeltOption`; every other error of the parser.
    public static func parsed(_ arguments: [String]) async throws -> any ParsableCommand {
        do {
            return try await asyncParseAsRoot(arguments)
        } catch {
            guard exitCode(for: error) == .validationFailure,
                let message = misplacedOption(in: arguments) ?? commandType(in: arguments).unknownOption(in: arguments)
            else { throw error }
            let text = fullMessage(for: error)
            let usage = text.range(of: "\nUsage: ").map { text[$0.lowerBound...] } ?? ""
            throw MisspeltOption(message, usage: String(usage))
        }
    }

    /// Runs the command of these arguments, and ends the program if it fails or its output is lost.
    public static func runProgram(_ arguments: [String]) async {
        do {
            var command = try await parsed(arguments)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            StandardOutput.finish()
        } catch {
            end(with: error)
        }
    }
}

extension ParsableCommand {
    /// Writes a line to standard output at once. If it is lost, ends the program with an exit code and a sentence.
    public static func writeLine(_ text: String) { StandardOutput.line(text) }

    /// Ends the program with an error, as `exit(withError:)` does. The message about an error is in the characters of the
    /// locale. A help that was asked for and is lost is another error.
    public static func end(with error: any Error) -> Never {
        let code = error is MisspeltOption ? .validationFailure : exitCode(for: error)
        let text = (error as? MisspeltOption)?.text ?? message(about: error)
        if !text.isEmpty {
            if code == .success {
                StandardOutput.line(text)
            } else {
                FileHandle.standardError.write(Data((TerminalCharacters.current.sentence(text) + "\n").utf8))
            }
        }
        Foundation.exit(code.rawValue)
    }

    /// Returns the message about an error with the usage. Without any argument, the parser has the whole help instead of the
    /// usage, and the message leaves the screen.
    private static func message(about error: any Error) -> String {
        let text = fullMessage(for: error)
        guard exitCode(for: error) == .validationFailure, let help = text.range(of: "\n\nOVERVIEW: ") else {
            return text
        }
        return text[..<help.lowerBound]
            + "\nUsage: \(usageString())\n  See '\(_commandName) --help' for more information."
    }

    /// Returns the command that the arguments name; the default one where they name none.
    fileprivate static func commandType(in arguments: [String]) -> any ParsableCommand.Type {
        var command: any ParsableCommand.Type = Self.self
        for word in arguments {
            if word.hasPrefix("-") {
                // An option in the place of a command is one of the default command.
                if let usual = command.configuration.defaultSubcommand { command = usual }
                continue
            }
            guard let next = command.configuration.subcommands.first(where: { $0._commandName == word }) else { break }
            command = next
        }
        while let usual = command.configuration.defaultSubcommand { command = usual }
        return command
    }

    /// Returns a message about an option that stands before the subcommand to which it belongs; `nil` if there is none.
    fileprivate static func misplacedOption(in arguments: [String]) -> String? {
        var command: any ParsableCommand.Type = Self.self
        var path = [_commandName]
        for word in arguments {
            let configuration = command.configuration
            // The options of a default command may stand in its place.
            guard !configuration.subcommands.isEmpty, configuration.defaultSubcommand == nil else { return nil }
            if word.hasPrefix("-") {
                let name = String(word.prefix { $0 != "=" })
                guard let parser = command.parserDescription, parser.optionsBelow.contains(name),
                    !parserOptions.contains(name), !parser.options.contains(where: { $0.word == name })
                else { return nil }
                let place = (path + ["<subcommand>", name]).joined(separator: " ")
                return "Unknown option '\(name)'. Write it after the subcommand: '\(place)'"
            }
            guard let next = configuration.subcommands.first(where: { $0._commandName == word }) else { return nil }
            command = next
            path.append(word)
        }
        return nil
    }

    /// The parser's description of the command.
    private static var parserDescription: CommandDescription.Command? {
        try? JSONDecoder().decode(CommandDescription.self, from: Data(_dumpHelp().utf8)).command
    }

    /// Returns a message about the first option among the arguments that the command does not have; `nil` if it has all.
    fileprivate static func unknownOption(in arguments: [String]) -> String? {
        guard let options = parserDescription?.options else { return nil }
        let known = Set(options.map(\.word)).union(parserOptions)
        let unconditional = Set(options.filter(\.takesAnything).map(\.word))
        var words = arguments[...]
        while let word = words.popFirst(), word != "--" {
            let name = String(word.prefix { $0 != "=" })
            // What follows such an option is its value, whatever it looks like.
            if unconditional.contains(word) { _ = words.popFirst() }
            guard name.hasPrefix("--"), !known.contains(name) else { continue }
            let meant = Suggestion.nearest(to: name, among: options.map(\.word).filter { $0.hasPrefix("--") })
            return "Unknown option '\(name)'" + (meant.map { ". Did you mean '\($0)'?" } ?? "")
        }
        return nil
    }
}

/// The options that the parser knows without a description; the last two are of the program, and hidden.
private let parserOptions = [
    "--help", "--version", "--help-hidden", "--generate-completion-script", "--experimental-dump-help",
]

/// The parser's description of a command.
private struct CommandDescription: Decodable {
    let command: Command

    struct Command: Decodable {
        let arguments: [Argument]?
        let subcommands: [Command]?

        var options: [(word: String, takesAnything: Bool)] {
            (arguments ?? []).flatMap { argument in
                (argument.names ?? []).map { ($0.word, argument.parsingStrategy == "unconditional") }
            }
        }

        /// The options of all commands below.
        var optionsBelow: Set<String> {
            (subcommands ?? []).reduce(into: []) { options, command in
                options.formUnion(command.options.map(\.word))
                options.formUnion(command.optionsBelow)
            }
        }
    }

    struct Argument: Decodable {
        let names: [Name]?
        let parsingStrategy: String
    }

    struct Name: Decodable {
        let kind: String
        let name: String

        var word: String { (kind == "long" ? "--" : "-") + name }
    }
}
