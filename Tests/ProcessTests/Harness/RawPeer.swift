import Glibc
import TestPrograms

/// A peer that speaks ZMTP 3.0 by hand over a plain TCP connection (RFC 23/ZMTP, mechanism NULL): it sends what no library
/// would.
final class RawPeer {
    private let descriptor: Int32

    /// Connects and ends the handshake.
    ///
    /// - Parameters:
    ///   - endpoint: Such as `tcp://127.0.0.1:5570`.
    ///   - kind: The socket that it says it is: `PUB` or `SUB`.
    init(_ endpoint: String, as kind: String) throws {
        guard let colon = endpoint.lastIndex(of: ":"), let port = UInt16(endpoint[endpoint.index(after: colon)...])
        else { throw NotInTime(description: "`\(endpoint)` has no port") }
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw SystemError("cannot make a socket", errno) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw SystemError("cannot connect to \(endpoint)", errno) }
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        try shakeHands(as: kind)
    }

    deinit { close(descriptor) }

    private func shakeHands(as kind: String) throws {
        let signature: [UInt8] = [0xFF] + [UInt8](repeating: 0, count: 8) + [0x7F]
        let mechanism = Array("NULL".utf8) + [UInt8](repeating: 0, count: 16)
        try write(signature + [3, 0] + mechanism + [UInt8](repeating: 0, count: 32))
        _ = try read(64)
        let ready =
            [5] + Array("READY".utf8) + [11] + Array("Socket-Type".utf8) + [0, 0, 0, UInt8(kind.utf8.count)]
            + Array(kind.utf8)
        try write([4, UInt8(ready.count)] + ready)
        let header = try read(2)
        _ = try read(Int(header[1]))
    }

    /// A frame as it goes over the wire, so many times.
    static func encode(_ body: [UInt8], more: Bool = false, times: Int = 1) -> [UInt8] {
        let flag: UInt8 = more ? 1 : 0
        let header: [UInt8] =
            body.count > 255
            ? [flag | 2] + (0..<8).reversed().map { UInt8(truncatingIfNeeded: body.count >> ($0 * 8)) }
            : [flag, UInt8(body.count)]
        return Array(repeatElement(header + body, count: times).joined())
    }

    private func send(_ body: [UInt8]) throws { try write(Self.encode(body)) }

    /// Subscribes to a prefix.
    func subscribe(to prefix: String) throws { try send([1] + Array(prefix.utf8)) }

    /// Withdraws a prefix, which it may never have subscribed to.
    func withdraw(_ prefix: String) throws { try send([0] + Array(prefix.utf8)) }

    /// Waits until the broker has closed the connection, whatever it sends before.
    func waitForEnd() throws {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &bytes, bytes.count, 0)
            if count == 0 || count < 0 && errno == ECONNRESET { return }
            guard count > 0 else { throw SystemError("the connection is still there", errno) }
        }
    }

    /// Sends bytes; fails when the broker has cut the connection off.
    func write(_ bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { bytes in
            var sent = 0
            while sent < bytes.count {
                let count = Glibc.send(descriptor, bytes.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
                guard count > 0 else { throw SystemError("cannot send", errno) }
                sent += count
            }
        }
    }

    private func read(_ count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = recv(descriptor, &bytes, count, Int32(MSG_WAITALL))
        guard read == count else { throw SystemError("the peer does not answer", errno) }
        return bytes
    }
}
