import Checksums

/// The record that makes a snapshot in a shared log complete: it is written after all chunks, and says what they contain.
public struct SnapshotManifest: Hashable, Sendable {
    /// The index of the last entry that the snapshot contains.
    public var index: UInt64
    /// The epoch of that entry.
    public var epoch: UInt64
    /// The time of that entry, in ms.
    public var time: Int64
    /// The chain of all entries through that one.
    public var chain: UInt32
    /// The process that wrote the chunks.
    public var maker: LogOwner
    /// The size of the state.
    public var byteCount: UInt64
    /// The number of chunks.
    public var chunkCount: UInt32
    /// The checksum of the state.
    public var checksum: UInt32
    /// The version of the rules by which the state was made; 0: not known.
    public var rules: UInt32

    /// Creates the manifest of a snapshot in chunks of a size.
    public init(of snapshot: LogSnapshot, by maker: LogOwner, chunkBytes: Int) {
        index = snapshot.index
        epoch = snapshot.epoch
        time = snapshot.time
        chain = snapshot.chain
        self.maker = maker
        byteCount = UInt64(snapshot.state.count)
        chunkCount = UInt32((snapshot.state.count + chunkBytes - 1) / chunkBytes)
        checksum = Self.checksum(of: snapshot.state)
        rules = snapshot.rules
    }

    /// The size of the record.
    public static var byteCount: Int { 72 }

    /// The digest of the state.
    public var digest: SnapshotDigest { SnapshotDigest(rules: rules, byteCount: byteCount, checksum: checksum) }

    /// The manifest as bytes.
    public var bytes: [UInt8] {
        var record = FixedRecordWriter(magic: "PBS1", capacity: Self.byteCount)
        record.append(index)
        record.append(epoch)
        record.append(time)
        record.append(chain)
        record.append(maker.high)
        record.append(maker.low)
        record.append(byteCount)
        record.append(chunkCount)
        record.append(checksum)
        record.append(rules)
        record.appendChecksum()
        return record.bytes
    }

    /// Creates the manifest that bytes contain.
    ///
    /// - Throws: `.damaged` if they are not those of a manifest.
    public init(_ bytes: [UInt8]) throws(LogRecordError) {
        var record = try FixedRecordReader(bytes[...], magic: "PBS1", byteCount: Self.byteCount)
        index = record.next()
        epoch = record.next()
        time = record.next()
        chain = record.next()
        maker = LogOwner(high: record.next(), low: record.next())
        byteCount = record.next()
        chunkCount = record.next()
        checksum = record.next()
        rules = record.next()
        // Each chunk has a byte, so a reader knows at the first one too many.
        guard index > 0, LogRecordBounds.hold(epoch: epoch, index: index, time: time), chunkCount <= byteCount,
            (chunkCount == 0) == (byteCount == 0)
        else { throw .damaged }
    }

    /// Returns the snapshot with a state.
    ///
    /// - Throws: `.damaged` if the state is another one.
    public func snapshot(of state: [UInt8]) throws(LogRecordError) -> LogSnapshot {
        guard UInt64(state.count) == byteCount, Self.checksum(of: state) == checksum else { throw .damaged }
        return LogSnapshot(index: index, epoch: epoch, time: time, chain: chain, state: state, rules: rules)
    }

    /// Returns the checksum of a state.
    static func checksum(of state: [UInt8]) -> UInt32 {
        FixedRecordReader.checksum(of: state[...], followedBy: [])
    }
}
