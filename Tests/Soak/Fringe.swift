import ZeroMQ

/// Subscribers that the broker must serve and never wait for: one that is much too slow, and others that come, look and
/// go.
struct Fringe: ~Copyable {
    private let context: Context
    private let egress: String
    private let slow: Socket
    private var passing: Socket?
    private var isServed = true
    private var nextPassing = 0.0
    private var nextSlow = 0.0
    private var passed = 0

    /// In seconds: so long may one wait for what it asked for.
    private static let patience = 60.0

    init(_ context: Context, _ broker: SoakedBroker) throws {
        let slow = try Socket(context, .sub, options: [.receiveHighWaterMark(100)])
        try slow.connect(broker.egress)
        try slow.subscribe(to: "events/")
        self.slow = slow
        self.context = context
        egress = broker.egress
    }

    mutating func turn(at now: Double, _ tally: inout TrafficTally) throws {
        if now >= nextSlow {
            nextSlow = now + 0.1
            for _ in 0..<10 where try slow.receive() != nil { tally.slowSubscriberMessages += 1 }
        }
        if !isServed { isServed = try passing?.receive() != nil }
        if !isServed, now >= nextPassing + Self.patience {
            tally.note("passing subscriber \(passed) got nothing in \(Int(Self.patience)) s")
            isServed = true
        }
        if isServed, now >= nextPassing {
            nextPassing = now + 0.5
            try pass(&tally)
        }
    }

    /// One goes, the next comes.
    private mutating func pass(_ tally: inout TrafficTally) throws {
        passed += 1
        tally.passingSubscribers += 1
        let socket = try Socket(context, .sub, options: [.receiveHighWaterMark(1000)])
        try socket.connect(egress)
        let group = SoakCommands.group(passed % SoakCommands.groups)
        try socket.subscribe(to: "state/\(group)/")
        try socket.subscribe(to: "sync/soak/n\(passed)/\(group)/")
        try socket.subscribe(to: "heartbeat/")
        passing = consume socket
        isServed = false
    }
}
