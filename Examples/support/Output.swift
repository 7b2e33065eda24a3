import SystemCalls
import TerminalText

/// The output for people and pipes. Each line is written whole and at once, so that the lines of several processes on
/// one terminal or in one file do not mix, and no reader of a pipe waits for a buffer.
public enum Output {
    /// Writes a line to stdout. Ends the program with 74 if the line is lost, for example on a full disk.
    public static func line(_ text: String) {
        StandardOutput.line(text)
    }

    /// Writes a line to stdout, for a program that goes on if it is lost. Returns why it is lost, or `nil`.
    public static func loss(ofLine text: String) -> String? {
        do throws(StandardOutput.Loss) {
            try StandardOutput.attempt(text + "\n")
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// Writes a line to stderr.
    public static func error(_ text: String) {
        write(text + "\n", to: STDERR_FILENO)
    }

    /// Writes bytes as they are. If the reader is gone, the writing ends, and not the process.
    public static func write(_ text: String, to file: CInt) {
        try? StandardOutput.attempt(text, to: file)
    }
}
