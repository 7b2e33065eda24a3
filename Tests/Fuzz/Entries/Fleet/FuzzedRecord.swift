import Checksums
import PopupJournal

/// Records of a shared log: as they are, and behind checksums that fit.
enum FuzzedRecord: UInt8, CaseIterable {
    case head, entry, manifest

    private var magic: [UInt8] {
        switch self {
        case .head: Array("PBH1".utf8)
        case .entry: Array("PBE1".utf8)
        case .manifest: Array("PBS1".utf8)
        }
    }

    /// The size of the fields between the letters and the checksum.
    private var fieldBytes: Int {
        switch self {
        case .head: LogHead.byteCount - 8
        case .entry: LogEntry.headerByteCount - 8
        case .manifest: SnapshotManifest.byteCount - 8
        }
    }

    /// Returns the record with the fields that bytes begin with; of an entry, the rest are its commands.
    func sealed(_ bytes: [UInt8]) -> [UInt8] {
        let fields = Array(bytes.prefix(fieldBytes))
        let header = magic + fields + [UInt8](repeating: 0, count: fieldBytes - fields.count)
        let content = self == .entry ? Array(bytes.dropFirst(fieldBytes)) : []
        let checksum = (header + content).withUnsafeBytes { CRC32C.checksum(of: $0) }
        return header + withUnsafeBytes(of: checksum.bigEndian, Array.init) + content
    }

    /// Reads bytes as each kind of record. Returns what a node would see of them.
    ///
    /// - Throws: `Finding` if a record that is read is written as another.
    static func hint(in bytes: [UInt8]) throws -> LogHint? {
        if let head = try? LogHead(bytes) {
            guard head.bytes == bytes else { throw Finding("a head is written as another: \(head)") }
            guard head.time <= head.horizon else { throw Finding("a head has a horizon before its time: \(head)") }
            return .head(head)
        }
        if let entry = try? LogEntry(bytes) {
            guard entry.bytes == bytes else { throw Finding("an entry is written as another: \(entry)") }
            guard entry.time <= entry.horizon else { throw Finding("an entry has a horizon before its time") }
            _ = (entry.level, entry.chainAfter)
            return .entry(entry)
        }
        if let manifest = try? SnapshotManifest(bytes) {
            guard manifest.bytes == bytes else { throw Finding("a manifest is written as another: \(manifest)") }
            guard (try? manifest.snapshot(of: [])) == nil || manifest.byteCount == 0 else {
                throw Finding("the snapshot of a manifest with \(manifest.byteCount) bytes is empty")
            }
        }
        return nil
    }
}
