/// What the soak needs of an event's body: whose it is and what happened.
struct EventFrame {
    /// The number of the `Event`'s member: 12 closed, 13 refused.
    private(set) var kind: UInt64 = 0
    /// The number in the popup's id.
    private(set) var popup = -1

    var isClosed: Bool { kind == 12 }
    var isRefused: Bool { kind == 13 }

    init?(_ bytes: UnsafeRawBufferPointer) {
        var position = 0
        func varint() -> UInt64? {
            var value: UInt64 = 0
            for shift in stride(from: UInt64(0), to: 64, by: 7) {
                guard position < bytes.count else { return nil }
                let byte = bytes[position]
                position += 1
                value |= UInt64(byte & 0x7F) << shift
                if byte < 0x80 { return value }
            }
            return nil
        }
        while position < bytes.count {
            guard let tag = varint(), let value = varint() else { return nil }
            guard tag & 7 == 2 else { continue }
            guard value <= UInt64(bytes.count - position) else { return nil }
            let end = position + Int(value)
            if tag >> 3 == 2 { popup = Self.number(bytes[position..<end]) }
            if tag >> 3 >= 6 { kind = tag >> 3 }
            position = end
        }
    }

    /// `s0000000042` is 42.
    private static func number(_ id: Slice<UnsafeRawBufferPointer>) -> Int {
        guard id.first == UInt8(ascii: "s") else { return -1 }
        return id.dropFirst().reduce(0) { $0 * 10 + Int($1) - 48 }
    }
}
