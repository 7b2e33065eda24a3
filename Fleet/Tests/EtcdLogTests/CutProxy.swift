import Foundation
import Synchronization

/// A TCP proxy on loopback that can lose answers: what the client sends goes on, and when the other end answers, the
/// connection is cut instead. It can be slow, too.
final class CutProxy: Sendable {
    let port: Int
    private let listener: Int32
    private let target: Int
    private let losesAnswers = Mutex(false)
    private let bytesPerSecond: Int?

    /// Creates a proxy to a port.
    ///
    /// - Parameter bytesPerSecond: What it carries of the answers on a connection; `nil`: all at once.
    init(to target: Int, bytesPerSecond: Int? = nil) {
        (listener, port) = Ports.listener()
        self.target = target
        self.bytesPerSecond = bytesPerSecond
        listen(listener, 16)
        Thread.detachNewThread { [listener, weak self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0, let self else { break }
                self.serve(client)
            }
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    var endpoint: String { "http://127.0.0.1:\(port)" }

    func loseAnswers(_ loses: Bool) { losesAnswers.withLock { $0 = loses } }

    private func serve(_ client: Int32) {
        let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(target).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        withUnsafeBytes(of: &address) { bytes in
            _ = connect(
                server, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
                socklen_t(MemoryLayout<sockaddr_in>.size))
        }
        Thread.detachNewThread { Self.pass(from: client, to: server) { true } }
        Thread.detachNewThread { [weak self, bytesPerSecond] in
            Self.pass(from: server, to: client, bytesPerSecond) { self?.losesAnswers.withLock { !$0 } ?? false }
        }
    }

    /// Passes bytes on while they may; then both ends are cut.
    private static func pass(
        from source: Int32, to destination: Int32, _ bytesPerSecond: Int? = nil, while mayPass: () -> Bool
    ) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(source, &buffer, buffer.count)
            guard count > 0, mayPass() else { break }
            var sent = 0
            while sent < count {
                let written = buffer[sent..<count].withUnsafeBytes {
                    send(destination, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard written > 0 else { return }
                sent += written
            }
            if let bytesPerSecond { Thread.sleep(forTimeInterval: Double(count) / Double(bytesPerSecond)) }
        }
        shutdown(source, Int32(SHUT_RDWR))
        shutdown(destination, Int32(SHUT_RDWR))
    }
}
