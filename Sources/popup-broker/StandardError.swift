import Foundation
import TerminalText

/// The stream for messages that are not results.
enum StandardError {
    /// Writes a line, in the characters of the locale. The line is lost if no process reads the stream any more.
    static func write(_ line: String) {
        try? FileHandle.standardError.write(contentsOf: Data((TerminalCharacters.current.sentence(line) + "\n").utf8))
    }
}
