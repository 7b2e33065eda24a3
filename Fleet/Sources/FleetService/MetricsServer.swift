internal import Foundation
internal import PopupClient
internal import Synchronization

/// A server that answers `GET /metrics` over HTTP, one request after another.
public final class MetricsServer: Sendable {
    /// The reason for which the metrics cannot be served.
    public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// One sentence that says what is wrong.
        public var description: String
    }

    /// The greatest size of a request.
    private static let requestBytes = 4096
    private let listener: Int32
    /// The port.
    public let port: Int

    /// Binds an address, and serves in a thread of its own until the process ends.
    ///
    /// - Parameters:
    ///   - address: The numeric address and port, such as `127.0.0.1:9570` or `[::1]:9570`.
    ///   - patience: The time in seconds for which a client may take for its request, and the node for the answer.
    ///   - metrics: Returns the metrics; `nil` if the node does not work, which is answered with 503.
    /// - Throws: `Failure` if it is no address, or cannot be bound.
    public init(
        _ address: String, patience: Int = 2, metrics: @escaping @Sendable () async -> String?
    ) throws(Failure) {
        let found = try Self.resolve(address)
        defer { freeaddrinfo(found) }
        let listener = socket(found.pointee.ai_family, found.pointee.ai_socktype, 0)
        var yes: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        guard bind(listener, found.pointee.ai_addr, found.pointee.ai_addrlen) == 0, listen(listener, 16) == 0 else {
            let reason = String(cString: strerror(errno))
            close(listener)
            throw Failure(description: "the metrics cannot be served at \(address): \(reason)")
        }
        self.listener = listener
        port = Self.port(of: listener)
        Thread.detachNewThread {
            while true {
                let client = accept(listener, nil, nil)
                if client < 0 {
                    // The server has ended. Everything else passes, such as a process without descriptors or memory.
                    guard errno != EINVAL, errno != EBADF, errno != ENOTSOCK else { return }
                    usleep(100_000)
                    continue
                }
                Self.serve(client, patience, metrics)
                close(client)
            }
        }
    }

    /// Checks an address without binding it.
    ///
    /// - Throws: `Failure` if it is no numeric address with a port.
    public static func check(_ address: String) throws(Failure) { freeaddrinfo(try resolve(address)) }

    private static func resolve(_ address: String) throws(Failure) -> UnsafeMutablePointer<addrinfo> {
        guard let colon = address.lastIndex(of: ":"), UInt16(address[address.index(after: colon)...]) != nil else {
            throw Failure(description: "--metrics \(address): give ADDRESS:PORT, for example 127.0.0.1:9570")
        }
        var hints = addrinfo()
        hints.ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        let host = address[..<colon].trimmingCharacters(in: ["[", "]"])
        guard getaddrinfo(host, String(address[address.index(after: colon)...]), &hints, &found) == 0, let found else {
            throw Failure(description: "--metrics \(address): \(host) is not a numeric address")
        }
        return found
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    private static func port(of listener: Int32) -> Int {
        var address = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        withUnsafeMutableBytes(of: &address) { bytes in
            guard let pointer = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return }
            getsockname(listener, pointer, &length)
        }
        // At the same place for both families.
        return Int(UInt16(bigEndian: address.sin6_port))
    }

    private static func serve(
        _ client: Int32, _ patience: Int, _ metrics: @escaping @Sendable () async -> String?
    ) {
        var time = timeval(tv_sec: patience, tv_usec: 0)
        setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        var request: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: requestBytes)
        let end = ContinuousClock.now + .seconds(patience)
        while !request.contains([13, 10, 13, 10]) {
            let count = recv(client, &buffer, buffer.count, 0)
            guard count > 0, request.count + count <= requestBytes, ContinuousClock.now < end else { return }
            request += buffer[..<count]
        }
        let line = String(decoding: request.prefix { $0 != 13 }, as: UTF8.self).split(separator: " ")
        guard line.count == 3, line[0] == "GET", line[1].split(separator: "?").first == "/metrics" else {
            return send("HTTP/1.1 404 Not Found", "use GET /metrics\n", to: client)
        }
        let answer = Answer()
        Task {
            let text = await metrics()
            answer.text.withLock { $0 = text }
            answer.isKnown.signal()
        }
        guard answer.isKnown.wait(timeout: .now() + .seconds(patience)) == .success else {
            return send("HTTP/1.1 503 Service Unavailable", "the node is busy\n", to: client)
        }
        guard let text = answer.text.withLock({ $0 }) else {
            return send("HTTP/1.1 503 Service Unavailable", "the broker hangs\n", to: client)
        }
        send("HTTP/1.1 200 OK", text, to: client)
    }

    /// The metrics, for the thread that waits for them.
    private final class Answer: Sendable {
        let text = Mutex<String?>(nil)
        let isKnown = DispatchSemaphore(value: 0)
    }

    private static func send(_ status: String, _ body: String, to client: Int32) {
        let head =
            "\(status)\r\nContent-Type: \(PrometheusText.contentType)\r\n"
            + "Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n"
        var rest = Array((head + body).utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Foundation.send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
