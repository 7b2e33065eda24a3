/// The encoding Z85 (ZeroMQ's RFC 32): five characters for four bytes.
enum Z85 {
    private static let characters = Array(
        "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#".utf8)

    private static let values: [UInt8?] = {
        var values = [UInt8?](repeating: nil, count: 256)
        for (value, character) in characters.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }()

    static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 4) {
            var value = bytes[start..<start + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            var group: [UInt8] = []
            for _ in 0..<5 {
                group.append(characters[Int(value % 85)])
                value /= 85
            }
            text += group.reversed()
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the bytes of a text; `nil` if it is not Z85, of which libzmq's own reader accepts some.
    static func decode(_ text: String) -> [UInt8]? {
        let text = Array(text.utf8)
        guard text.count.isMultiple(of: 5) else { return nil }
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: text.count, by: 5) {
            var value: UInt64 = 0
            for character in text[start..<start + 5] {
                guard let digit = values[Int(character)] else { return nil }
                value = value * 85 + UInt64(digit)
            }
            guard let word = UInt32(exactly: value) else { return nil }
            bytes += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) }
        }
        return bytes
    }
}
