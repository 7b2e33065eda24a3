import PopupState
import SystemCalls

/// The time zones of a folder, in memory, as they were when the folder was read. A look-up waits for no disk.
///
/// The broker's loop has no other source. A folder is read before the loop begins and, on a thread of its own, before a
/// configuration is taken over.
struct LoadedTimeZones: TimeZoneSource {
    /// How deep names go: `posix/America/Argentina/Buenos_Aires`. No circle of links is followed further.
    private static let deepest = 4
    /// More files than this are no time zones; the database has some 1800, those counted twice included.
    private static let mostFiles = 8192

    private let folder: TimeZoneFolder
    private var files: [String: [UInt8]] = [:]

    /// Reads all zones of a folder. A file that cannot be read is left out.
    init(_ folder: TimeZoneFolder) {
        self.folder = folder
        load(below: "", depth: 1)
    }

    private mutating func load(below prefix: String, depth: Int) {
        for entry in entries(of: prefix) where TimeZoneFolder.isName(entry) && files.count < Self.mostFiles {
            let name = prefix + entry
            if let bytes = folder.read(name) {
                files[name] = bytes
            } else if depth < Self.deepest, name != "right" {
                // Those of `right` count leap seconds, which no clock of a person does.
                load(below: name + "/", depth: depth + 1)
            }
        }
    }

    private func entries(of prefix: String) -> [String] {
        guard let directory = opendir("\(folder.path)/\(prefix)") else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            names.append(
                withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
        }
        return names
    }

    func zone(named name: String) throws(UnusableTimeZone) -> TimeZoneData {
        try folder.zone(named: name, bytes: files[name])
    }
}
