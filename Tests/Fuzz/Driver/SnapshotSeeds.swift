import Foundation

/// Seeds that only the code can write: the states and snapshots that inputs of JSON frames lead to.
enum SnapshotSeeds {
    static func write(of frames: String, to folder: String) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) where name.hasPrefix("seed-") {
            try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
        }
        var written: Set<[UInt8]> = []
        for name in try FileManager.default.contentsOfDirectory(atPath: frames).sorted() where name.hasPrefix("seed-") {
            guard let input = FileManager.default.contents(atPath: "\(frames)/\(name)") else { continue }
            let outcome = try FramesEntry.run(lines: Array(input))
            // An even byte before a scheduler's state, an odd one before a snapshot.
            for (kind, bytes) in [("state", [24] + outcome.state), ("snapshot", [25] + outcome.snapshot)]
            where written.insert(bytes).inserted {
                try Data(bytes).write(to: URL(filePath: "\(folder)/\(name)-\(kind)"))
            }
        }
    }
}
