public import ArgumentParser
import PopupProtocol
import TerminalText

extension ParsableCommand {
    /// Returns the message that a word is where a command is expected, but is not one, with the nearest one; `nil` if
    /// there is none.
    ///
    /// - Parameter arguments: Those after the name of the program.
    public static func misspeltCommand(in arguments: [String]) -> String? {
        // An option before the command has a value: `--generate-completion-script bash`.
        guard arguments.first?.hasPrefix("-") != true else { return nil }
        var command: any ParsableCommand.Type = Self.self
        var path: [String] = []
        for word in arguments {
            // The next word may be its value.
            guard !word.hasPrefix("-") else { return nil }
            let commands = command.configuration.subcommands
            guard !commands.isEmpty, word != "help" else { return nil }
            guard let next = commands.first(where: { $0._commandName == word }) else {
                let names = commands.map { $0._commandName }
                return "there is no command `\((path + [word]).joined(separator: " ").onOneLine)`; "
                    + advice(for: word, among: names, after: path)
            }
            command = next
            path.append(word)
        }
        return nil
    }

    /// Returns what to write instead of a word: the nearest command; otherwise all of those after the path, which are
    /// few, or where to find those of the program.
    private static func advice(for word: String, among names: [String], after path: [String]) -> String {
        if let meant = Suggestion.nearest(to: word, among: names) { return "did you mean `\(meant)`?" }
        guard !path.isEmpty else { return "see `\(_commandName) --help`" }
        let words = ([_commandName] + path).joined(separator: " ")
        return "`\(words)` has " + names.map { "`\($0)`" }.joined(separator: ", ")
    }
}
