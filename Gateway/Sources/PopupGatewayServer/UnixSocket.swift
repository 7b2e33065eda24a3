internal import Foundation
internal import NIOCore
internal import SystemPackage

/// The path of a Unix socket at which the gateway is about to listen.
enum UnixSocket {
    /// Checks that nobody listens at a path. The file alone does not show it: that of a killed program stays.
    ///
    /// - Throws: `IOError`, unless the kernel says that nobody does. A full queue of connections, for example, says that
    ///   somebody does.
    static func checkIsFree(_ path: String) throws {
        let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { throw IOError(errnoCode: errno, reason: "socket") }
        defer { Foundation.close(socket) }
        let code = try SocketAddress(unixDomainSocketPath: path).withSockAddr { address, size in
            connect(socket, address, socklen_t(size)) == 0 ? 0 : errno
        }
        switch code {
        case ECONNREFUSED, ENOENT: return
        case 0, EAGAIN, EINPROGRESS: throw IOError(errnoCode: EADDRINUSE, reason: "connect")
        default: throw IOError(errnoCode: code, reason: "connect")
        }
    }

    /// Lets every local user connect to the socket, as to a port of loopback: what somebody may do depends on tokens. Who
    /// can reach the socket at all is up to its directory.
    static func openToLocalUsers(_ path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: path)
    }
}

/// The reservation of a Unix socket's path among gateways: of two that start at the same time, one gets it. The kernel ends
/// it with the process, however that ends.
final class UnixSocketLock: Sendable {
    private let file: SystemPackage.FileDescriptor

    /// Reserves a path by a lock on the file `PATH.lock`, which stays: a file that is removed could be locked by one
    /// gateway and created again by another.
    ///
    /// - Throws: `IOError`; `EADDRINUSE` if another gateway has the path.
    init(_ path: String) throws {
        do {
            file = try SystemPackage.FileDescriptor.open(
                "\(path).lock", .readWrite, options: [.create, .closeOnExec], permissions: .ownerReadWrite)
        } catch let error as SystemPackage.Errno {
            throw IOError(errnoCode: error.rawValue, reason: "open")
        }
        guard flock(file.rawValue, LOCK_EX | LOCK_NB) == 0 else {
            // `deinit` closes the file: it also runs for an object whose initializer throws after all properties are set.
            throw IOError(errnoCode: errno == EWOULDBLOCK ? EADDRINUSE : errno, reason: "flock")
        }
    }

    deinit { try? file.close() }
}
