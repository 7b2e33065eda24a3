import Foundation

/// A reader of the lines of a file or of standard input, one at a time, so that a large file needs little memory.
struct LineReader {
    private let handle: FileHandle
    private var bytes: [UInt8] = []
    private var position = 0
    private var isAtEnd = false

    /// Creates a reader of the file at a path; `-` is standard input.
    init(path: String) throws {
        handle = path == "-" ? .standardInput : try FileHandle(forReadingFrom: URL(filePath: path))
    }

    /// Returns the next line without its end; `nil` after the last.
    mutating func next() throws -> [UInt8]? {
        var searched = position
        while true {
            if let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { position = end + 1 }
                return Array(bytes[position..<end])
            }
            searched = bytes.count
            if isAtEnd {
                guard position < bytes.count else { return nil }
                defer { position = bytes.count }
                return Array(bytes[position...])
            }
            if position > 0 {
                bytes.removeFirst(position)
                searched -= position
                position = 0
            }
            guard bytes.count < Self.longestLine else { throw LineTooLong() }
            // Only what the pipe contains now, so that each line is answered at once.
            let more = handle.availableData
            isAtEnd = more.isEmpty
            bytes.append(contentsOf: more)
        }
    }

    struct LineTooLong: Error {}

    private static let longestLine = 16 << 20
}
