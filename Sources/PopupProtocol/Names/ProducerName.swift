/// Names one run of a producer: 16 bytes, written as 32 hexadecimal digits.
public struct ProducerName: Hashable, Sendable {
    /// The first eight bytes, the first one highest.
    public let high: UInt64
    /// The last eight bytes, the first one highest.
    public let low: UInt64

    /// The name of these two halves.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// A name drawn from a generator: a producer takes a new one at each start.
    public init(using generator: inout some RandomNumberGenerator) {
        self.init(high: generator.next(), low: generator.next())
    }

    /// The name, or `nil` when `text` isn't 32 hexadecimal digits, in either case.
    public init?(_ text: String) {
        self.init(text.utf8.span)
    }

    /// The name, or `nil` when these bytes aren't 32 hexadecimal digits, in either case.
    public init?(_ bytes: Span<UInt8>) {
        guard bytes.count == 32 else { return nil }
        var halves: (UInt64, UInt64) = (0, 0)
        for index in 0..<32 {
            guard let digit = Self.value(ofDigit: bytes[index]) else { return nil }
            if index < 16 { halves.0 = halves.0 << 4 | digit } else { halves.1 = halves.1 << 4 | digit }
        }
        (high, low) = halves
    }

    private static func value(ofDigit byte: UInt8) -> UInt64? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
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
