/// The positions of the columns of a batch in its record (https://www.sqlite.org/fileformat2.html#record_format).
struct RecordShape {
    /// The size of the complete record, in bytes.
    let size: Int
    private let time: Range<Int>
    private let checksum: Range<Int>
    private let commands: Range<Int>
    /// The serial types of the two numbers.
    private let types: (UInt64, UInt64)

    /// Reads the header of a record; `nil` if it is not a batch.
    init?(_ record: UnsafeRawBufferPointer) {
        var offset = 0
        // The key is in the cell, and null in the record.
        guard let header = Varint.read(record, &offset), header <= record.count,
            Varint.read(record, &offset) == 0,
            let timeType = Varint.read(record, &offset), let timeSize = Self.integerSize(timeType),
            let checksumType = Varint.read(record, &offset), let checksumSize = Self.integerSize(checksumType),
            let blob = Varint.read(record, &offset), blob >= 12, blob.isMultiple(of: 2), blob < 1 << 33,
            offset == Int(header)
        else { return nil }
        types = (timeType, checksumType)
        time = offset..<offset + timeSize
        checksum = time.upperBound..<time.upperBound + checksumSize
        commands = checksum.upperBound..<checksum.upperBound + (Int(blob) - 12) / 2
        size = commands.upperBound
        // The numbers must be in `record`. The rest of a long record is in overflow pages.
        guard checksum.upperBound <= record.count else { return nil }
    }

    /// Returns the size of an integer in bytes; `nil` if the type is not one of integers.
    private static func integerSize(_ type: UInt64) -> Int? {
        switch type {
        case 1...4: Int(type)
        case 5: 6
        case 6: 8
        case 8, 9: 0
        default: nil
        }
    }

    /// Returns the batch in a complete record of this shape. It refers to the bytes of `record`.
    func batch(_ sequence: UInt64, in record: UnsafeRawBufferPointer) -> StoredBatch {
        StoredBatch(
            sequence: sequence, time: Self.integer(types.0, record[time]),
            checksum: Self.integer(types.1, record[checksum]),
            commands: UnsafeRawBufferPointer(rebasing: record[commands]))
    }

    private static func integer(_ type: UInt64, _ bytes: Slice<UnsafeRawBufferPointer>) -> Int64 {
        guard let first = bytes.first else { return type == 9 ? 1 : 0 }
        // The highest byte has the sign.
        return bytes.dropFirst().reduce(Int64(Int8(bitPattern: first))) { $0 << 8 | Int64($1) }
    }
}

/// SQLite's variable-length integers of one to nine bytes, big-endian: seven bits per byte, eight in the ninth.
enum Varint {
    /// Reads an integer and moves `offset` past it; returns `nil` if it exceeds the bytes.
    static func read(_ bytes: UnsafeRawBufferPointer, _ offset: inout Int) -> UInt64? {
        var value: UInt64 = 0
        for index in 0..<9 {
            guard offset < bytes.count else { return nil }
            let byte = bytes[offset]
            offset += 1
            if index == 8 { return value << 8 | UInt64(byte) }
            value = value << 7 | UInt64(byte & 0x7F)
            if byte & 0x80 == 0 { return value }
        }
        return nil
    }
}
