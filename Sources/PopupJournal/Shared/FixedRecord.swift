import Checksums

/// The bytes of a record of fixed size, in which numbers are big-endian.
struct FixedRecordWriter {
    private(set) var bytes: [UInt8]

    /// Creates a record that begins with four letters.
    init(magic: StaticString, capacity: Int) {
        bytes = []
        bytes.reserveCapacity(capacity)
        magic.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// Appends a number.
    mutating func append(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    /// Appends the checksum of all bytes so far and of those that follow the record.
    mutating func appendChecksum(followedBy content: [UInt8] = []) {
        append(FixedRecordReader.checksum(of: bytes[...], followedBy: content[...]))
    }
}

/// The fields of such a record, in their order.
struct FixedRecordReader {
    private let bytes: ArraySlice<UInt8>
    private var position: Int

    /// Creates a reader of a record.
    ///
    /// - Throws: `.damaged` if the size, the four letters or the checksum in the last four bytes are others.
    init(
        _ record: ArraySlice<UInt8>, magic: StaticString, byteCount: Int, followedBy content: ArraySlice<UInt8> = []
    ) throws(LogRecordError) {
        guard record.count == byteCount, magic.withUTF8Buffer({ record.starts(with: $0) }) else { throw .damaged }
        bytes = record
        position = record.endIndex - 4
        let stored: UInt32 = Self.number(in: record, at: position)
        guard stored == Self.checksum(of: record.dropLast(4), followedBy: content) else { throw .damaged }
        position = record.startIndex + 4
    }

    /// Returns the next number.
    mutating func next<Number: FixedWidthInteger>() -> Number {
        defer { position += MemoryLayout<Number>.size }
        return Self.number(in: bytes, at: position)
    }

    private static func number<Number: FixedWidthInteger>(in bytes: ArraySlice<UInt8>, at position: Int) -> Number {
        bytes.withUnsafeBytes {
            Number(bigEndian: $0.loadUnaligned(fromByteOffset: position - bytes.startIndex, as: Number.self))
        }
    }

    /// Returns the checksum of bytes in two parts.
    static func checksum(of bytes: ArraySlice<UInt8>, followedBy content: ArraySlice<UInt8>) -> UInt32 {
        var checksum = CRC32C()
        bytes.withUnsafeBytes { checksum.update($0) }
        content.withUnsafeBytes { checksum.update($0) }
        return checksum.value
    }
}

/// The bounds of what the records of a shared log say: the next epoch and indices, and any time a little later, can be
/// counted.
enum LogRecordBounds {
    /// The greatest index. A reader asks for hundreds of entries at once, and adds their number to an index.
    private static let lastIndex = UInt64.max - 1 << 16

    /// Returns whether a record with these values can be followed by others.
    static func hold(epoch: UInt64, index: UInt64, time: Int64) -> Bool {
        epoch < .max && index <= lastIndex && 0..<1 << 62 ~= time
    }
}

/// The error that the bytes of a shared log cannot be used.
public enum LogRecordError: Error, Hashable, Sendable, CustomStringConvertible {
    /// They are no head or entry, or were changed.
    case damaged
    /// They are of a newer version.
    case newer

    /// One sentence that says what is wrong.
    public var description: String {
        switch self {
        case .damaged: "a record of the shared log is damaged"
        case .newer: "the shared log was written by a newer version"
        }
    }
}
