/// Decides which connections' subscriptions keep the loop from looking at anything else.
///
/// libzmq takes all subscriptions that a connection has in one go, and reads more of them meanwhile. What it reads while
/// the loop is held up by something else is little: `ZeroMQTransport.subscriptionsAhead` of each connection.
struct SubscriptionFlood<Connection: Hashable> {
    /// Who has sent more than so many bytes since the loop was held up, of which so many ms have passed, is cut off.
    struct Step {
        let milliseconds: Int64
        let allowedBytes: Int64
    }

    /// At first only those that sent more than the default of `limits.subscriptionBytesPerConnection` and its framing;
    /// then, as several may hold the loop up together, those with more than some thousand ordinary subscriptions.
    static var steps: [Step] {
        [Step(milliseconds: 250, allowedBytes: 5 << 20), Step(milliseconds: 1000, allowedBytes: 256 << 10)]
    }

    /// More bytes than libzmq reads of a connection while the loop takes none of its subscriptions.
    static var readAheadBytes: Int64 { 128 << 10 }
    /// In ms until the next look, while all is calm: rarer than the loop's own looks at its connections.
    static var calmInterval: Int64 { 300 }
    /// In ms until the next look, while subscriptions come and the loop does not look.
    static var alertInterval: Int64 { 50 }
    /// In ms until the next look, while the loop takes subscriptions: libzmq takes some kilobytes a ms.
    static var floodInterval: Int64 { 10 }
    /// In ms: so long after a connection came it is looked as often.
    static var alertTime: Int64 { 1000 }

    private var turns: UInt64?
    /// Since when the loop has been held up, at most.
    private var since: Int64?
    private var readBefore: [Connection: Int64] = [:]
    private var cut: Set<Connection> = []
    private var isGrowing = false
    /// The loop takes subscriptions, or what is left of those that were cut off.
    private var isFlooded = false
    private var alertUntil: Int64 = 0

    /// Takes note that connections came.
    mutating func noteArrivals(at now: Int64) { alertUntil = now + Self.alertTime }

    /// In ms until the next look.
    func interval(at now: Int64) -> Int64 {
        if isFlooded { return Self.floodInterval }
        return isGrowing || now < alertUntil ? Self.alertInterval : Self.calmInterval
    }

    /// Looks at the loop, and where it did not go on at the bytes read from each connection.
    ///
    /// - Parameter turns: Another number whenever the loop went on.
    /// - Returns: Who is to be cut off; each once.
    mutating func look(
        turns: UInt64, at now: Int64, bytesRead: () -> [(connection: Connection, bytes: Int64)]
    ) -> [Connection] {
        guard turns == self.turns else {
            self.turns = turns
            since = nil
            isFlooded = false
            isGrowing = false
            cut.removeAll()
            return []
        }
        let readings = bytesRead()
        guard let since else {
            begin(with: readings, at: now)
            return []
        }
        let grown = readings.map { ($0.connection, $0.bytes - readBefore[$0.connection, default: 0]) }
        isGrowing = grown.contains { $0.1 > 0 }
        if grown.contains(where: { $0.1 > Self.readAheadBytes }) { isFlooded = true }
        guard isGrowing || isFlooded else {
            // It waits for something, or is busy with something else.
            begin(with: readings, at: now)
            return []
        }
        guard let step = Self.steps.last(where: { now - since >= $0.milliseconds }) else { return [] }
        return grown.filter { $0.1 > step.allowedBytes && cut.insert($0.0).inserted }.map(\.0)
    }

    private mutating func begin(with readings: [(connection: Connection, bytes: Int64)], at now: Int64) {
        since = now
        isGrowing = false
        readBefore = Dictionary(readings.map { ($0.connection, $0.bytes) }, uniquingKeysWith: max)
    }
}
