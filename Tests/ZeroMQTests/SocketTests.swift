import Testing
import ZeroMQ

@Suite("A socket")
struct SocketTests {
    let context = try! Context()

    @Test("hands over frames of every size, with what follows them, over tcp")
    func framesOverTcp() throws {
        let left = try Socket(context, .pair)
        let right = try Socket(context, .pair)
        try left.bind("tcp://127.0.0.1:*")
        try right.connect(left.lastEndpoint)
        // None, inside the message struct, beyond it, and past a read of the decoder.
        let frames: [[UInt8]] = [0, 1, 33, 34, 8192, 100_000].map { size in (0..<size).map { UInt8($0 % 251) } }

        for (index, frame) in frames.enumerated() {
            #expect(try right.send(frame, more: index < frames.count - 1, wait: true))
        }

        let message = Message()
        for (index, frame) in frames.enumerated() {
            #expect(try left.receive(into: message, wait: true))
            #expect(message.copy() == frame)
            #expect(message.count == frame.count)
            #expect(message.more == (index < frames.count - 1))
            #expect(message.withBytes { $0.byteCount } == frame.count)
        }
        #expect(try !left.receive(into: message))
    }

    @Test("sends a received frame on without copying it")
    func forwarding() throws {
        let first = try pair("inproc://first")
        let second = try pair("inproc://second")
        let frame = [UInt8](repeating: 7, count: 5000)
        _ = try first.left.send(frame)
        let message = Message()
        _ = try first.right.receive(into: message)

        #expect(try second.left.send(message))

        #expect(message.count == 0)
        #expect(try second.right.receive(into: message))
        #expect(message.copy() == frame)
    }

    @Test("that is full refuses a frame instead of losing or waiting for it")
    func backpressure() throws {
        let pair = try pair("inproc://full", [.sendHighWaterMark(2), .receiveHighWaterMark(2)])
        var sent = 0
        while try pair.left.send([UInt8(sent)]), sent < 100 { sent += 1 }

        var received: [UInt8] = []
        while let message = try pair.right.receive() { received += message.copy() }

        #expect(sent == 4)
        #expect(received == [0, 1, 2, 3])
    }

    @Test("of kind XPUB sees subscriptions come and go, and each of them when verbose")
    func subscriptions() throws {
        let publisher = try Socket(context, .xpub, options: [.xpubVerboser(true)])
        try publisher.bind("inproc://verboser")
        let one = try Socket(context, .sub)
        let two = try Socket(context, .sub)
        try one.connect("inproc://verboser")
        try two.connect("inproc://verboser")

        let topic = [UInt8]("state/a/".utf8)

        try one.subscribe(to: "state/a/")
        #expect(try drain(publisher) == [[1] + topic])
        try two.subscribe(to: "state/a/")
        #expect(try drain(publisher) == [[1] + topic])
        try one.unsubscribe(from: "state/a/")
        #expect(try drain(publisher) == [[0] + topic])
    }

    @Test("of kind SUB receives what starts with its prefixes alone")
    func filtering() throws {
        let publisher = try Socket(context, .xpub)
        try publisher.bind("inproc://filter")
        let subscriber = try Socket(context, .sub)
        try subscriber.connect("inproc://filter")
        try subscriber.subscribe(to: "state/a/")
        _ = try drain(publisher)

        for topic in ["state/ab/", "state/a/", "events/a/", "state/a/b/"] {
            _ = try publisher.send([UInt8](topic.utf8))
        }

        #expect(try drain(subscriber).map { String(decoding: $0, as: UTF8.self) } == ["state/a/", "state/a/b/"])
    }

    @Test("takes every option of the protocol")
    func options() throws {
        let options: [SocketOption] = [
            .receiveHighWaterMark(1000), .sendHighWaterMark(1000), .linger(milliseconds: 0),
            .maxMessageSize(131_072), .handshakeInterval(milliseconds: 3000),
            .tcpKeepalive(true), .tcpKeepaliveIdle(seconds: 2), .tcpKeepaliveInterval(seconds: 2),
            .tcpKeepaliveProbes(2),
            .tcpSendTimeout(milliseconds: 6000), .backlog(1024), .xpubVerboser(true), .xpubNoDrop(true),
            .immediate(true), .ipv6(true), .reconnectInterval(milliseconds: 50),
            .maxReconnectInterval(milliseconds: 1000), .connectTimeout(milliseconds: 1000),
        ]
        let socket = try Socket(context, .xpub, options: options)
        try socket.bind("tcp://[::1]:*")

        #expect(try socket.lastEndpoint.hasPrefix("tcp://[::1]:"))
    }

    @Test("disconnects the sender of a frame that is too large and serves the others")
    func oversized() throws {
        let receiver = try Socket(context, .sub, options: [.maxMessageSize(100)])
        try receiver.bind("tcp://127.0.0.1:*")
        try receiver.subscribe(to: "")
        let endpoint = try receiver.lastEndpoint
        for (size, arrives) in [(101, false), (100, true)] {
            // Only then does the loss of the connection take back what came with it, the subscription.
            let sender = try Socket(context, .xpub, options: [.immediate(true)])
            try sender.connect(endpoint)
            // The subscription arrives only while the bound end is in the library.
            var poller = Poller()
            let incoming = poller.add(receiver)
            let gate = poller.add(sender)
            repeat { _ = try poller.wait(timeoutMilliseconds: 1000) } while !poller[gate].contains(.readable)
            _ = try sender.receive()

            _ = try sender.send([UInt8](repeating: 1, count: size))

            _ = try poller.wait(timeoutMilliseconds: 60_000)
            #expect(poller[incoming].contains(.readable) == arrives)
            #expect(poller[gate].contains(.readable) == !arrives)
        }
    }

    private struct Pair: ~Copyable {
        let left: Socket
        let right: Socket
    }

    private func pair(_ name: String, _ options: [SocketOption] = []) throws -> Pair {
        let left = try Socket(context, .pair, options: options)
        let right = try Socket(context, .pair, options: options)
        try left.bind(name)
        try right.connect(name)
        return Pair(left: left, right: right)
    }

    private func drain(_ socket: borrowing Socket) throws -> [[UInt8]] {
        var frames: [[UInt8]] = []
        while let message = try socket.receive() { frames.append(message.copy()) }
        return frames
    }
}
