public import PopupProtocol
import SwiftProtobuf
import SystemCalls

/// The system's time zones: a folder of TZif files by the names of the time zone database.
public struct TimeZoneFolder: Sendable, Hashable {
    /// In bytes: a file with more is no zone's.
    static let largestFile = 65_536

    /// Where it is.
    public let path: String

    /// The folder at this path.
    public init(path: String) {
        self.path = path
    }

    /// The folder that the environment names in `TZDIR`, or `/usr/share/zoneinfo`.
    public static let system = TimeZoneFolder(
        path: getenv("TZDIR").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 } ?? "/usr/share/zoneinfo")

    /// The zones that a policy names, as their files are now; each once.
    ///
    /// - Parameter known: zones that were read a moment ago: their files are not read again.
    /// - Throws: `INVALID` for a zone that isn't there or whose file is damaged, naming field, zone and folder.
    public func zones(
        of policy: WireSetPolicy, known: TimeZoneTable = TimeZoneTable()
    ) throws(CommandRefusal) -> [TimeZoneData] {
        var zones: [TimeZoneData] = []
        for (index, window) in policy.quiet.enumerated() where !zones.contains(where: { $0.name == window.timeZone }) {
            do throws(Unusable) {
                if let zone = known[window.timeZone] {
                    zones.append(zone)
                } else {
                    zones.append(try zone(named: window.timeZone))
                }
            } catch {
                throw CommandRefusal(.invalid, "`setPolicy.quiet[\(index)].timeZone` \(error.what)")
            }
        }
        return zones
    }

    /// A name by which no zone is to be had.
    struct Unusable: Error, Equatable {
        var what: String
    }

    func zone(named name: String) throws(Unusable) -> TimeZoneData {
        guard Self.isName(name) else {
            throw Unusable(what: "is not the name of a time zone; use one like Europe/Berlin, or UTC")
        }
        guard let bytes = read(name) else {
            throw Unusable(
                what: "is `\(name)`, which \(path) doesn't have; check its spelling, or install the system's tzdata")
        }
        do throws(TimeZoneFile.Damaged) {
            return try TimeZoneData(name: name, bytes: bytes)
        } catch {
            throw Unusable(what: "is `\(name)`, whose file in \(path) cannot be used: \(error.what)")
        }
    }

    /// Whether it is made as the database's names are, so that it leads to no place outside the folder: segments that
    /// begin with a letter.
    static func isName(_ name: String) -> Bool {
        name.utf8.count <= WireLimits.maximumIDBytes
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

    /// What is in a file of the folder; `nil` for what is no file, can't be read, or is too large.
    private func read(_ name: String) -> [UInt8]? {
        // Never waits for whoever writes a pipe.
        let file = open("\(path)/\(name)", O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= Self.largestFile else {
            return nil
        }
        var failed = false
        let bytes = [UInt8](unsafeUninitializedCapacity: Self.largestFile) { buffer, count in
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
