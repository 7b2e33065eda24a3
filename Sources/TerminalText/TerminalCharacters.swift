import SystemCalls

/// The characters that a program may use, by the locale. Without UTF-8, a few typographic characters are replaced, also in the
/// titles and texts that users have written; their other characters, and names, stay as they are.
package enum TerminalCharacters: Sendable {
    /// All characters: the locale has UTF-8.
    case unicode
    /// The characters of ASCII: the locale has another encoding, or there is none.
    case ascii

    /// Creates the characters for the locale of an environment.
    package init(environment: [String: String]) {
        let locale = Self.variables.lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        let name = locale.uppercased()
        self = name.contains("UTF-8") || name.contains("UTF8") ? .unicode : .ascii
    }

    /// The characters for the locale of this process.
    package static let current = TerminalCharacters(
        environment: Dictionary(
            uniqueKeysWithValues: variables.compactMap { name in getenv(name).map { (name, String(cString: $0)) } }))

    /// The variables that may name the locale; the first one that is set and not empty does.
    private static let variables = ["LC_ALL", "LC_CTYPE", "LANG"]

    /// The end of a text that is cut.
    package var ellipsis: String { self == .unicode ? "…" : "..." }

    /// Returns a text with ASCII in place of the typographic characters that the programs use, if the terminal may not have
    /// these.
    package func text(_ text: String) -> String {
        guard self == .ascii, !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
        var result = ""
        for character in text {
            if let substitute = Self.substitutes[character] { result += substitute } else { result.append(character) }
        }
        return result
    }

    /// Returns a sentence with the same replacements, except in names, between backticks: a command may take them.
    package func sentence(_ text: String) -> String {
        guard self == .ascii else { return text }
        return text.split(separator: "`", omittingEmptySubsequences: false).enumerated().map { index, part in
            index.isMultiple(of: 2) ? self.text(String(part)) : String(part)
        }.joined(separator: "`")
    }

    private static let substitutes: [Character: String] = [
        "…": "...", "–": "-", "▶": ">", "µ": "u", "↑": "^", "↓": "v",
    ]
}
