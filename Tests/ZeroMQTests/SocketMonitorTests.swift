import Testing
import ZeroMQ

@Suite("A socket's monitor", .timeLimit(.minutes(1)))
struct SocketMonitorTests {
    private let context = try! Context()

    /// Waits for the next event.
    private func next(_ monitor: borrowing SocketMonitor) throws -> SocketMonitor.Event {
        var poller = Poller()
        _ = poller.add(fileDescriptor: try monitor.fileDescriptor)
        while true {
            if let event = try monitor.next() { return event }
            _ = try poller.wait(timeoutMilliseconds: 20_000)
        }
    }

    @Test("tells each connection before what came over it, and its end; a message names its connection")
    func connections() throws {
        let bound = try Socket(context, .sub, options: [.linger(milliseconds: 0)])
        let monitor = try bound.monitor()
        defer { bound.stopMonitoring() }
        try bound.subscribe(to: "")
        try bound.bind("tcp://127.0.0.1:*")
        do {
            let peer = try Socket(context, .xpub, options: [.linger(milliseconds: 2000)])
            try peer.connect(bound.lastEndpoint)
            // The subscription: from then on nothing is lost. It leaves when the bound socket is looked at.
            var poller = Poller()
            _ = poller.add(bound)
            let peerItem = poller.add(peer)
            while !poller[peerItem].contains(.readable) { _ = try poller.wait(timeoutMilliseconds: 20_000) }
            _ = try peer.send([1, 2, 3], wait: true)

            let message = Message()
            #expect(try bound.receive(into: message, wait: true))
            let named = message.connectionDescriptor
            let descriptor = try #require(named)
            // There already, without waiting.
            #expect(try monitor.next() == .accepted(descriptor: descriptor))
            let connection = try #require(AcceptedConnection(descriptor: descriptor))
            #expect(try #require(connection.bytesRead) > 64)
            #expect(connection.peer?.contains("127.0.0.1:") == true)

            connection.shutDown()
            #expect(try next(monitor) == .disconnected(descriptor: descriptor))
            // It connects again.
            guard case .accepted = try next(monitor) else {
                Issue.record("no new connection")
                return
            }
        }
        guard case .disconnected = try next(monitor) else {
            Issue.record("no end")
            return
        }
    }

    @Test("what is no connection over TCP has no count of bytes")
    func otherDescriptors() throws {
        let wakeup = try Wakeup()
        #expect(AcceptedConnection(descriptor: wakeup.fileDescriptor)?.bytesRead == nil)
        #expect(AcceptedConnection(descriptor: -1) == nil)
    }
}
