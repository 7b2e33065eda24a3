import Foundation

/// The stream for what is not a result.
enum StandardError {
    /// Writes a line.
    static func write(_ line: String) {
        FileHandle.standardError.write(Data((line + "\n").utf8))
    }
}
