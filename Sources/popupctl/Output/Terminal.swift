import Foundation
import TerminalText

/// The standard output and its properties.
struct Terminal {
    /// Whether the standard output is a terminal.
    let isTerminal: Bool
    /// Whether lines can be drawn again in place: on a terminal that moves the cursor by sequences.
    let canRedraw: Bool
    /// Whether to use colours: on a terminal that has them, unless `NO_COLOR` is set.
    let hasColours: Bool
    /// The characters that the locale has.
    let characters: TerminalCharacters

    static let current = Terminal(
        isTerminal: isatty(STDOUT_FILENO) == 1, environment: ProcessInfo.processInfo.environment)

    init(isTerminal: Bool, environment: [String: String]) {
        self.isTerminal = isTerminal
        canRedraw = isTerminal && !["", "dumb"].contains(environment["TERM"] ?? "")
        hasColours = canRedraw && (environment["NO_COLOR"] ?? "").isEmpty
        characters = TerminalCharacters(environment: environment)
    }

    /// The size in characters; 80 × 24 if it is not known.
    static var size: (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return (80, 24)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Writes without a buffer, so that the reader of a pipe receives each line at once. Ends the program if the text is
    /// lost.
    static func write(_ text: String) {
        StandardOutput.write(text)
    }

    static func print(_ line: String) {
        write(line + "\n")
    }

    func styled(_ text: String, _ style: Style) -> String {
        hasColours ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }

    enum Style: String {
        case strong = "1"
        case faint = "2"
        case red = "31"
        case green = "32"
        case yellow = "33"
        case cyan = "36"
    }
}
