import Foundation
import PopupProtocol
import ZeroMQ

/// A client written from the protocol alone: an XPUB that waits for the broker's subscription, and a SUB. It belongs to
/// the thread of its test; what comes in is taken in whenever the test waits for something.
final class Wire {
    /// All that came in, in order.
    private(set) var arrivals: [Arrival] = []
    /// Its name in queries.
    let client: String

    private let ingress: Socket
    private let egress: Socket
    private var poller = Poller()
    private let ingressItem: Poller.Index
    private let begin = ContinuousClock.now
    private var nonces = 0
    /// Its name as a producer of numbered queries, how many it asked, and what it was told of them last.
    let producer = String((0..<32).map { _ in "0123456789abcdef".randomElement()! })
    private var queries: UInt64 = 0
    private var ack = WireAck()

    private static let context = try! Context()

    /// Connects, and waits until commands reach the broker and these topics come from it.
    convenience init(
        ingress: String, egress: String, following topics: [String], options: [SocketOption] = []
    ) throws {
        try self.init(connectingTo: ingress, egress, options: options)
        try waitForBroker()
        try follow(topics)
    }

    /// Opens the sockets and waits for nothing.
    ///
    /// - Parameters:
    ///   - receiving: How many messages it keeps that are not taken in yet; 0: all.
    ///   - options: Further options of both sockets, such as a key.
    init(
        connectingTo ingressEndpoint: String, _ egressEndpoint: String, receiving: Int32 = 0,
        options: [SocketOption] = []
    ) throws {
        client = "test-\(UInt64.random(in: 0 ... .max))"
        let common =
            options + [.reconnectInterval(milliseconds: 20), .maxReconnectInterval(milliseconds: 200)]
        ingress = try Socket(
            Self.context, .xpub,
            options: common + [.immediate(true), .xpubNoDrop(true), .linger(milliseconds: 2000)])
        egress = try Socket(Self.context, .sub, options: common + [.receiveHighWaterMark(receiving)])
        try ingress.connect(ingressEndpoint)
        try egress.connect(egressEndpoint)
        ingressItem = poller.add(ingress)
        _ = poller.add(egress)
    }

    // MARK: Being connected

    /// Waits until the broker has subscribed to what is sent: nothing is lost from then on.
    func waitForBroker(before deadline: Deadline = .standard) throws {
        try wait(for: "the broker's subscription", before: deadline) { $0.isHeard }
    }

    /// Whether the broker is subscribed now.
    private(set) var isHeard = false

    /// Subscribes, and waits until it is in force.
    func follow(_ topics: [String]) throws {
        for topic in topics { try egress.subscribe(to: topic) }
        try settle()
    }

    func follow(_ topics: String...) throws {
        try follow(topics)
    }

    /// Subscribes and does not wait.
    func subscribe(to topic: String) throws {
        try egress.subscribe(to: topic)
    }

    // MARK: Sending

    /// Sends one command in one frame.
    func send(_ json: String) throws {
        try send(frames: [Array(json.utf8)])
    }

    func send(_ commands: [String]) throws {
        for command in commands { try send(command) }
    }

    /// Sends a message of these frames.
    func send(frames: [[UInt8]]) throws {
        for (index, frame) in frames.enumerated() {
            let isMore = index < frames.count - 1
            let deadline = Deadline.standard
            // Full: libzmq does not tell when there is room again, the reader does.
            while try !ingress.send(frame, more: isMore) {
                guard !deadline.isOver else { throw NotInTime(description: "the broker does not take a frame") }
                try takeIn(waiting: .earlier(deadline, .after(.milliseconds(5))))
            }
        }
    }

    // MARK: Waiting

    /// Takes in what comes until the condition holds.
    ///
    /// - Throws: `NotInTime` with all that came in.
    func wait(for purpose: String, before deadline: Deadline = .standard, _ condition: (Wire) -> Bool) throws {
        guard try waits(before: deadline, condition) else {
            throw NotInTime(description: "waited in vain for \(purpose); what came in:\n\(transcript)")
        }
    }

    /// The same, and whether it came to hold in time.
    func waits(before deadline: Deadline = .standard, _ condition: (Wire) -> Bool) throws -> Bool {
        while true {
            try takeIn(waiting: .after(.zero))
            if condition(self) { return true }
            if deadline.isOver { return false }
            try takeIn(waiting: deadline)
        }
    }

    /// Sends a frame again and again until the condition holds.
    ///
    /// - Throws: `NotInTime` with all that came in.
    private func send(
        _ frame: String, every interval: Duration, until purpose: String, _ condition: (Wire) -> Bool
    ) throws {
        let deadline = Deadline.standard
        repeat {
            try send(frame)
            if try waits(before: .earlier(deadline, .after(interval)), condition) { return }
        } while !deadline.isOver
        throw NotInTime(description: "waited in vain for \(purpose); what came in:\n\(transcript)")
    }

    /// Waits until the broker has applied, or refused, everything sent so far and all that followed from it at once has
    /// come in: a numbered query is settled after the commands before it, however long they are on their way to the
    /// disk, or refused with them where it can't be committed; what is answered then was asked in a later batch.
    func settle() throws {
        if queries == 0 {
            try egress.subscribe(to: "acks/\(producer)/")
            // What is answered to this one was subscribed to later.
            _ = try ask(#""stats":{}"#)
        }
        queries += 1
        let sequence = queries
        let query = #""query":{"client":"\#(client)","nonce":"settle","count":{}}"#
        // Sent again as a producer does: the broker may have cut the connection off for what came before.
        try send(
            #"{"producer":"\#(producer)","sequence":"\#(sequence)",\#(query)}"#, every: .seconds(2),
            until: "what comes of a numbered query"
        ) { $0.ack.tells(of: sequence) }
        _ = try ask(#""stats":{}"#)
    }

    /// Sends a query, such as `"list":{}`, and waits for the reply. It is sent again now and then, as its
    /// subscription travels on the other socket and may come too late for a reply.
    func ask(_ query: String, encoding: WireEncoding = .binary) throws -> WireResult {
        nonces += 1
        let nonce = "n\(nonces)"
        let channel = encoding == .binary ? Channel.replies : .repliesJSON
        let topic = "\(channel.prefix)\(client)/\(nonce)/"
        try egress.subscribe(to: topic)
        let first = arrivals.count
        try send(
            #"{"query":{"client":"\#(client)","nonce":"\#(nonce)",\#(query)}}"#, every: .milliseconds(100),
            until: "the reply to \(query)"
        ) { $0.reply(topic, from: first) != nil }
        try egress.unsubscribe(from: topic)
        return reply(topic, from: first)!
    }

    private func reply(_ topic: String, from first: Int) -> WireResult? {
        for arrival in arrivals[first...] where arrival.topic == topic {
            if case .reply(let reply) = arrival.content { return reply.reply }
        }
        return nil
    }

    private func takeIn(waiting deadline: Deadline) throws {
        _ = try poller.wait(timeoutMilliseconds: deadline.milliseconds)
        while let message = try ingress.receive() { isHeard = message.copy() == [1] }
        let now = ContinuousClock.now
        var frames: [[UInt8]] = []
        while let message = try egress.receive(wait: !frames.isEmpty) {
            frames.append(message.copy())
            guard !message.more else { continue }
            defer { frames = [] }
            if frames[0].starts(with: "acks/\(producer)/".utf8) {
                ack = try WireEncoding.binary.decode(frames[1], as: WireAck.self)
                continue
            }
            arrivals.append(Arrival(frames, at: now))
        }
    }

    /// All that came in, a line each, with the seconds since the beginning.
    var transcript: String {
        arrivals.suffix(200).map { arrival in
            let milliseconds = Int((arrival.at - begin) / .milliseconds(1))
            return "  \(milliseconds) ms \(arrival)"
        }
        .joined(separator: "\n")
    }
}

extension WireAck {
    /// Whether it says what came of a sequence.
    fileprivate func tells(of sequence: UInt64) -> Bool {
        if sequence <= cumulative || refusals.contains(where: { $0.sequence == sequence }) { return true }
        let bit = sequence - cumulative
        guard bit >= 2, (bit - 2) / 8 < UInt64(selective.count) else { return false }
        return selective[selective.startIndex + Int((bit - 2) / 8)] >> ((bit - 2) % 8) & 1 == 1
    }
}
