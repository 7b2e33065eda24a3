import Foundation
import Glibc
import TestSupport

/// Damage to a data directory, as disks, people and programs do it.
enum FolderDamage: CaseIterable {
    case zeroed, cut, emptied, flipped, overwritten, moved, doubled, exchanged, removed, renamed, folder, link, loop,
        unreadable

    /// Does something to one of the files of a folder. Returns what, in words.
    static func any(in folder: String, _ dice: inout SplitMix64) throws -> String {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        guard let name = names.randomElement(using: &dice), let kind = allCases.randomElement(using: &dice) else {
            return "nothing"
        }
        let other = names.randomElement(using: &dice) ?? name
        try kind.apply(to: folder + "/" + name, folder + "/" + other, &dice)
        return "\(kind) \(name)\(kind == .exchanged ? " \(other)" : "")"
    }

    private func apply(to path: String, _ other: String, _ dice: inout SplitMix64) throws {
        let files = FileManager.default
        switch self {
        case .zeroed, .cut, .emptied, .flipped, .overwritten, .moved:
            try changeBytes(of: path, &dice)
        case .doubled:
            // Under the name of another batch.
            try files.copyItem(atPath: path, toPath: Self.renumbered(path, &dice))
        case .exchanged where path != other:
            try files.moveItem(atPath: path, toPath: path + ".exchanged")
            try files.moveItem(atPath: other, toPath: path)
            try files.moveItem(atPath: path + ".exchanged", toPath: other)
        case .renamed:
            try files.moveItem(atPath: path, toPath: Self.renumbered(path, &dice))
        case .exchanged, .removed:
            try files.removeItem(atPath: path)
        case .folder:
            try files.removeItem(atPath: path)
            try files.createDirectory(atPath: path + "/within", withIntermediateDirectories: true)
        case .link:
            let place = Self.free(path + ".elsewhere")
            try files.moveItem(atPath: path, toPath: place)
            try files.createSymbolicLink(atPath: path, withDestinationPath: place)
        case .loop:
            try files.removeItem(atPath: path)
            try files.createSymbolicLink(atPath: path, withDestinationPath: path)
        case .unreadable:
            chmod(path, 0)
        }
    }

    private func changeBytes(of path: String, _ dice: inout SplitMix64) throws {
        guard var bytes = FileManager.default.contents(atPath: path), !bytes.isEmpty else { return }
        let start = Int.random(in: 0..<bytes.count, using: &dice)
        let end = min(bytes.count, start + Int.random(in: 1...8192, using: &dice))
        switch self {
        case .zeroed: bytes.resetBytes(in: start..<end)
        case .cut: bytes = bytes.prefix(start)
        case .emptied: bytes = Data()
        case .flipped: bytes[start] ^= 1 << UInt8.random(in: 0..<8, using: &dice)
        case .overwritten: for place in start..<end { bytes[place] = .random(in: 0...255, using: &dice) }
        default: bytes.removeSubrange(start..<end)
        }
        try bytes.write(to: URL(filePath: path))
    }

    /// The path with another number in the name, or with letters behind it.
    private static func renumbered(_ path: String, _ dice: inout SplitMix64) -> String {
        let folder = (path as NSString).deletingLastPathComponent
        let name = (path as NSString).lastPathComponent
        let number =
            dice.falls(20) ? UInt64.random(in: 0 ... .max, using: &dice) : UInt64.random(in: 0...200, using: &dice)
        let digits = String(number)
        let padded = String(repeating: "0", count: 20 - digits.count) + digits
        let renamed = name.replacing(/[0-9]{20}/, with: padded)
        let isTaken = renamed == name || isThere(folder + "/" + renamed)
        return isTaken ? free(path + ".old") : folder + "/" + renamed
    }

    /// The path, or one with more letters behind it that nothing has.
    private static func free(_ path: String) -> String {
        var free = path
        while isThere(free) { free += "+" }
        return free
    }

    /// Whether something has the path, be it a link that leads nowhere.
    private static func isThere(_ path: String) -> Bool {
        (try? FileManager.default.attributesOfItem(atPath: path)) != nil
    }
}
