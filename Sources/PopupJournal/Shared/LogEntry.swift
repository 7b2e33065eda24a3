import Checksums

/// An entry of a shared log: a committed batch, or a change of who owns the log.
public struct LogEntry: Hashable, Sendable {
    /// The kind of an entry.
    public enum Kind: UInt16, Sendable, CaseIterable {
        /// A batch of commands.
        case batch = 1
        /// The beginning of a tenure.
        case takeOver = 2
        /// A greater level of the log.
        case level = 3
        /// The beginning of a log with the state of another journal.
        case importedState = 4
    }

    /// The kind.
    public var kind: Kind
    /// The tenure in which it was written.
    public var epoch: UInt64
    /// The position in the log: 1, 2, 3 …
    public var index: UInt64
    /// The time at which its commands are applied, in ms.
    public var time: Int64
    /// The horizon of the head with this entry, in ms.
    public var horizon: Int64
    /// The chain of the entries before it.
    public var chain: UInt32
    /// The commands, in the format of `CommandLog`; of a greater level, its number.
    public var commands: [UInt8]

    /// Creates an entry.
    public init(
        _ kind: Kind, epoch: UInt64, index: UInt64, time: Int64, horizon: Int64, chain: UInt32, commands: [UInt8] = []
    ) {
        self.kind = kind
        self.epoch = epoch
        self.index = index
        self.time = time
        self.horizon = horizon
        self.chain = chain
        self.commands = commands
    }

    /// The level that the log has from this entry on, if it says a greater one. Whoever does not know it must not apply what
    /// follows, also before it has seen the head: 0 for content that is no level, and `nil` for another kind.
    public var level: UInt32? {
        guard kind == .level else { return nil }
        return commands.count == 4 ? commands.reduce(0) { $0 << 8 | UInt32($1) } : 0
    }

    /// Returns the content of an entry that says a greater level.
    static func content(ofLevel level: UInt32) -> [UInt8] { withUnsafeBytes(of: level.bigEndian, Array.init) }

    /// The size of what precedes the commands.
    public static var headerByteCount: Int { 48 }

    /// The entry as bytes.
    public var bytes: [UInt8] { header + commands }

    /// The chain of all entries through this one: the checksum of the chain before it and of its own checksum.
    public var chainAfter: UInt32 {
        let checksum = header.suffix(4)
        var chained = CRC32C()
        withUnsafeBytes(of: chain.bigEndian) { chained.update($0) }
        checksum.withUnsafeBytes { chained.update($0) }
        return chained.value
    }

    private var header: [UInt8] {
        var record = FixedRecordWriter(magic: "PBE1", capacity: Self.headerByteCount + commands.count)
        // The upper half holds flags; none is in use.
        record.append(UInt32(kind.rawValue))
        record.append(epoch)
        record.append(index)
        record.append(time)
        record.append(horizon)
        record.append(chain)
        record.appendChecksum(followedBy: commands)
        return record.bytes
    }

    /// Creates the entry that bytes contain.
    ///
    /// - Throws: `.damaged` if they are not those of an entry that another can follow; `.newer` for a kind or a flag of a later version.
    public init(_ bytes: [UInt8]) throws(LogRecordError) {
        let content = bytes.dropFirst(Self.headerByteCount)
        var record = try FixedRecordReader(
            bytes.prefix(Self.headerByteCount), magic: "PBE1", byteCount: Self.headerByteCount, followedBy: content)
        let kindAndFlags: UInt32 = record.next()
        epoch = record.next()
        index = record.next()
        time = record.next()
        horizon = record.next()
        chain = record.next()
        commands = Array(content)
        guard 0 <= time, time <= horizon, index > 0,
            LogRecordBounds.hold(epoch: epoch, index: index, time: horizon)
        else { throw .damaged }
        guard let kind = UInt16(exactly: kindAndFlags).flatMap(Kind.init) else { throw .newer }
        self.kind = kind
    }
}
