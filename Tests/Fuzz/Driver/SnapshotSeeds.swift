import Foundation

/// Seeds that only the code can write: the states and snapshots that inputs of JSON frames lead to.
enum SnapshotSeeds {
    static func write(of frames: String, to folder: String) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: frames).sorted() where name.hasPrefix("seed-") {
            guard let input = FileManager.default.contents(atPath: "\(frames)/\(name)") else { continue }
            let outcome = try FramesEntry.run(lines: Array(input))
            // An even byte before a scheduler's state, an odd one before a snapshot.
            try Data([24] + outcome.state).write(to: URL(filePath: "\(folder)/\(name)-state"))
            try Data([25] + outcome.snapshot).write(to: URL(filePath: "\(folder)/\(name)-snapshot"))
        }
    }
}
