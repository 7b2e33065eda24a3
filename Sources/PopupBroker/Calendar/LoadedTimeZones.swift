import PopupState
import SystemCalls

/// The time zones of a directory, in memory, as they were when the directory was read. A look-up reads no file.
///
/// The broker's loop has no other source. A directory is read before the loop begins and, on a thread of its own,
/// before a configuration is taken over.
struct LoadedTimeZones: TimeZoneSource {
    /// The maximum number of segments of a name: `posix/America/Argentina/Buenos_Aires`. So a cycle of links ends.
    private static let maxDepth = 4
    /// The maximum number of files. The database has about 1800, including those with two names.
    private static let maxFiles = 8192

    private let directory: TimeZoneDirectory
    private var files: [String: [UInt8]] = [:]

    /// Reads all zones of a directory. A file that cannot be read is left out.
    init(_ directory: TimeZoneDirectory) {
        self.directory = directory
        load(below: "", depth: 1)
    }

    private mutating func load(below prefix: String, depth: Int) {
        for entry in entries(of: prefix) where TimeZoneDirectory.isName(entry) && files.count < Self.maxFiles {
            let name = prefix + entry
            if let bytes = directory.read(name) {
                files[name] = bytes
            } else if depth < Self.maxDepth, name != "right" {
                // The zones of `right` count leap seconds, unlike the clocks of users.
                load(below: name + "/", depth: depth + 1)
            }
        }
    }

    private func entries(of prefix: String) -> [String] {
        guard let stream = opendir("\(directory.path)/\(prefix)") else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            names.append(
                withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
        }
        return names
    }

    func zone(named name: String) throws(UnusableTimeZone) -> TimeZoneData {
        try directory.zone(named: name, bytes: files[name])
    }
}
