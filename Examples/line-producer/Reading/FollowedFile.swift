import ExampleSupport
import Foundation
import SystemCalls

/// The lines that are added to a file, which may be replaced (rotated), truncated, or not exist yet.
struct FollowedFile: LineSource {
    /// The time between two looks at the file.
    private static let interval: Duration = .milliseconds(100)

    private let path: String
    private var file: OpenFile?
    private var splitter = LineSplitter()
    private var position = 0

    /// Creates a source.
    ///
    /// - Parameter fromStart: Whether the lines that are already in the file count, too.
    init(path: String, fromStart: Bool) {
        self.path = path
        file = OpenFile(path: path)
        guard let file, !fromStart else { return }
        file.seek()
        position = max(0, Int(lseek(file.descriptor, 0, SEEK_CUR)))
    }

    /// Whether the file could be opened. Otherwise it is read from its first line as soon as it can be.
    var isOpen: Bool { file != nil }

    /// Whether the path is that of a directory.
    var isDirectory: Bool { file?.isDirectory ?? false }

    mutating func next() async throws -> [String]? {
        while !Task.isCancelled {
            if let file {
                let bytes = try await file.read()
                position += bytes.count
                var lines = splitter.lines(adding: bytes)
                // The old file is read to its end before the new one is opened.
                if bytes.isEmpty, hasBeenReplaced(file) {
                    if let last = splitter.finish() { lines.append(last) }
                    reopen()
                }
                if !lines.isEmpty { return lines }
                if !bytes.isEmpty { continue }
            } else {
                reopen()
            }
            try await Task.sleep(for: Self.interval)
        }
        return nil
    }

    private mutating func reopen() {
        file = OpenFile(path: path)
        position = 0
    }

    private func hasBeenReplaced(_ file: OpenFile) -> Bool {
        var (open, named) = (stat(), stat())
        guard fstat(file.descriptor, &open) == 0, stat(path, &named) == 0 else { return false }
        let isRegular = open.st_mode & S_IFMT == S_IFREG
        return open.st_ino != named.st_ino || open.st_dev != named.st_dev || isRegular && Int(open.st_size) < position
    }
}
