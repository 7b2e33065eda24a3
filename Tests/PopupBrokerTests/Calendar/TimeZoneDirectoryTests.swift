import Foundation
@testable import PopupBroker
import PopupProtocol
import SwiftProtobuf
import Testing

@Suite("The system's time zones")
struct TimeZoneDirectoryTests {
    @Test(
        "are had by the names of the database alone",
        arguments: [
            ("Europe/Berlin", true), ("UTC", true), ("Etc/GMT+5", true), ("America/Argentina/Buenos_Aires", true),
            ("America/Port-au-Prince", true), ("EST5EDT", true),
            ("", false), ("/etc/passwd", false), ("../../etc/passwd", false), ("Europe/../UTC", false),
            ("Europe/", false),
            ("Europe//Berlin", false), (".", false), ("zone.tab", false), ("Europe/Berlin\0", false), ("5", false),
            ("Europe\\Berlin", false), (String(repeating: "a", count: 201), false),
        ])
    func names(name: String, isName: Bool) {
        #expect(TimeZoneDirectory.isName(name) == isName)
    }

    @Test("are refused by name and folder when they aren't there or are no zones")
    func missing() throws {
        let folder = try ZoneFolder(["Damaged": [1, 2, 3], "Large": [UInt8](repeating: 0, count: 70_000)])
        try FileManager.default.createDirectory(atPath: folder.path + "/Europe", withIntermediateDirectories: false)
        func words(_ name: String) -> String? {
            do throws(UnusableTimeZone) {
                _ = try TimeZoneDirectory(path: folder.path).zone(named: name)
                return nil
            } catch {
                return error.what.replacing(folder.path, with: "FOLDER")
            }
        }
        let absent = "which FOLDER doesn't have; check its spelling, or install the system's tzdata"
        #expect(words("Nowhere") == "is `Nowhere`, \(absent)")
        #expect(words("Europe") == "is `Europe`, \(absent)")
        #expect(words("Large") == "is `Large`, \(absent)")
        #expect(words("Damaged") == "is `Damaged`, whose file in FOLDER cannot be used: it ends within a header")
        #expect(words("../Damaged") == "is not the name of a time zone; use one like Europe/Berlin, or UTC")
    }

    @Test("are not read again where they are known")
    func known() throws {
        let utc = try TimeZoneDirectory.system.zone(named: "UTC")
        let folder = try ZoneFolder(["Here": utc.bytes])
        let policy = WireSetPolicy.with {
            $0.quiet = [.with { $0.timeZone = "Here" }, .with { $0.timeZone = "Here" }]
        }
        let zones = try TimeZoneDirectory(path: folder.path).zones(of: policy)
        #expect(zones.map(\.name) == ["Here"])
        var known = TimeZoneTable()
        known.enter(try #require(zones.first))
        try folder.set("Here", to: [1, 2, 3])
        #expect(try TimeZoneDirectory(path: folder.path).zones(of: policy, known: known) == zones)
        #expect(throws: CommandRefusal.self) { try TimeZoneDirectory(path: folder.path).zones(of: policy) }
    }

    @Test("that are loaded are those of the folder, and wait for no file")
    func loaded() throws {
        let bytes = try TimeZoneDirectory.system.zone(named: "Europe/Berlin").bytes
        let folder = try ZoneFolder(["Here": bytes])
        try FileManager.default.createDirectory(
            atPath: folder.path + "/America/Argentina", withIntermediateDirectories: true)
        try folder.set("America/Argentina/There", to: bytes)
        // A circle, as some systems have one.
        try FileManager.default.createSymbolicLink(atPath: folder.path + "/posix", withDestinationPath: ".")
        let zones = LoadedTimeZones(TimeZoneDirectory(path: folder.path))
        try FileManager.default.removeItem(atPath: folder.path)
        for name in ["Here", "America/Argentina/There", "posix/Here"] {
            #expect(try zones.zone(named: name).bytes == bytes)
        }
        #expect(throws: UnusableTimeZone.self) { try zones.zone(named: "Nowhere") }
    }

    @Test("can all be used, save those that count leap seconds")
    func all() throws {
        let folder = TimeZoneDirectory.system
        let loaded = LoadedTimeZones(folder)
        let names = try #require(FileManager.default.enumerator(atPath: folder.path)).compactMap { $0 as? String }
        var read = 0
        for name in names where TimeZoneDirectory.isName(name) && !name.hasPrefix("right/") {
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: "\(folder.path)/\(name)", isDirectory: &isFolder)
            let start = try? FileHandle(forReadingFrom: URL(filePath: "\(folder.path)/\(name)")).read(upToCount: 4)
            guard !isFolder.boolValue, start == Data("TZif".utf8) else { continue }
            let zone = try folder.zone(named: name)
            #expect(try loaded.zone(named: name) == zone, "\(name)")
            read += 1
        }
        #expect(read > 300)
    }
}

/// A folder of zones of a test's own, which goes with it.
final class ZoneFolder {
    let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path

    init(_ zones: [String: [UInt8]]) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        for (name, bytes) in zones { try set(name, to: bytes) }
    }

    func set(_ name: String, to bytes: [UInt8]) throws {
        try Data(bytes).write(to: URL(filePath: "\(path)/\(name)"))
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}
