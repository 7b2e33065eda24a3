/// An input as a series of small numbers and byte strings. A number beyond the end is 0, a string beyond it is cut off:
/// every input means something.
struct InputReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { position >= bytes.count }

    mutating func byte() -> UInt8 {
        guard !isAtEnd else { return 0 }
        defer { position += 1 }
        return bytes[position]
    }

    /// A number of two bytes, the lowest first.
    mutating func word() -> Int { Int(byte()) | Int(byte()) << 8 }

    /// A number of eight bytes, the lowest first.
    mutating func number() -> UInt64 { (0..<8).reduce(0) { $0 | UInt64(byte()) << UInt64($1 * 8) } }

    /// A byte string behind its length of two bytes.
    mutating func string() -> [UInt8] {
        let count = word()
        let end = min(bytes.count, position + count)
        defer { position = end }
        return Array(bytes[position..<end])
    }

    /// All that is left.
    mutating func rest() -> [UInt8] {
        defer { position = bytes.count }
        return Array(bytes[min(position, bytes.count)...])
    }
}
