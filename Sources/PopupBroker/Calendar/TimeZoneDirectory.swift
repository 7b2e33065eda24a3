import PopupProtocol
public import PopupState
import SystemCalls

/// The system's time zones: a directory of TZif files by the names of the time zone database.
///
/// Looking up a zone reads a file, which may wait for a disk or a network. The broker's loop uses `LoadedTimeZones`.
public struct TimeZoneDirectory: TimeZoneSource, Hashable {
    /// The maximum number of bytes of a file.
    static let maxFileBytes = 65_536

    /// The path of the directory.
    public let path: String

    /// Creates the time zones of the directory at a path.
    public init(path: String) {
        self.path = path
    }

    /// The directory that the environment names in `TZDIR`, or `/usr/share/zoneinfo`.
    public static let system = TimeZoneDirectory(
        path: getenv("TZDIR").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 } ?? "/usr/share/zoneinfo")

    /// Reads the file of a zone.
    ///
    /// - Throws: If no zone has this name, or its file is damaged.
    public func zone(named name: String) throws(UnusableTimeZone) -> TimeZoneData {
        try zone(named: name, bytes: Self.isName(name) ? read(name) : nil)
    }

    /// Returns the zone with this name.
    ///
    /// - Parameter bytes: The content of its file; `nil` if there is no file.
    /// - Throws: `UnusableTimeZone` if the name is not one, there is no file, or the file is damaged.
    func zone(named name: String, bytes: [UInt8]?) throws(UnusableTimeZone) -> TimeZoneData {
        guard Self.isName(name) else {
            throw UnusableTimeZone(what: "is not the name of a time zone; use one like Europe/Berlin, or UTC")
        }
        guard let bytes else {
            throw UnusableTimeZone(
                what: "is `\(name)`, which \(path) doesn't have; check its spelling, or install the system's tzdata")
        }
        do throws(TimeZoneFile.Damaged) {
            return try TimeZoneData(name: name, bytes: bytes)
        } catch {
            throw UnusableTimeZone(what: "is `\(name)`, whose file in \(path) cannot be used: \(error.what)")
        }
    }

    /// Whether a name has the form of the database's names: segments that begin with a letter. So its path does not
    /// leave the directory.
    static func isName(_ name: String) -> Bool {
        name.utf8.count <= WireLimits.maxIDBytes
            && name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy { segment in
                isLetter(segment.first ?? 0) && segment.allSatisfy { isLetter($0) || isDigitOrSign($0) }
            }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte & 0xDF
    }

    private static func isDigitOrSign(_ byte: UInt8) -> Bool {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || "+-_".utf8.contains(byte)
    }

    /// Returns the content of a file of the directory; `nil` if there is no file, or it cannot be read or is too large.
    func read(_ name: String) -> [UInt8]? {
        // Without this option, opening a pipe would wait for its writer.
        let file = open("\(path)/\(name)", O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= Self.maxFileBytes else {
            return nil
        }
        var failed = false
        let bytes = [UInt8](unsafeUninitializedCapacity: Int(status.st_size)) { buffer, count in
            count = 0
            while count < buffer.count {
                let more = SystemCalls.read(file, buffer.baseAddress! + count, buffer.count - count)
                if more < 0, errno == EINTR { continue }
                failed = more < 0
                if more <= 0 { break }
                count += more
            }
        }
        return failed ? nil : bytes
    }
}
