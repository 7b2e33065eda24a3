/// How the commands of a batch lie in the journal, and the parts of a snapshot: one after another, each as its kind
/// (1 byte), its length (4 bytes, lowest first) and its bytes.
public struct CommandLog: Sendable {
    /// What an entry is.
    public enum Kind: UInt8, Sendable {
        /// A command as the wire encodes it.
        case command = 1
        /// The name or pattern whose policy is taken back: only a configuration that is read again does so.
        case removedPolicy = 2
        /// The data of a time zone as the policies after it go by: its name, a zero byte, and what its file holds.
        case timeZone = 3
        /// A `setPolicy` command that the configuration gave.
        case configuredPolicy = 4
        /// Within which limits the scheduler goes on, and by which seed, if it is its first.
        case settings = 5
        /// A sequence whose command was refused before it came here: who sent it, the digest of what was sent, why.
        case refusedSequence = 6
        /// A command that isn't as its producer sent it: the digest of what was sent (8 bytes, lowest first), then the
        /// command.
        case amendedCommand = 8
        /// In a snapshot: which sequences of a producer are settled, and how.
        case producer = 9
        /// In a snapshot: the scheduler's state follows, to the end.
        case scheduler = 10
    }

    /// One entry: the place of its bytes among those of the log.
    public struct Entry: Sendable, Hashable {
        /// What it is.
        public var kind: Kind
        /// Where its bytes are.
        public var range: Range<Int>
    }

    /// The bytes for the journal.
    public private(set) var bytes: [UInt8] = []

    /// An empty log.
    public init() {}

    /// Appends an entry, and returns where its bytes are.
    @discardableResult
    public mutating func append(_ kind: Kind, _ entry: RawSpan) -> Range<Int> {
        let count = entry.byteCount
        let start = bytes.count &+ Self.headBytes
        // One look at the array's room and owner for all, not one a byte: each command comes here.
        bytes.append(addingCapacity: Self.headBytes &+ count) { output in
            output.withUnsafeMutableBufferPointer { room, written in
                let room = UnsafeMutableRawBufferPointer(room)
                room.storeBytes(of: kind.rawValue, as: UInt8.self)
                room.storeBytes(of: UInt32(count).littleEndian, toByteOffset: 1, as: UInt32.self)
                entry.withUnsafeBytes {
                    UnsafeMutableRawBufferPointer(rebasing: room[Self.headBytes...]).copyMemory(from: $0)
                }
                written = Self.headBytes &+ count
            }
        }
        return start..<bytes.count
    }

    /// Kind and length.
    private static var headBytes: Int { 5 }

    /// Appends an entry that `write` appends to the bytes.
    public mutating func append(_ kind: Kind, _ write: (inout [UInt8]) -> Void) {
        bytes.append(kind.rawValue)
        let place = bytes.count
        bytes.append(contentsOf: [0, 0, 0, 0])
        write(&bytes)
        let count = UInt32(bytes.count - place - 4)
        for byte in 0..<4 { bytes[place + byte] = UInt8(truncatingIfNeeded: count >> UInt32(byte * 8)) }
    }

    /// Appends a command that isn't as its producer sent it, and returns where the command's bytes are.
    public mutating func append(amended command: RawSpan, digest: UInt64) -> Range<Int> {
        append(.amendedCommand) { bytes in
            for shift in stride(from: UInt64(0), to: 64, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: digest >> shift))
            }
            command.withUnsafeBytes { bytes.append(contentsOf: $0) }
        }
        return bytes.count - command.byteCount..<bytes.count
    }

    /// The digest and the place of the command of such an entry; `nil` when it is damaged.
    public static func amended(_ entry: Entry, in bytes: [UInt8]) -> (digest: UInt64, command: Range<Int>)? {
        guard entry.range.count >= 8 else { return nil }
        let digest = (0..<8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64(bytes[entry.range.lowerBound + $1]) }
        return (digest, entry.range.dropFirst(8))
    }

    /// Takes back what was appended since it had `count` bytes.
    public mutating func truncate(toByteCount count: Int) {
        bytes.removeLast(bytes.count - count)
    }

    /// Forgets the entries and keeps the memory.
    public mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
    }

    /// Hands over the bytes.
    public consuming func takeBytes() -> [UInt8] { bytes }

    /// The entries of a batch that was read back.
    ///
    /// - Parameter last: with the first entry of this kind the log ends, whatever follows it.
    /// - Throws: `CommandLogError` when the bytes are no log.
    public static func entries(in bytes: [UInt8], through last: Kind? = nil) throws(CommandLogError) -> [Entry] {
        var entries: [Entry] = []
        var position = 0
        while position < bytes.count {
            guard bytes.count - position >= 5, let kind = Kind(rawValue: bytes[position]) else {
                throw CommandLogError(position: position)
            }
            let count = (1...4).reversed().reduce(0) { $0 << 8 | Int(bytes[position + $1]) }
            guard bytes.count - position - 5 >= count else { throw CommandLogError(position: position) }
            entries.append(Entry(kind: kind, range: position + 5..<position + 5 + count))
            position += 5 + count
            if kind == last { break }
        }
        return entries
    }
}

/// The bytes of a batch are no log.
public struct CommandLogError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The byte at which an entry should begin and doesn't.
    public var position: Int

    /// A sentence.
    public var description: String {
        "the journal's batch is damaged at byte \(position); restore it from a copy or start with an empty journal"
    }
}
