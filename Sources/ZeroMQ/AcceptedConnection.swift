import CZeroMQ
import SystemCalls

/// A connection that a bound socket has accepted, by its file descriptor.
///
/// libzmq owns the descriptor and may close it at any moment; the next connection may then get the same number. The
/// inode tells the two apart.
public struct AcceptedConnection: Hashable, Sendable {
    /// The file descriptor.
    public let descriptor: Int32
    private let inode: UInt64

    /// Creates the connection that the descriptor names now; `nil` if it is closed.
    public init?(descriptor: Int32) {
        guard let inode = Self.inode(of: descriptor) else { return nil }
        self.descriptor = descriptor
        self.inode = inode
    }

    private static func inode(of descriptor: Int32) -> UInt64? {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        return UInt64(status.st_ino)
    }

    /// The bytes that libzmq has read from the connection; `nil` for other transports than TCP, and when it is closed.
    public var bytesRead: Int64? {
        let bytes = czmq_bytes_read(descriptor)
        return bytes < 0 ? nil : bytes
    }

    /// Whether bytes have arrived that libzmq has not read yet.
    public var hasUnreadBytes: Bool { czmq_has_unread(descriptor) != 0 }

    /// Whether the system's buffer contains bytes that the peer has not accepted yet.
    public var hasUnsentBytes: Bool { czmq_has_unsent(descriptor) != 0 }

    /// The address of the peer, such as `127.0.0.1:50312`; `nil` when it has none or has gone.
    public var peer: String? {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout.size(ofValue: address))
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        var port = [CChar](repeating: 0, count: Int(NI_MAXSERV))
        let isKnown = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                getpeername(descriptor, pointer, &length) == 0
                    && (pointer.pointee.sa_family == AF_INET || pointer.pointee.sa_family == AF_INET6)
                    && getnameinfo(
                        pointer, length, &host, socklen_t(host.count), &port, socklen_t(port.count),
                        NI_NUMERICHOST | NI_NUMERICSERV) == 0
            }
        }
        guard isKnown else { return nil }
        func text(_ characters: [CChar]) -> String {
            String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
        return "\(text(host)):\(text(port))"
    }

    /// Ends the connection; libzmq notices this and closes it. A newer connection with the same descriptor is not affected.
    ///
    /// A TCP connection is reset: what the system has received and libzmq has not read is dropped, and a peer that is
    /// sending notices it at once. After a mere `shutdown(2)`, libzmq would read the rest, of which a message without
    /// an end takes up to 32 times as much memory. Dissolving a TCP association by an address of no family is described
    /// in connect(2).
    public func shutDown() {
        // A duplicate keeps its meaning while it is looked at.
        let duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard duplicate >= 0 else { return }
        if Self.inode(of: duplicate) == inode {
            var reset = linger(l_onoff: 1, l_linger: 0)
            setsockopt(duplicate, SOL_SOCKET, SO_LINGER, &reset, socklen_t(MemoryLayout.size(ofValue: reset)))
            // A connection of another kind is shut down: libzmq reads what is left, and then the end.
            if !Self.dissolve(duplicate) { shutdown(duplicate, Int32(SHUT_RDWR)) }
        }
        close(duplicate)
    }

    /// Resets a TCP connection. Returns whether the system could.
    private static func dissolve(_ descriptor: Int32) -> Bool {
        var nobody = sockaddr()
        nobody.sa_family = sa_family_t(AF_UNSPEC)
        return connect(descriptor, &nobody, socklen_t(MemoryLayout.size(ofValue: nobody))) == 0
    }
}
