import ExampleSupport
import Foundation

/// The last lines of a file to which others write.
struct LogTail {
    /// The number of bytes at the end of the file that are read.
    private static let bytes: UInt64 = 16 * 1024

    let path: String

    /// Returns the last lines, the newest last; none while there is no file.
    func lines(_ count: Int) -> [String] {
        guard let file = FileHandle(forReadingAtPath: path) else { return [] }
        defer { try? file.close() }
        guard let end = try? file.seekToEnd() else { return [] }
        let start = end > Self.bytes ? end - Self.bytes : 0
        guard (try? file.seek(toOffset: start)) != nil, let data = try? file.readToEnd() else { return [] }
        let text = String(decoding: data, as: UTF8.self)
        return text.split(separator: "\n").suffix(count).map { SafeText.line(String($0)) }
    }
}
