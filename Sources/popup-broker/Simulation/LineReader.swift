import SystemCalls

/// A reader of the lines of a file or of standard input, one at a time, so that a large file needs little memory.
struct LineReader {
    /// A reason for which there is no next line.
    enum Fault: Error {
        case unreadable(InputError)
        case lineTooLong
    }

    private static let longestLine = 16 << 20

    private let file: InputFile
    private var bytes: [UInt8] = []
    private var position = 0
    private var isAtEnd = false

    /// Opens the file at a path; `-` is standard input.
    init(path: String) throws(InputError) {
        file = try InputFile(argument: path)
    }

    /// Returns the next line without its end; `nil` after the last.
    mutating func next() throws(Fault) -> [UInt8]? {
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
            guard bytes.count < Self.longestLine else { throw .lineTooLong }
            // Only what a pipe contains now, so that each line is answered at once.
            let more: [UInt8]
            do throws(InputError) { more = try file.bytes() } catch { throw .unreadable(error) }
            isAtEnd = more.isEmpty
            bytes += more
        }
    }
}
