/// Something that happens to one file of a directory.
struct Damage {
    enum Kind: UInt8, CaseIterable {
        case zero, flip, cut, overwrite, insert, extend, remove, exchange
    }

    private let kind: Kind
    private let file: Int
    private let other: Int
    private let offset: Int
    private let count: Int
    private let bytes: [UInt8]

    init(_ reader: inout InputReader, among files: Int) {
        kind = Kind.allCases[Int(reader.byte()) % Kind.allCases.count]
        let files = max(1, files)
        file = Int(reader.byte()) % files
        switch kind {
        case .overwrite, .insert:
            offset = reader.word() | Int(reader.byte()) << 16
            bytes = reader.string()
            (count, other) = (0, 0)
        case .exchange:
            other = Int(reader.byte()) % files
            (offset, count, bytes) = (0, 0, [])
        default:
            offset = reader.word() | Int(reader.byte()) << 16
            count = reader.word()
            (bytes, other) = ([], 0)
        }
    }

    func apply(to files: inout [DataDirectoryTemplates.File]) {
        guard file < files.count, other < files.count else { return }
        let size = files[file].bytes.count
        let place = size == 0 ? 0 : offset % size
        let range = place..<min(size, place + count)
        switch kind {
        case .zero: for index in range { files[file].bytes[index] = 0 }
        case .flip: if size > 0 { files[file].bytes[place] ^= 1 << UInt8(count % 8) }
        case .cut: files[file].bytes.removeSubrange(place...)
        case .overwrite:
            for (index, byte) in bytes.enumerated() where place + index < size {
                files[file].bytes[place + index] = byte
            }
        case .insert: files[file].bytes.insert(contentsOf: bytes, at: place)
        case .extend: files[file].bytes += [UInt8](repeating: 0, count: count)
        case .remove: files.remove(at: file)
        case .exchange:
            let bytes = files[file].bytes
            files[file].bytes = files[other].bytes
            files[other].bytes = bytes
        }
    }
}
