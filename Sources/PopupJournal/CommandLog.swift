/// The entries of a batch, or the parts of a snapshot, as bytes: for each its kind (1 byte), its length (4 bytes,
/// little-endian) and its content.
public struct CommandLog: Sendable {
    /// The kind of an entry.
    public enum Kind: UInt8, Sendable {
        /// A command in its binary form.
        case command = 1
        /// The name or pattern whose policy is removed, by a configuration that is read again.
        case removedPolicy = 2
        /// The data of a time zone for the following policies: its name, a zero byte, and the content of its file.
        case timeZone = 3
        /// A `setPolicy` command of the configuration.
        case configuredPolicy = 4
        /// The limits of the scheduler from here on and, in the first such entry, its seed.
        case settings = 5
        /// A sequence whose command was refused before the journal: its producer, the digest of the command, the reason.
        case refusedSequence = 6
        /// A command that was amended: the digest of the command as the producer sent it (8 bytes, little-endian), then
        /// the command.
        case amendedCommand = 8
        /// In a snapshot: the settled sequences of a producer, and their outcomes.
        case producer = 9
        /// In a snapshot: the state of the scheduler, to the end.
        case scheduler = 10
        /// A change of the wall clock: its difference from the broker's time from then on.
        case wallClock = 11
    }

    /// One entry: the range of its content among the bytes of the log.
    public struct Entry: Sendable, Hashable {
        /// The kind.
        public var kind: Kind
        /// The range of its content.
        public var range: Range<Int>
    }

    /// The bytes for the journal.
    public private(set) var bytes: [UInt8] = []

    /// Creates an empty log.
    public init() {}

    /// Appends an entry, whose content may be in two parts. Returns the range of its content.
    @discardableResult
    public mutating func append(_ kind: Kind, _ entry: RawSpan, followedBy end: RawSpan = RawSpan()) -> Range<Int> {
        let count = entry.byteCount &+ end.byteCount
        let start = bytes.count &+ Self.headBytes
        // The array's capacity and uniqueness are checked once, and not for each byte: every command passes here.
        bytes.append(addingCapacity: Self.headBytes &+ count) { output in
            output.withUnsafeMutableBufferPointer { room, written in
                let room = UnsafeMutableRawBufferPointer(room)
                room.storeBytes(of: kind.rawValue, as: UInt8.self)
                room.storeBytes(of: UInt32(count).littleEndian, toByteOffset: 1, as: UInt32.self)
                entry.withUnsafeBytes {
                    UnsafeMutableRawBufferPointer(rebasing: room[Self.headBytes...]).copyMemory(from: $0)
                }
                if end.byteCount > 0 {
                    let start = Self.headBytes &+ entry.byteCount
                    end.withUnsafeBytes {
                        UnsafeMutableRawBufferPointer(rebasing: room[start...]).copyMemory(from: $0)
                    }
                }
                written = Self.headBytes &+ count
            }
        }
        return start..<bytes.count
    }

    /// The size of an entry's kind and length, in bytes.
    private static var headBytes: Int { 5 }

    /// Appends an entry whose content `write` appends to the bytes.
    public mutating func append(_ kind: Kind, _ write: (inout [UInt8]) -> Void) {
        bytes.append(kind.rawValue)
        let start = bytes.count
        bytes.append(contentsOf: [0, 0, 0, 0])
        write(&bytes)
        let count = UInt32(bytes.count - start - 4)
        for byte in 0..<4 { bytes[start + byte] = UInt8(truncatingIfNeeded: count >> UInt32(byte * 8)) }
    }

    /// Appends an amended command, and returns the range of its bytes.
    public mutating func append(amended command: RawSpan, digest: UInt64) -> Range<Int> {
        append(.amendedCommand) { bytes in
            for shift in stride(from: UInt64(0), to: 64, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: digest >> shift))
            }
            command.withUnsafeBytes { bytes.append(contentsOf: $0) }
        }
        return bytes.count - command.byteCount..<bytes.count
    }

    /// Returns the digest and the range of the command of such an entry; `nil` if it is damaged.
    public static func amended(_ entry: Entry, in bytes: [UInt8]) -> (digest: UInt64, command: Range<Int>)? {
        guard entry.range.count >= 8 else { return nil }
        let digest = (0..<8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64(bytes[entry.range.lowerBound + $1]) }
        return (digest, entry.range.dropFirst(8))
    }

    /// Removes what was appended after the first `count` bytes.
    public mutating func truncate(toByteCount count: Int) {
        bytes.removeLast(bytes.count - count)
    }

    /// Removes all entries, and keeps the memory.
    public mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
    }

    /// Returns the bytes without a copy.
    public consuming func takeBytes() -> [UInt8] { bytes }

    /// Returns the entries of a batch that was read from the journal.
    ///
    /// - Parameters:
    ///   - bytes: The batch.
    ///   - last: The first entry of this kind is the last one of the log, whatever follows it.
    /// - Throws: `CommandLogError` if the bytes are not a log.
    public static func entries(in bytes: [UInt8], through last: Kind? = nil) throws(CommandLogError) -> [Entry] {
        var entries: [Entry] = []
        var position = 0
        while position < bytes.count {
            guard bytes.count - position >= 5 else { throw CommandLogError(position: position) }
            let count = (1...4).reversed().reduce(0) { $0 << 8 | Int(bytes[position + $1]) }
            guard bytes.count - position - 5 >= count else { throw CommandLogError(position: position) }
            guard let kind = Kind(rawValue: bytes[position]) else {
                throw CommandLogError(position: position, unknownKind: bytes[position])
            }
            entries.append(Entry(kind: kind, range: position + 5..<position + 5 + count))
            position += 5 + count
            if kind == last { break }
        }
        return entries
    }
}

/// The error that the bytes of a batch are not a log.
public struct CommandLogError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The position at which there is no valid entry.
    public var position: Int
    /// The kind of the entry there, if only that is unknown: a newer version may have written it. `nil` for damage.
    public var unknownKind: UInt8?

    /// One sentence that says what is wrong.
    public var description: String {
        if let unknownKind {
            return "a batch of the journal has an entry of the kind \(unknownKind), which this version does not know; "
                + "install a newer version, or restore a backup"
        }
        return "a batch of the journal is damaged at byte \(position); restore a backup, or start with an empty journal"
    }
}
