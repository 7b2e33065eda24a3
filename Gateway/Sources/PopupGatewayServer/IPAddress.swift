internal import Foundation
internal import HTTPTypes
internal import NIOCore

/// An address of IPv4 or IPv6.
public struct IPAddress: Hashable, Sendable {
    /// The 4 or 16 bytes, in the order of the network.
    public let bytes: [UInt8]

    /// Creates the address that a text such as `192.0.2.7` or `2001:db8::7` stands for; `nil` for another text.
    public init?(_ text: String) {
        guard let address = try? SocketAddress(ipAddress: text, port: 0) else { return nil }
        self.init(address)
    }

    /// Creates the address of a socket; `nil` for a Unix socket.
    init?(_ address: SocketAddress) {
        switch address {
        case .v4(let address): bytes = withUnsafeBytes(of: address.address) { Array($0[Self.v4]) }
        case .v6(let address):
            let all = withUnsafeBytes(of: address.address) { Array($0[Self.v6]) }
            // A listener of both families has IPv4 addresses in this form.
            let isMapped = all[..<12] == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]
            bytes = isMapped ? Array(all[12...]) : all
        case .unixDomainSocket: return nil
        }
    }

    /// Whether only this machine has it.
    var isLoopback: Bool {
        bytes.count == 4 ? bytes[0] == 127 : bytes.last == 1 && bytes.dropLast().allSatisfy { $0 == 0 }
    }

    /// The place of `sin_addr` in a `sockaddr_in`, after family and port.
    private static let v4 = 4..<8
    /// The place of `sin6_addr` in a `sockaddr_in6`, after family, port and flow.
    private static let v6 = 8..<24
}

extension HTTPField.Name {
    /// The header with the addresses that a request has passed, each added by a proxy.
    static let xForwardedFor = HTTPField.Name("X-Forwarded-For")!
    /// The header in which a proxy says how the client has sent the request: `http` or `https`.
    static let xForwardedProto = HTTPField.Name("X-Forwarded-Proto")!
    /// The header with the id of a request.
    static let xRequestID = HTTPField.Name("X-Request-Id")!
}
