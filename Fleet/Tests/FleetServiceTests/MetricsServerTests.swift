import Foundation
import Testing

@testable import FleetService

@Suite(.timeLimit(.minutes(10))) struct MetricsServerTests {
    /// Returns the answer to `GET /metrics`. It blocks no thread of the server.
    private static func answer(at port: Int) async -> String {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: read(from: port)) }
        }
    }

    private static func read(from port: Int) -> String {
        let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(client) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        withUnsafeBytes(of: &address) { bytes in
            _ = connect(
                client, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
                socklen_t(MemoryLayout<sockaddr_in>.size))
        }
        let request = Array("GET /metrics HTTP/1.1\r\n\r\n".utf8)
        _ = request.withUnsafeBytes { send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(client, &buffer, buffer.count, 0)
            guard count > 0 else { return String(decoding: text, as: UTF8.self) }
            text += buffer[..<count]
        }
    }

    @Test func `a node whose broker hangs has no metrics: who looks after it is told so`() async throws {
        // Other tests may keep all threads of tasks busy for seconds.
        let hanging = try MetricsServer("127.0.0.1:0", patience: 60) { nil }
        let working = try MetricsServer("127.0.0.1:0", patience: 60) { "popup_fleet_owner 1\n" }

        let answers = await [Self.answer(at: hanging.port), Self.answer(at: working.port)]

        #expect(answers[0].hasPrefix("HTTP/1.1 503 ") && answers[0].hasSuffix("the broker hangs\n"))
        #expect(answers[1].hasPrefix("HTTP/1.1 200 ") && answers[1].hasSuffix("\r\n\r\npopup_fleet_owner 1\n"))
    }
}
