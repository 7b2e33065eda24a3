import Foundation
@testable import PopupClient
import PopupProtocol

/// The file with the directory of shards. What is accepted is read as it was written, and each group has one shard, which is
/// among those of each pattern that matches it.
enum ShardsEntry {
    /// The number of names and patterns that are looked up: each lookup goes through all.
    private static let mostLookups = 32

    static func run(_ input: [UInt8]) throws -> Bool {
        let directory: ShardDirectory
        do throws(ShardDirectoryError) {
            directory = try ShardDirectory(json: Data(input))
        } catch {
            guard error.description.contains(" "), !error.isUnreadable else {
                throw Finding("a refusal without a reason: `\(error)`")
            }
            return false
        }
        guard try ShardDirectory(json: JSONEncoder().encode(File(directory))) == directory else {
            throw Finding("a directory is not read as it was written")
        }
        for name in directory.names {
            guard try directory.endpoints(of: name) == directory.shards[name] else {
                throw Finding("the endpoints of `\(name)` are others")
            }
        }
        for (pattern, shard) in directory.groups.sorted(by: { $0.key < $1.key }).prefix(mostLookups) {
            try check(pattern, of: shard, in: directory)
        }
        guard try directory.shards(of: "*") == Set(directory.groups.values).sorted() else {
            throw Finding("`*` leaves out a shard with groups")
        }
        return true
    }

    private static func check(_ pattern: String, of shard: String, in directory: ShardDirectory) throws {
        let found = try directory.shards(of: pattern)
        guard found.contains(shard), found.allSatisfy({ directory.shards[$0] != nil }) else {
            throw Finding("`\(pattern)` has the shards \(found), not \(shard)")
        }
        for text in [pattern, pattern.replacing("*", with: "x"), pattern.replacing("*", with: "x/y")] {
            guard let group = GroupName(text), GroupPattern(pattern)?.matches(group) == true else { continue }
            guard found.contains(directory.shard(of: text)) else {
                throw Finding("`\(text)` belongs to \(directory.shard(of: text)), `\(pattern)` to \(found)")
            }
        }
    }

    /// The file of a directory.
    private struct File: Encodable {
        struct Shard: Encodable {
            var ingress: String
            var egress: String
            var keyFile: String?
            var serverKeyFile: String?
        }

        var shards: [String: Shard]
        var groups: [String: String]

        init(_ directory: ShardDirectory) {
            shards = directory.shards.mapValues {
                Shard(
                    ingress: $0.ingress, egress: $0.egress, keyFile: $0.keyFile, serverKeyFile: $0.serverKeyFile)
            }
            groups = directory.groups
        }
    }
}
