internal import Foundation

/// A directory that is made beside its place, in `PATH.partial`, and then moved there as a whole.
///
///     PATH.partial/unfinished-export   says whose directory it is: nothing is removed without this file
///     PATH.partial/content             becomes PATH
struct PartialDirectory {
    /// The name of the file that only an export makes.
    static let mark = "unfinished-export"

    private let path: String
    /// The path at which the content is made.
    let content: String
    private let mark: String

    /// Makes the directory. What an export has left that was killed is removed.
    ///
    /// - Throws: `ExportError.notEmpty` if there is something else in its place; the errors of the files.
    init(for directory: String) throws {
        path = directory + ".partial"
        content = path + "/content"
        mark = path + "/" + Self.mark
        let files = FileManager.default
        if files.fileExists(atPath: mark) {
            if files.fileExists(atPath: content) { try files.removeItem(atPath: content) }
        } else if !Self.isFree(path) {
            throw ExportError.notEmpty(path)
        }
        try files.createDirectory(atPath: path, withIntermediateDirectories: true)
        try Data().write(to: URL(filePath: mark))
    }

    /// Whether there is nothing at a path, or an empty directory.
    static func isFree(_ path: String) -> Bool {
        guard FileManager.default.fileExists(atPath: path) else { return true }
        return (try? FileManager.default.contentsOfDirectory(atPath: path))?.isEmpty == true
    }

    /// Moves the content to its place, so that it is there also after a power cut.
    ///
    /// - Throws: `ExportError`.
    func move(to directory: String) throws(ExportError) {
        guard rename(content, directory) == 0 else { throw .notMoved(from: content, to: directory) }
        // Nothing else is in there; if so, it stays.
        unlink(mark)
        rmdir(path)
        let parent = URL(filePath: directory).deletingLastPathComponent().path
        let descriptor = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { if descriptor >= 0 { close(descriptor) } }
        guard descriptor >= 0, fsync(descriptor) == 0 else { throw .notDurable(directory) }
    }
}
