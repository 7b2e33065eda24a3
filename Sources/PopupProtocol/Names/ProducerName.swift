/// The name of one run of a producer: 16 bytes, written as 32 hexadecimal digits.
public struct ProducerName: Hashable, Sendable {
    /// The first eight bytes, the first one highest.
    public let high: UInt64
    /// The last eight bytes, the first one highest.
    public let low: UInt64

    /// Creates a name from its halves.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Creates a random name. A producer uses a new one at each start.
    public init(using generator: inout some RandomNumberGenerator) {
        self.init(high: generator.next(), low: generator.next())
    }

    /// Creates a name from 32 hexadecimal digits, in either case; `nil` for other texts.
    public init?(_ text: String) {
        self.init(text.utf8.span)
    }

    /// Creates a name from 32 hexadecimal digits, in either case; `nil` for other bytes.
    public init?(_ bytes: Span<UInt8>) {
        guard bytes.count == 32, let first = Self.value(ofDigits: bytes.word(at: 0)),
            let second = Self.value(ofDigits: bytes.word(at: 8)),
            let third = Self.value(ofDigits: bytes.word(at: 16)),
            let fourth = Self.value(ofDigits: bytes.word(at: 24))
        else { return nil }
        high = first << 32 | second
        low = third << 32 | fourth
    }

    /// Returns the value of eight digits, of which the first is in the lowest byte; `nil` if one is not a digit.
    @inline(__always)
    private static func value(ofDigits word: UInt64) -> UInt64? {
        let letters = ByteWord.within(0x61, 0x66, word | ByteWord.spaces)
        let figures = ByteWord.within(0x30, 0x39, word)
        guard word & ByteWord.high == 0, letters | figures == ByteWord.high else { return nil }
        // Four bits per byte, the first digit highest. Then they are joined, pair by pair.
        var digits = ((word & 0x0F0F_0F0F_0F0F_0F0F) &+ (letters >> 7) &* 9).byteSwapped
        digits = (digits | digits >> 4) & 0x00FF_00FF_00FF_00FF
        digits = (digits | digits >> 8) & 0x0000_FFFF_0000_FFFF
        return (digits | digits >> 16) & 0xFFFF_FFFF
    }
}

extension ProducerName: CustomStringConvertible {
    /// 32 hexadecimal digits in lower case.
    public var description: String { Self.digits(of: high) + Self.digits(of: low) }

    private static func digits(of half: UInt64) -> String {
        let digits = String(half, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
