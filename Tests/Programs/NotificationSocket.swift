import Foundation
import Glibc

/// The socket of a service manager: receives the notifications of programs.
package final class NotificationSocket {
    /// The value of `NOTIFY_SOCKET` for the programs.
    package let name: String
    private let descriptor: Int32
    private let path: String?

    /// Where a socket is.
    package enum Kind: Sendable, CaseIterable {
        /// At a path.
        case path
        /// In Linux's abstract namespace.
        case abstract
    }

    /// Creates a socket with a new name.
    ///
    /// - Throws: `SystemError` if it cannot be bound.
    package convenience init(_ kind: Kind = .path) throws(SystemError) {
        let unique = "popup-notify-\(UUID().uuidString)"
        try self.init(at: kind == .path ? "/tmp/\(unique)" : "@\(unique)")
    }

    /// Creates the socket with the name of one that is gone.
    ///
    /// - Throws: `SystemError` if it cannot be bound.
    package init(at name: String) throws(SystemError) {
        self.name = name
        path = name.hasPrefix("@") ? nil : name
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { bytes in
            bytes.copyBytes(from: name.utf8)
            if name.hasPrefix("@") { bytes[0] = 0 }
        }
        let length = MemoryLayout<sa_family_t>.size + name.utf8.count + (name.hasPrefix("@") ? 0 : 1)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(length)) }
        }
        guard result == 0 else { throw SystemError("cannot bind \(name)", errno) }
    }

    deinit {
        close(descriptor)
        if let path { unlink(path) }
    }

    /// Waits for the next notification, and returns its variables; `nil` if none came in time.
    package func next(within time: Duration = .seconds(60)) -> [String: String]? {
        var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&poller, 1, Int32(time / .milliseconds(1))) > 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        guard count >= 0 else { return nil }
        let lines = String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n")
        let pairs = lines.map { $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false) }
        return Dictionary(pairs.map { (String($0[0]), String($0.last ?? "")) }) { $1 }
    }

    /// Waits for a notification with this variable, and returns it; others are skipped.
    package func next(with variable: String, within time: Duration = .seconds(60)) -> [String: String]? {
        let end = ContinuousClock.now + time
        while ContinuousClock.now < end {
            guard let notification = next(within: end - .now) else { return nil }
            if notification[variable] != nil { return notification }
        }
        return nil
    }
}
