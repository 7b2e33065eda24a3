import Foundation
import Testing

/// A TCP connection over loopback. Both ends are in this process, and everything sent is read at once.
final class TCPLink {
    /// The descriptor of the accepted end.
    let accepted: Int32
    private let peer: Int32

    init() throws {
        let listener = socket(AF_INET, streamType, 0)
        defer { close(listener) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        peer = socket(AF_INET, streamType, 0)
        let results = withUnsafeMutablePointer(to: &address) { [peer] pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                [
                    bind(listener, address, length), listen(listener, 1),
                    getsockname(listener, address, &length), connect(peer, address, length),
                ]
            }
        }
        try #require(results == [0, 0, 0, 0])
        accepted = accept(listener, nil, nil)
        try #require(accepted >= 0)
    }

    deinit {
        close(accepted)
        close(peer)
    }

    /// Sends so many bytes, and reads them at the accepted end.
    func send(_ count: Int) throws {
        var bytes = [UInt8](repeating: 0x20, count: 16_384)
        var left = count
        while left > 0 {
            let part = min(left, bytes.count)
            try #require(Foundation.send(peer, bytes, part, 0) == part)
            try #require(recv(accepted, &bytes, part, Int32(MSG_WAITALL)) == part)
            left -= part
        }
    }

    /// Sends from the accepted end until the other end, which does not read, takes no more.
    func fill() throws {
        let bytes = [UInt8](repeating: 0x20, count: 65_536)
        while Foundation.send(accepted, bytes, bytes.count, Int32(MSG_DONTWAIT)) > 0 {}
        try #require(errno == EAGAIN)
    }

    /// Reads what was sent from the accepted end.
    func drain() throws {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while recv(peer, &bytes, bytes.count, Int32(MSG_DONTWAIT)) > 0 {}
        try #require(errno == EAGAIN)
    }

    /// Returns a further descriptor of the accepted end.
    func copy() throws -> Int32 {
        let copy = dup(accepted)
        try #require(copy >= 0)
        return copy
    }

    /// Lets the descriptor of the accepted end name that of another connection.
    func become(_ other: TCPLink) throws { try #require(dup2(other.accepted, accepted) == accepted) }

    /// Whether the accepted end is reset, now or within the time that the system may take for it.
    var isReset: Bool {
        var waiting = pollfd(fd: peer, events: Int16(POLLIN), revents: 0)
        var byte: UInt8 = 0
        return poll(&waiting, 1, 60_000) == 1 && recv(peer, &byte, 1, Int32(MSG_DONTWAIT)) == -1 && errno == ECONNRESET
    }
}

/// Two connected sockets of the same machine, as of `ipc://`.
final class LocalLink {
    /// The descriptor of the accepted end.
    let accepted: Int32
    private let peer: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, streamType, 0, &ends) == 0)
        (accepted, peer) = (ends[0], ends[1])
    }

    deinit {
        close(accepted)
        close(peer)
    }

    /// Sends a byte, which nobody reads.
    func send() throws {
        var byte: UInt8 = 0x20
        try #require(Foundation.send(peer, &byte, 1, 0) == 1)
    }
}

#if canImport(Glibc)
    private let streamType = Int32(SOCK_STREAM.rawValue)
#else
    private let streamType = SOCK_STREAM
#endif
