import Foundation

/// The stream for messages that are not results.
enum StandardError {
    /// Writes a line. The line is lost if no process reads the stream any more.
    static func write(_ line: String) {
        try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
    }
}
