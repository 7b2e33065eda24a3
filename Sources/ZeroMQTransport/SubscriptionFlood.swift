/// The detection of connections whose subscriptions keep the loop busy.
///
/// libzmq handles all received subscriptions of a connection in one call, and reads more of them meanwhile. While the
/// loop is busy with something else, libzmq reads few: at most `ZeroMQTransport.subscriptionsAhead` per connection.
///
/// Two things are looked at. A *hold-up* is a time in which the loop makes no progress. A *spell* is a time in which
/// receptions of subscriptions are long again and again, while the loop goes on in between.
struct SubscriptionFlood<Connection: Hashable> {
    /// A limit: connections that have sent more than `allowedBytes` since the loop's last progress are cut after
    /// `milliseconds`.
    struct Step {
        let milliseconds: Int64
        let allowedBytes: Int64
    }

    /// The steps, the shortest first.
    let steps: [Step]

    /// The number of bytes of subscriptions that libzmq handles in a ms, a low estimate.
    private static var handledBytes: Int64 { 4 << 10 }

    /// Creates the detection.
    ///
    /// - Parameters:
    ///   - limit: The maximum size of a connection's prefixes in bytes.
    ///   - framing: The maximum size of the framing around them in bytes.
    ///
    /// The first step concerns connections that sent more than that, or half as much again. The second step concerns those
    /// that sent more than several thousand ordinary subscriptions, since several connections may keep the loop busy
    /// together. It comes when libzmq had the time to handle the largest permitted number.
    init(limit: Int, framing: Int = 0) {
        let framed = Int64(limit) + max(Int64(limit) / 2, Int64(framing))
        steps = [
            Step(milliseconds: 25, allowedBytes: framed),
            Step(milliseconds: max(250, framed / Self.handledBytes), allowedBytes: min(framed, 256 << 10)),
        ]
    }

    /// More bytes than libzmq reads from a connection while the loop handles none of its subscriptions.
    static var readAheadBytes: Int64 { 128 << 10 }
    /// The interval in ms of checks if nothing is suspicious: longer than that of the loop's own checks.
    static var calmInterval: Int64 { 300 }
    /// The interval in ms of checks while subscriptions arrive and the loop makes no progress.
    static var alertInterval: Int64 { 10 }
    /// The interval in ms of checks while the loop handles subscriptions. libzmq handles some kilobytes of them per
    /// ms.
    static var floodInterval: Int64 { 10 }
    /// The time in ms after a new connection for which the checks are as frequent.
    static var alertTime: Int64 { 1000 }
    /// The time in ms without a long reception after which a spell is over.
    static var spellGap: Int64 { 1000 }
    /// The time in ms within which a connection may send as much as in a hold-up: a longer spell begins again.
    static var longestSpell: Int64 { 2000 }

    /// A time with long receptions.
    private struct Spell {
        let start: Int64
        var lastLongReception: Int64
        /// The number of bytes that had been read from each connection before it.
        let readBefore: [Connection: Int64]
    }

    private var turns: UInt64?
    private var longReceptions: UInt64 = 0
    /// The time at which the loop was first found without progress.
    private var since: Int64?
    private var readBefore: [Connection: Int64] = [:]
    private var spell: Spell?
    private var cut: Set<Connection> = []
    private var isGrowing = false
    /// Whether the loop handles subscriptions, or the rest of those of connections that were cut.
    private var isFlooded = false
    private var alertUntil: Int64 = 0

    /// Records new connections.
    mutating func recordArrivals(at now: Int64) { alertUntil = now + Self.alertTime }

    /// Returns the time in ms until the next check.
    func interval(at now: Int64) -> Int64 {
        if isFlooded || spell != nil { return Self.floodInterval }
        return isGrowing || now < alertUntil ? Self.alertInterval : Self.calmInterval
    }

    /// Checks the loop. During a hold-up or a spell, checks the number of bytes read from each connection.
    ///
    /// - Parameters:
    ///   - turns: A number that changes when the loop makes progress.
    ///   - longReceptions: The number of receptions of subscriptions so far that took long.
    /// - Returns: The connections that have to be cut, each once.
    mutating func look(
        turns: UInt64, longReceptions: UInt64, at now: Int64,
        bytesRead: () -> [(connection: Connection, bytes: Int64)]
    ) -> [Connection] {
        let hasProgress = turns != self.turns
        self.turns = turns
        let hasLongReception = longReceptions != self.longReceptions
        self.longReceptions = longReceptions
        defer { if since == nil, spell == nil { cut.removeAll() } }
        guard !hasProgress || hasLongReception || spell != nil else {
            endHoldUp()
            return []
        }
        let readings = bytesRead()
        updateSpell(hasLongReception: hasLongReception, readings, at: now)
        var excessive = excessiveOfSpell(readings)
        if hasProgress {
            endHoldUp()
        } else {
            excessive += excessiveOfHoldUp(readings, at: now)
        }
        return excessive
    }

    // MARK: - Hold-ups

    private mutating func excessiveOfHoldUp(
        _ readings: [(connection: Connection, bytes: Int64)], at now: Int64
    ) -> [Connection] {
        guard let since else {
            beginHoldUp(with: readings, at: now)
            return []
        }
        let grown = readings.map { ($0.connection, $0.bytes - readBefore[$0.connection, default: 0]) }
        isGrowing = grown.contains { $0.1 > 0 }
        if grown.contains(where: { $0.1 > Self.readAheadBytes }) { isFlooded = true }
        guard isGrowing || isFlooded else {
            // The loop waits, or is busy with something else.
            beginHoldUp(with: readings, at: now)
            return []
        }
        guard let step = steps.last(where: { now - since >= $0.milliseconds }) else { return [] }
        return grown.filter { $0.1 > step.allowedBytes && cut.insert($0.0).inserted }.map(\.0)
    }

    private mutating func beginHoldUp(with readings: [(connection: Connection, bytes: Int64)], at now: Int64) {
        since = now
        isGrowing = false
        readBefore = Dictionary(readings.map { ($0.connection, $0.bytes) }, uniquingKeysWith: max)
    }

    private mutating func endHoldUp() {
        since = nil
        isFlooded = false
        isGrowing = false
    }

    // MARK: - Spells

    /// Begins a spell, goes on with it, or ends it. One that begins after a hold-up began with the hold-up.
    private mutating func updateSpell(
        hasLongReception: Bool, _ readings: [(connection: Connection, bytes: Int64)], at now: Int64
    ) {
        if hasLongReception { spell?.lastLongReception = now }
        if let spell, now - spell.lastLongReception < Self.spellGap, now - spell.start < Self.longestSpell { return }
        spell = nil
        guard hasLongReception else { return }
        let before =
            since == nil ? Dictionary(readings.map { ($0.connection, $0.bytes) }, uniquingKeysWith: max) : readBefore
        spell = Spell(start: since ?? now, lastLongReception: now, readBefore: before)
    }

    private mutating func excessiveOfSpell(
        _ readings: [(connection: Connection, bytes: Int64)]
    ) -> [Connection] {
        guard let spell else { return [] }
        return readings.filter {
            $0.bytes - spell.readBefore[$0.connection, default: 0] > steps[0].allowedBytes
                && cut.insert($0.connection).inserted
        }.map(\.connection)
    }
}
