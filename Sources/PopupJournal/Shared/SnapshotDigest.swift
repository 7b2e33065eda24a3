import Checksums

/// The digest of the state that a snapshot contains. Nodes tell by it whether the same entries have led to the same state.
public struct SnapshotDigest: Hashable, Sendable {
    /// The rules by which the state was made: see `LogSnapshot.rules`.
    public var rules: UInt32
    /// The size of the state in bytes.
    public var byteCount: UInt64
    /// The checksum of the state.
    public var checksum: UInt32

    /// Creates a digest.
    public init(rules: UInt32, byteCount: UInt64, checksum: UInt32) {
        self.rules = rules
        self.byteCount = byteCount
        self.checksum = checksum
    }

    /// Returns whether this state and another one after the same entry differ, although the rules are the same. States by
    /// other rules, or by rules that are not known, are not compared.
    public func contradicts(_ other: SnapshotDigest) -> Bool {
        rules != 0 && rules == other.rules && self != other
    }

    /// Returns the number of the rules that a version of the program has: the checksum of its name.
    public static func rules(ofVersion version: String) -> UInt32 {
        let bytes = Array(version.utf8)
        return bytes.withUnsafeBytes { CRC32C.checksum(of: $0) }
    }
}

extension LogSnapshot {
    /// The digest of its state.
    public var digest: SnapshotDigest {
        SnapshotDigest(
            rules: rules, byteCount: UInt64(state.count), checksum: SnapshotManifest.checksum(of: state))
    }
}
