import Testing
import ZeroMQ

@Suite("CURVE")
struct CurveTests {
    let context = try! Context()

    /// Answers requests until a message comes, or until so many were answered without one.
    private func receive(
        _ message: borrowing Message, from socket: borrowing Socket, asking authenticator: borrowing Authenticator,
        atMost milliseconds: Int = 60_000,
        _ decide: (AuthenticationRequest) -> String?
    ) throws -> Bool {
        var poller = Poller()
        _ = poller.add(socket)
        _ = authenticator.add(to: &poller)
        let end = ContinuousClock.now + .milliseconds(milliseconds)
        while ContinuousClock.now < end {
            _ = try poller.wait(timeoutMilliseconds: 50)
            while try authenticator.answerNext(decide) {}
            if try socket.receive(into: message) { return true }
        }
        return false
    }

    @Test("keys are written as Z85, and only as that")
    func keys() throws {
        // The key of RFC 32's reference implementation for libzmq's tests.
        let secret = try #require(CurveSecretKey("JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6"))
        let pair = try CurveKeyPair(secret)
        #expect(pair.publicKey.description == "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7")
        #expect(CurvePublicKey(pair.publicKey.description) == pair.publicKey)
        #expect(pair.secretKey.text == secret.text)
        for wrong in ["", "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf", "~q:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7"] {
            #expect(CurvePublicKey(wrong) == nil, "\(wrong)")
        }
        // Five characters of the highest value stand for more than 32 bits.
        #expect(CurvePublicKey(String(repeating: "#", count: 40)) == nil)
        let (one, other) = (try CurveKeyPair.random(), try CurveKeyPair.random())
        #expect(one != other)
        #expect(try CurveKeyPair(one.secretKey) == one)
    }

    @Test("tells nobody a secret key by describing it")
    func secrecy() throws {
        let secret = try CurveKeyPair.random().secretKey
        var dumped = ""
        dump(secret, to: &dumped)
        for text in ["\(secret)", String(reflecting: secret), dumped, "\(SocketOption.curveServer(secret))"] {
            #expect(!text.contains(secret.text))
            #expect(!text.contains("bytes"))
        }
    }

    @Test("names the sender of a message by the key that it proved to have")
    func sender() throws {
        let (server, client) = (try CurveKeyPair.random(), try CurveKeyPair.random())
        let authenticator = try Authenticator(context)
        let ingress = try Socket(context, .sub, options: [.curveServer(server.secretKey)])
        try ingress.subscribe(to: "")
        try ingress.bind("tcp://127.0.0.1:*")
        let outside = try Context()
        let producer = try Socket(outside, .pub, options: [.curveClient(client, server: server.publicKey)])
        let monitored = try ingress.lastEndpoint
        try producer.connect(monitored)

        let message = Message()
        var requests: [AuthenticationRequest] = []
        var isReceived = false
        for _ in 0..<600 where !isReceived {
            _ = try producer.send([7])
            isReceived = try receive(message, from: ingress, asking: authenticator, atMost: 100) { request in
                requests.append(request)
                return "lobby"
            }
        }

        #expect(isReceived)
        #expect(message.user == "lobby")
        #expect(requests.map(\.mechanism) == [.curve(client.publicKey)])
        #expect(requests.map(\.address) == ["127.0.0.1"])
    }

    @Test("lets nobody in who is denied, who has no key, or who takes another server for this one")
    func strangers() throws {
        let (server, client, other) = (
            try CurveKeyPair.random(), try CurveKeyPair.random(), try CurveKeyPair.random()
        )
        let authenticator = try Authenticator(context)
        let ingress = try Socket(
            context, .sub, options: [.curveServer(server.secretKey), .handshakeInterval(milliseconds: 1000)])
        try ingress.subscribe(to: "")
        try ingress.bind("tcp://127.0.0.1:*")
        let outside = try Context()
        let strangers: [(options: [SocketOption], isAskedAbout: Bool)] = [
            ([], false), ([.curveClient(client, server: server.publicKey)], true),
            ([.curveClient(client, server: other.publicKey)], false),
        ]
        let message = Message()
        for (options, isAskedAbout) in strangers {
            let stranger = try Socket(outside, .pub, options: options + [.linger(milliseconds: 0)])
            try stranger.connect(ingress.lastEndpoint)
            var denied = 0
            for round in 0..<600 where round < 5 || (isAskedAbout && denied == 0) {
                _ = try stranger.send([7])
                let isReceived = try receive(message, from: ingress, asking: authenticator, atMost: 100) { _ in
                    denied += 1
                    return nil
                }
                #expect(!isReceived)
            }
            // Only who has proved a key is asked about.
            if isAskedAbout { #expect(denied > 0) }
        }
    }

    @Test("without an authenticator who has a key gets in, unless the socket requires one", arguments: [false, true])
    func noAuthenticator(isRequired: Bool) throws {
        let (server, client) = (try CurveKeyPair.random(), try CurveKeyPair.random())
        let ingress = try Socket(
            context, .sub,
            options: [
                .curveServer(server.secretKey), .authenticationDomain("test"), .requiresAuthenticator(isRequired),
            ])
        try ingress.subscribe(to: "")
        try ingress.bind("tcp://127.0.0.1:*")
        let producer = try Socket(
            Context(), .pub, options: [.curveClient(client, server: server.publicKey), .linger(milliseconds: 0)])
        try producer.connect(ingress.lastEndpoint)
        var poller = Poller()
        _ = poller.add(ingress)
        let message = Message()
        var isReceived = false
        // The time in which the other one is let in, many times over.
        let end = ContinuousClock.now + (isRequired ? .seconds(1) : .seconds(60))
        while !isReceived, ContinuousClock.now < end {
            _ = try producer.send([7])
            _ = try poller.wait(timeoutMilliseconds: 10)
            isReceived = try ingress.receive(into: message)
        }
        #expect(isReceived == !isRequired)
    }

    @Test("subscriptions that need leave have the subscriber's name and take effect with it alone")
    func subscriptions() throws {
        let (server, client) = (try CurveKeyPair.random(), try CurveKeyPair.random())
        let authenticator = try Authenticator(context)
        let egress = try Socket(
            context, .xpub, options: [.curveServer(server.secretKey), .xpubManual(true), .xpubVerboser(true)])
        try egress.bind("tcp://127.0.0.1:*")
        let outside = try Context()
        let subscriber = try Socket(outside, .sub, options: [.curveClient(client, server: server.publicKey)])
        try subscriber.subscribe(to: "state/lobby/")
        try subscriber.subscribe(to: "state/vault/")
        try subscriber.connect(egress.lastEndpoint)

        let message = Message()
        var prefixes: Set<String> = []
        for _ in 0..<2 {
            #expect(try receive(message, from: egress, asking: authenticator) { _ in "kiosk" })
            #expect(message.user == "kiosk")
            let prefix = String(decoding: message.copy().dropFirst(), as: UTF8.self)
            prefixes.insert(prefix)
            if prefix == "state/lobby/" {
                try message.withBytes { bytes throws(ZeroMQError) in
                    try egress.acceptSubscription(bytes.extracting(droppingFirst: 1))
                }
            }
        }
        #expect(prefixes == ["state/lobby/", "state/vault/"])

        for topic in ["state/vault/", "state/lobby/"] { _ = try egress.send([UInt8](topic.utf8)) }
        #expect(try subscriber.receive(into: message, wait: true))
        #expect(message.copy() == [UInt8]("state/lobby/".utf8))
        #expect(try !subscriber.receive(into: message))
    }
}
