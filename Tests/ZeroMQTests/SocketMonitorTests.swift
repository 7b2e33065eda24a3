import Foundation
import Testing
import ZeroMQ

@Suite("A socket's monitor", .timeLimit(.minutes(5)))
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

    @Test("who begins to send has the next turn when peers are noticed, however much another has sent before")
    func turns() throws {
        let bound = try Socket(context, .sub, options: [.linger(milliseconds: 0)])
        let monitor = try bound.monitor()
        defer { bound.stopMonitoring() }
        try bound.subscribe(to: "")
        try bound.bind("tcp://127.0.0.1:*")
        /// Connects a peer and waits until it is subscribed to.
        func connect(_ peer: borrowing Socket) throws -> AcceptedConnection {
            try peer.connect(bound.lastEndpoint)
            var poller = Poller()
            _ = poller.add(bound)
            let item = poller.add(peer)
            while !poller[item].contains(.readable) { _ = try poller.wait(timeoutMilliseconds: 20_000) }
            guard case .accepted(let descriptor) = try next(monitor) else { throw NoConnection() }
            return try #require(AcceptedConnection(descriptor: descriptor))
        }
        // The thread of libzmq, of which this context has one, passes a message over it when it is done with what it read
        // before.
        let sender = try Socket(context, .pair)
        let receiver = try Socket(context, .pair)
        try receiver.bind("tcp://127.0.0.1:*")
        try sender.connect(receiver.lastEndpoint)
        let frame = Message()
        /// Sends messages of a kilobyte, and waits until libzmq has read them and handed them on.
        func send(_ byte: UInt8, times: Int, from peer: borrowing Socket, over connection: AcceptedConnection) throws {
            let before = connection.bytesRead ?? 0
            let message = [UInt8](repeating: byte, count: 1000)
            for _ in 0..<times { _ = try peer.send(message, wait: true) }
            let deadline = ContinuousClock.now + .seconds(60)
            // Each with the nine bytes of its header.
            while (connection.bytesRead ?? 0) < before + Int64(1009 * times) {
                try #require(ContinuousClock.now < deadline)
                usleep(1000)
            }
            _ = try sender.send([0], wait: true)
            _ = try receiver.receive(into: frame, wait: true)
        }
        let loud = try Socket(context, .xpub, options: [.linger(milliseconds: 2000)])
        let quiet = try Socket(context, .xpub, options: [.linger(milliseconds: 2000)])
        let (loudConnection, quietConnection) = (try connect(loud), try connect(quiet))
        try send(1, times: 90, from: loud, over: loudConnection)
        #expect(try bound.receive(into: frame, wait: true))
        try send(2, times: 1, from: quiet, over: quietConnection)

        // When the new sender is noticed, its message is one of the next two. Without a notice it would come after the
        // hundredth message.
        bound.noticePeers()
        var following: Set<UInt8> = []
        for _ in 1...2 {
            #expect(try bound.receive(into: frame))
            following.insert(frame.copy()[0])
        }
        #expect(following.contains(2))
    }

    /// What happened first is no connection.
    private struct NoConnection: Error {}

    @Test("what is no connection over TCP has no count of bytes")
    func otherDescriptors() throws {
        let wakeup = try Wakeup()
        #expect(AcceptedConnection(descriptor: wakeup.fileDescriptor)?.bytesRead == nil)
        #expect(AcceptedConnection(descriptor: -1) == nil)
    }
}
