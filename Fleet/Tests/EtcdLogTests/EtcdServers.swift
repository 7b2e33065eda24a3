import Foundation
import Synchronization

@testable import EtcdLog

/// The members of an etcd of Debian's package, in a temporary folder and on free ports of loopback.
final class EtcdServers: Sendable {
    struct Member {
        var process: Process
        var clientPort: Int
    }

    let folder: URL
    private let members: Mutex<[Member]>
    private let isSecure: Bool

    /// Starts members, and waits until they serve.
    ///
    /// - Parameter certificates: A folder with `ca.pem`, `server.pem` and `server.key`; clients need certificates, too.
    init(_ count: Int = 1, options: [String] = [], certificates: URL? = nil) async throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "etcd-\(UUID().uuidString)")
        isSecure = certificates != nil
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let scheme = certificates == nil ? "http" : "https"
        let ports = Ports.free(count * 2)
        let cluster = (0..<count).map { "m\($0)=http://127.0.0.1:\(ports[$0 * 2 + 1])" }.joined(separator: ",")
        var started: [Member] = []
        for number in 0..<count {
            let client = "\(scheme)://127.0.0.1:\(ports[number * 2])"
            let peer = "http://127.0.0.1:\(ports[number * 2 + 1])"
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/etcd")
            process.environment = ["PATH": "/usr/bin:/bin"]
            process.arguments =
                [
                    "--name", "m\(number)", "--data-dir", folder.appending(path: "m\(number)").path,
                    "--listen-client-urls", client, "--advertise-client-urls", client, "--listen-peer-urls", peer,
                    "--initial-advertise-peer-urls", peer, "--initial-cluster", cluster, "--log-level", "error",
                    "--logger", "zap", "--snapshot-count", "1000",
                ] + options
            if let certificates {
                process.arguments? += [
                    "--trusted-ca-file", certificates.appending(path: "ca.pem").path, "--client-cert-auth",
                    "--cert-file", certificates.appending(path: "server.pem").path,
                    "--key-file", certificates.appending(path: "server.key").path,
                ]
            }
            let words = folder.appending(path: "m\(number).log")
            _ = FileManager.default.createFile(atPath: words.path, contents: nil)
            let output = try FileHandle(forWritingTo: words)
            process.standardOutput = output
            process.standardError = output
            try process.run()
            started.append(Member(process: process, clientPort: ports[number * 2]))
        }
        members = Mutex(started)
        if certificates == nil { try await untilServing() }
    }

    deinit {
        for member in members.withLock({ $0 }) { kill(member.process.processIdentifier, SIGKILL) }
        try? FileManager.default.removeItem(at: folder)
    }

    var ports: [Int] { members.withLock { $0.map(\.clientPort) } }
    var endpoints: [String] { ports.map { "\(isSecure ? "https" : "http")://127.0.0.1:\($0)" } }

    func signal(_ number: Int, _ signal: Int32) {
        let process = members.withLock { $0[number].process }
        kill(process.processIdentifier, signal)
    }

    /// Returns the number of the member that leads.
    func leader() throws -> Int {
        for (number, endpoint) in endpoints.enumerated() {
            let status = try control(["endpoint", "status", "-w", "fields"], at: endpoint)
            func field(_ name: String) -> Substring? {
                status.split(separator: "\n").first { $0.hasPrefix("\"\(name)\"") }?.split(separator: " ").last
            }
            if field("MemberID") == field("Leader") { return number }
        }
        throw EtcdProblem.absent("no leader")
    }

    /// Runs `etcdctl`, and returns what it prints.
    @discardableResult
    func control(_ arguments: [String], at endpoint: String? = nil) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/etcdctl")
        process.environment = ["PATH": "/usr/bin:/bin", "ETCDCTL_API": "3"]
        process.arguments =
            [
                "--endpoints", endpoint ?? endpoints.joined(separator: ","),
                // For a machine under load.
                "--dial-timeout", "30s", "--command-timeout", "60s",
            ] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let words = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw EtcdProblem.absent("etcdctl \(arguments): \(words)") }
        return words
    }

    private func untilServing() async throws {
        for endpoint in endpoints {
            let log = try EtcdLog(EtcdSettings(endpoints: [endpoint], shard: "ready", node: "test"))
            defer { log.close() }
            try await eventually("\(endpoint) serves") { await log.serves }
        }
    }
}

extension EtcdLog {
    /// Whether etcd answers what a majority has to agree on.
    var serves: Bool {
        get async {
            do {
                _ = try await head()
                return true
            } catch {
                return false
            }
        }
    }
}

/// Waits until something is so; fails after 120 s.
func eventually(_ what: String, _ isSo: () async throws -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(120)
    while try await !isSo() {
        guard ContinuousClock.now < end else { throw EtcdProblem.absent("not within 120 s: \(what)") }
        try await Task.sleep(for: .milliseconds(20))
    }
}

/// Ports of loopback that nobody uses.
enum Ports {
    /// Returns ports for programs that bind them later. They are below those that the system gives to connections: none of
    /// them gets one before the program does.
    static func free(_ count: Int) -> [Int] {
        var sockets: [(descriptor: Int32, port: Int)] = []
        defer { for socket in sockets { close(socket.descriptor) } }
        while sockets.count < count {
            if let socket = bound(to: .random(in: 12_000..<32_000)) { sockets.append(socket) }
        }
        return sockets.map(\.port)
    }

    /// Returns a socket that is bound to a free port.
    static func listener() -> (descriptor: Int32, port: Int) {
        guard let socket = bound(to: 0) else { preconditionFailure("no free port") }
        return socket
    }

    /// Returns a socket that is bound to a port, or to a free one for 0; `nil` if the port is in use.
    private static func bound(to port: UInt16) -> (descriptor: Int32, port: Int)? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutableBytes(of: &address) { bytes in
            let pointer = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self)
            guard bind(descriptor, pointer, length) == 0 else { return false }
            getsockname(descriptor, pointer, &length)
            return true
        }
        guard isBound else {
            close(descriptor)
            return nil
        }
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }
}
