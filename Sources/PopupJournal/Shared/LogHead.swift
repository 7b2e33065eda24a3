/// The identity of a process that writes a shared log: 16 random bytes, never used by another process.
public struct LogOwner: Hashable, Sendable {
    /// The first eight bytes.
    public var high: UInt64
    /// The last eight bytes.
    public var low: UInt64

    /// Creates an identity.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
}

/// The end of a shared log. Each request that changes the log compares the whole head, and replaces it.
public struct LogHead: Hashable, Sendable {
    /// The level of the log: what kinds of entries it may contain, and what they mean. Nodes that do not know it end.
    public var level: UInt32
    /// The tenure; greater at each take-over.
    public var epoch: UInt64
    /// The index of the last entry; 0 for none.
    public var index: UInt64
    /// The process that may append.
    public var owner: LogOwner
    /// The time until which timers are handled for certain, in ms: no later entry is earlier.
    public var time: Int64
    /// The time until which the owner may handle timers without another request, in ms.
    public var horizon: Int64
    /// The checksum over all entries, one after another.
    public var chain: UInt32

    /// Creates a head.
    public init(
        level: UInt32, epoch: UInt64, index: UInt64, owner: LogOwner, time: Int64, horizon: Int64, chain: UInt32
    ) {
        self.level = level
        self.epoch = epoch
        self.index = index
        self.owner = owner
        self.time = time
        self.horizon = horizon
        self.chain = chain
    }

    /// The size of the bytes of a head.
    public static var byteCount: Int { 64 }

    /// The greatest level that this program knows.
    public static var newestLevel: UInt32 { 1 }

    /// The head as bytes.
    public var bytes: [UInt8] {
        var record = FixedRecordWriter(magic: "PBH1", capacity: Self.byteCount)
        record.append(level)
        record.append(epoch)
        record.append(index)
        record.append(owner.high)
        record.append(owner.low)
        record.append(time)
        record.append(horizon)
        record.append(chain)
        record.appendChecksum()
        return record.bytes
    }

    /// Creates the head that bytes contain.
    ///
    /// - Throws: `.damaged` if they are not those of a head.
    public init(_ bytes: [UInt8]) throws(LogRecordError) {
        var record = try FixedRecordReader(bytes[...], magic: "PBH1", byteCount: Self.byteCount)
        level = record.next()
        epoch = record.next()
        index = record.next()
        owner = LogOwner(high: record.next(), low: record.next())
        time = record.next()
        horizon = record.next()
        chain = record.next()
        guard 0 <= time, time <= horizon, LogRecordBounds.hold(epoch: epoch, index: index, time: horizon) else {
            throw .damaged
        }
    }
}
