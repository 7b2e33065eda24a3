/// The id of a request, which its response carries and logs name: `X-Request-Id`.
public struct RequestID: Hashable, Sendable, CustomStringConvertible {
    /// The id as the header has it.
    public let description: String

    /// Creates the id that the client or a proxy has given, or else a new one: for one that is longer than 128 bytes, or
    /// has other bytes than letters, digits and `-._:/+=@`, which could change a line of a log.
    public init(header: String?) {
        guard let header, (1...128).contains(header.utf8.count), header.utf8.allSatisfy(Self.isAllowed) else {
            description = String(UInt64.random(in: 1 << 60 ... .max), radix: 16)
            return
        }
        description = header
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._:/+=@".utf8.contains(byte)
        }
    }
}
