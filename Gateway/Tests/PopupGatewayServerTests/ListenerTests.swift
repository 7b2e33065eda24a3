import Foundation
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOEmbedded
import Testing

@testable import PopupGatewayServer

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Listener")
struct ListenerTests {
    /// A responder with a mistake.
    private struct Failing: HTTPResponder {
        typealias Context = ConnectionContext
        struct Fault: Error {}

        func respond(to request: Request, context: ConnectionContext) async throws -> Response { throw Fault() }
    }

    @Test("A request that fails unexpectedly is a problem as any other, with the id by which the log has it")
    func failure() async throws {
        let (addresses, continuation) = AsyncStream.makeStream(of: ListenAddress.self)
        let listener = Listener(
            endpoint: .address(try #require(ListenAddress("127.0.0.1:0")), key: "http.listen"), responder: Failing(),
            name: "test", channel: .init(), responses: ResponsesInProgress(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, onListening: { continuation.yield($0) })
        let serving = Task { try await listener.run() }
        defer { serving.cancel() }
        var first = addresses.makeAsyncIterator()
        let address = try #require(await first.next())
        var request = URLRequest(url: try #require(URL(string: "\(address.url)/v1/stats")))
        request.setValue("trace-7", forHTTPHeaderField: "X-Request-Id")
        let (data, response) = try await URLSession.shared.data(for: request)
        let head = try #require(response as? HTTPURLResponse)
        #expect(head.statusCode == 500)
        #expect(head.value(forHTTPHeaderField: "Content-Type") == "application/problem+json")
        #expect(head.value(forHTTPHeaderField: "X-Request-Id") == "trace-7")
        let problem = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(problem["status"] as? Int == 500 && problem["reason"] as? String == "INTERNAL")
        #expect((problem["detail"] as? String)?.contains("trace-7") == true)
    }

    @Test("At the end, the connections of responses that do not get written are closed, and of no others")
    func responses() async throws {
        let responses = ResponsesInProgress()
        let (stalled, prompt, later) = (
            NIOAsyncTestingChannel(), NIOAsyncTestingChannel(), NIOAsyncTestingChannel()
        )
        for channel in [stalled, prompt, later] {
            try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).get()
        }
        // Nothing is written: it need not wait.
        await responses.finish(within: .seconds(3600))
        _ = responses.begin(on: stalled)
        let place = responses.begin(on: prompt)
        async let finished: Void = responses.finish(within: .milliseconds(500))
        responses.end(place)
        try await stalled.closeFuture.get()
        await finished
        _ = responses.begin(on: later)
        #expect(!stalled.isActive && prompt.isActive && later.isActive)
    }
}
