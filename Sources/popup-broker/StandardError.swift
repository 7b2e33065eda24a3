import Foundation

/// The stream for what is not a result.
enum StandardError {
    /// Writes a line. One that nobody reads any more is lost.
    static func write(_ line: String) {
        try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
    }
}
