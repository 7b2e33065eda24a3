/// Where the columns of a batch's row lie in its record (https://www.sqlite.org/fileformat2.html#record_format).
struct RecordShape {
    /// In bytes: the whole record.
    let size: Int
    private let time: Range<Int>
    private let checksum: Range<Int>
    private let commands: Range<Int>
    /// The types of the two numbers.
    private let types: (UInt64, UInt64)

    /// Reads what a record says of itself; `nil` when it is no batch's.
    init?(_ record: UnsafeRawBufferPointer) {
        var place = 0
        // The key is in the cell, and null in the record.
        guard let header = Varint.read(record, &place), header <= record.count,
            Varint.read(record, &place) == 0,
            let timeType = Varint.read(record, &place), let timeSize = Self.integerSize(timeType),
            let checksumType = Varint.read(record, &place), let checksumSize = Self.integerSize(checksumType),
            let blob = Varint.read(record, &place), blob >= 12, blob.isMultiple(of: 2), blob < 1 << 33,
            place == Int(header)
        else { return nil }
        types = (timeType, checksumType)
        time = place..<place + timeSize
        checksum = time.upperBound..<time.upperBound + checksumSize
        commands = checksum.upperBound..<checksum.upperBound + (Int(blob) - 12) / 2
        size = commands.upperBound
        // The numbers must lie in what was given; the rest of a long record comes later.
        guard checksum.upperBound <= record.count else { return nil }
    }

    /// In bytes; `nil` for what is no integer.
    private static func integerSize(_ type: UInt64) -> Int? {
        switch type {
        case 1...4: Int(type)
        case 5: 6
        case 6: 8
        case 8, 9: 0
        default: nil
        }
    }

    /// The batch of a whole record of this shape, which is lent.
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

/// SQLite's numbers of one to nine bytes, highest first: seven bits a byte, eight in the ninth.
enum Varint {
    /// Reads one and moves `place` behind it; `nil` when it goes beyond the end.
    static func read(_ bytes: UnsafeRawBufferPointer, _ place: inout Int) -> UInt64? {
        var value: UInt64 = 0
        for index in 0..<9 {
            guard place < bytes.count else { return nil }
            let byte = bytes[place]
            place += 1
            if index == 8 { return value << 8 | UInt64(byte) }
            value = value << 7 | UInt64(byte & 0x7F)
            if byte & 0x80 == 0 { return value }
        }
        return nil
    }
}
