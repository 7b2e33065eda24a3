import PopupAccess
import PopupBroker
import ZeroMQ

/// The connections of a bound socket: it tracks which exist, which have ended, and which never finish a message.
///
/// Descriptors are reused. A message with the descriptor of a connection that has ended is attributed to the connection
/// that has the descriptor now. libzmq returns the messages of the older connection first, so that at worst the newer
/// one is assumed to have the subscriptions that the older one had sent last: it is cut off if that is too many together,
/// and may come again.
struct SocketConnections: ~Copyable {
    /// The longest interval in ms at which the numbers of read bytes of all connections are checked.
    static let calmInterval: Int64 = 250
    /// The interval in ms at which those of watched connections are checked while one of them sends; and those of all
    /// connections while memory is short or there are few of them.
    static let alertInterval: Int64 = 20
    /// The number of connections that may be checked in each ms of the interval.
    private static let checkedPerMillisecond: Int64 = 4

    /// The number of connections that are checked in one step while memory is ample. A check takes 2 to 3 µs, and those of
    /// 8192 connections at once would delay every client by 20 ms.
    static let checkedAtOnce = 256

    /// Returns the interval in ms at which a number of connections are checked while memory is ample.
    ///
    /// Few are checked often: one that sends a message without an end takes up to 3 GB a second, and reuses the memory of
    /// those that were cut before it, so that the memory does not grow.
    static func checkInterval(ofConnections count: Int) -> Int64 {
        min(calmInterval, max(alertInterval, Int64(count) / checkedPerMillisecond))
    }

    private let name: String
    /// The maximum number of connections.
    let limit: Int
    private let events: ConnectionEvents
    /// The connections by their descriptors.
    private(set) var connections: [Connection?] = []
    /// The number of connections that are not cut.
    private(set) var open = 0
    private var openByHost: [String: Int] = [:]
    private var descriptors: [ConnectionID: Int32] = [:]
    private var lastID: UInt64 = 0
    private var ended: [ConnectionID] = []
    private var cuts: [CutConnection] = []
    /// The descriptors of the watched connections.
    private var watched: Set<Int32> = []
    /// Whether memory was short at the last check. Then whole messages of all connections are recorded.
    private var isMemoryShort = false
    /// The time of the next step of the check of all connections.
    private var nextCheck: Int64 = 0
    /// The descriptor with which it goes on.
    private var nextChecked = 0
    /// The time of the next check of watched connections.
    private var nextWatchedCheck = Int64.max
    // The number of times that everything received had been read. Messages of connections are read in turn.
    private(set) var looks: UInt64 = 0
    private var messagesOfLook = 0
    /// The failure of the handshake of the connection that ends next.
    private var handshakeFailure: HandshakeFailure?

    init(name: String, limit: Int, events: ConnectionEvents) {
        self.name = name
        self.limit = limit
        self.events = events
    }

    /// Whether `recordMessage` must be called for whole messages.
    var isWatching: Bool { isMemoryShort || !watched.isEmpty }

    // MARK: - Accepting and removing

    /// Handles the new and ended connections, at this time in ms.
    mutating func update(at now: Int64) throws(ZeroMQError) {
        for event in try events.takeAll() { handle(event, at: now) }
    }

    /// Handles an event, at this time in ms.
    mutating func handle(_ event: ConnectionEvents.Event, at now: Int64) {
        switch event {
        case .accepted(let descriptor): accept(descriptor, at: now)
        case .disconnected(let descriptor):
            recordRefusal(of: descriptor)
            remove(descriptor)
        case .handshakeFailed(let failure): handshakeFailure = failure
        case .shutDown(let accepted, let reason):
            guard let id = id(of: accepted.descriptor), connections[Int(accepted.descriptor)]?.accepted == accepted
            else { return }
            cut(id, because: reason)
        case .relisted(let current): relist(current, at: now)
        }
    }

    /// Removes the connections that are not among the current ones, and adds those that are missing.
    private mutating func relist(_ current: [AcceptedConnection?], at now: Int64) {
        handshakeFailure = nil
        for index in 0..<max(current.count, connections.count) {
            let accepted = current.indices.contains(index) ? current[index] : nil
            if connections.indices.contains(index), let known = connections[index] {
                if known.accepted == accepted { continue }
                remove(Int32(index))
            }
            if accepted != nil { accept(Int32(index), at: now) }
        }
    }

    private mutating func accept(_ descriptor: Int32, at now: Int64) {
        // The end of the former connection may be known before the event that announces it.
        remove(descriptor)
        guard descriptor >= 0, let accepted = AcceptedConnection(descriptor: descriptor) else { return }
        let index = Int(descriptor)
        if index >= connections.count {
            let count = max(index + 1, connections.count * 2)
            connections.append(contentsOf: repeatElement(nil, count: count - connections.count))
        }
        lastID += 1
        let id = ConnectionID(lastID)
        let peer = accepted.peer ?? ""
        let host = String(peer[..<(peer.lastIndex(of: ":") ?? peer.endIndex)])
        connections[index] = Connection(id: id, accepted: accepted, host: host, proof: MessageProof(at: now))
        descriptors[id] = descriptor
        open += 1
        openByHost[host, default: 0] += 1
        if descriptors.count == 1 { nextCheck = now + Self.checkInterval(ofConnections: 1) }
        if open > limit { makeRoom(for: id, of: host) }
    }

    /// Cuts the newest connection of the address with the most connections. If the newcomer's address has as many, cuts
    /// the newcomer.
    private mutating func makeRoom(for newcomer: ConnectionID, of host: String) {
        let largest = openByHost.values.max() ?? 0
        var victim = newcomer
        if openByHost[host] != largest {
            var newest: UInt64 = 0
            for case let connection? in connections where !connection.isCut {
                guard openByHost[connection.host] == largest, connection.id.number > newest else { continue }
                newest = connection.id.number
                victim = connection.id
            }
        }
        cut(victim, because: "the socket has more than \(limit) connections, most of them from its address")
    }

    private mutating func remove(_ descriptor: Int32) {
        let index = Int(descriptor)
        guard connections.indices.contains(index), let connection = connections[index] else { return }
        watched.remove(descriptor)
        if !connection.isCut { leave(connection) }
        connections[index] = nil
        descriptors[connection.id] = nil
        ended.append(connection.id)
    }

    /// Records a connection that was refused in its handshake. Connections with unknown keys are recorded by
    /// `Authentication`, which knows the keys. A connection that the peer itself ended was not refused.
    private mutating func recordRefusal(of descriptor: Int32) {
        guard let failure = handshakeFailure.take(), failure == .mechanism || failure == .other else { return }
        // The connection may have ended before it was recorded.
        let connection = connections.indices.contains(Int(descriptor)) ? connections[Int(descriptor)] : nil
        if connection?.isCut == true { return }
        let reason =
            failure == .mechanism
            ? "it has no key, and this endpoint speaks CURVE only"
            : "its handshake is not one of CURVE with this broker's public key"
        // A peer that had left before it was accepted has no address.
        let host = connection?.host ?? ""
        cuts.append(CutConnection(socket: name, peer: host.isEmpty ? nil : host, reason: reason))
    }

    private mutating func leave(_ connection: Connection) {
        open -= 1
        let left = openByHost[connection.host, default: 1] - 1
        openByHost[connection.host] = left > 0 ? left : nil
    }

    /// Returns the connection of a descriptor; `nil` if it has ended or was cut.
    func id(of descriptor: Int32?) -> ConnectionID? {
        guard let descriptor, connections.indices.contains(Int(descriptor)),
            let connection = connections[Int(descriptor)], !connection.isCut
        else { return nil }
        return connection.id
    }

    // MARK: - Users

    /// Records the owner of a connection.
    mutating func record(_ name: UserName, _ key: UserKey, of id: ConnectionID) {
        guard let descriptor = descriptors[id] else { return }
        connections[Int(descriptor)]?.user = (name, key)
    }

    /// Cuts off the connections whose key is not, or no longer, that of their user.
    mutating func cut(usersOtherThan users: [UserKey: UserName], because reason: String) {
        for case let connection? in connections {
            if let (name, key) = connection.user, users[key] != name { cut(connection.id, because: reason) }
        }
    }

    /// Removes and returns a connection that has ended.
    mutating func takeEnded() -> ConnectionID? { ended.popLast() }

    /// Removes the ended connections without returning them.
    mutating func forgetEnded() { ended.removeAll(keepingCapacity: true) }

    /// Cuts a connection, unless it has ended.
    mutating func cut(_ id: ConnectionID, because reason: String, isSlow: Bool = false) {
        guard let descriptor = descriptors[id], var connection = connections[Int(descriptor)], !connection.isCut
        else { return }
        cut(&connection, because: reason, isSlow: isSlow)
        connections[Int(descriptor)] = connection
    }

    private mutating func cut(_ connection: inout Connection, because reason: String, isSlow: Bool = false) {
        cuts.append(CutConnection(socket: name, peer: connection.accepted.peer, reason: reason, isSlow: isSlow))
        connection.isCut = true
        leave(connection)
        connection.accepted.shutDown()
    }

    /// Removes and returns the reports of cut connections.
    mutating func takeCuts() -> [CutConnection] {
        guard !cuts.isEmpty else { return [] }
        defer { cuts.removeAll() }
        return cuts
    }

    // MARK: - Unfinished messages

    /// Records a whole message, by the descriptor of its connection.
    mutating func recordMessage(from descriptor: Int32?, at now: Int64) {
        // Messages are read from the connections in turn; libzmq's commands that announce them are read from time to
        // time.
        messagesOfLook += 1
        if messagesOfLook > 2 * descriptors.count + 256 { finishLook(1) }
        guard let descriptor, connections.indices.contains(Int(descriptor)),
            let connection = connections[Int(descriptor)]
        else { return }
        if connection.backlog != nil { connections[Int(descriptor)]?.backlog = nil }
        // The number of bytes takes system calls. One proof between two checks is enough.
        guard connection.proof.isWatched || !connection.isProven, let bytes = connection.accepted.bytesRead
        else { return }
        connections[Int(descriptor)]?.proof.finishMessage(bytesRead: bytes, at: now)
        connections[Int(descriptor)]?.isProven = true
        connections[Int(descriptor)]?.condemnedAt = nil
        connections[Int(descriptor)]?.watchedAt = nil
        watched.remove(descriptor)
    }

    /// Records that everything received has been read.
    mutating func recordDrained() { finishLook(2) }

    private mutating func finishLook(_ looks: UInt64) {
        self.looks += looks
        messagesOfLook = 0
    }

    /// Returns the time in ms until the next check; `nil` without connections.
    func timeUntilCheck(at now: Int64) -> Int? {
        descriptors.isEmpty ? nil : Int(max(0, min(nextCheck, nextWatchedCheck) - now))
    }

    /// Whether `update` and `check` are due.
    func isCheckDue(at now: Int64) -> Bool { now >= min(nextCheck, nextWatchedCheck) }

    /// Checks the number of bytes read from and written to the connections that are due, and cuts those that finish no
    /// message. Watched connections are due more often; of all, some are at a time, in turn.
    ///
    /// - Parameters:
    ///   - memory: The state of the memory. Unless it is ample, all connections are checked.
    ///   - isGrowing: Whether the memory has grown so much that all connections are checked.
    mutating func check(at now: Int64, _ memory: MemoryGauge.State, isGrowing: Bool = false) {
        isMemoryShort = memory != .ample
        if isMemoryShort || isGrowing {
            nextWatchedCheck = .max
            nextCheck = now + (isMemoryShort ? Self.alertInterval : checkInterval)
            checkAll(at: now)
            return
        }
        if now >= nextWatchedCheck {
            nextWatchedCheck = .max
            for descriptor in watched { check(Int(descriptor), at: now) }
        }
        if now >= nextCheck {
            let steps = (descriptors.count + Self.checkedAtOnce - 1) / Self.checkedAtOnce
            nextCheck = now + checkInterval / Int64(max(1, steps))
            checkSome(at: now)
        }
    }

    /// The interval in ms at which the present connections are checked while memory is ample.
    private var checkInterval: Int64 { Self.checkInterval(ofConnections: descriptors.count) }

    /// Checks all connections.
    private mutating func checkAll(at now: Int64) {
        nextChecked = 0
        for index in connections.indices { checkInTurn(index, at: now) }
    }

    /// Checks as many connections as are due in one step, from the next one on.
    private mutating func checkSome(at now: Int64) {
        var left = Self.checkedAtOnce
        while nextChecked < connections.count {
            if connections[nextChecked] != nil {
                guard left > 0 else { return }
                checkInTurn(nextChecked, at: now)
                left -= 1
            }
            nextChecked += 1
        }
        nextChecked = 0
    }

    private mutating func checkInTurn(_ index: Int, at now: Int64) {
        connections[index]?.isProven = false
        check(index, at: now)
    }

    private mutating func check(_ index: Int, at now: Int64) {
        guard var connection = connections[index], !connection.isCut else { return }
        defer { connections[index] = connection }
        if !connection.accepted.hasUnsentBytes {
            connection.behindSince = nil
        } else if connection.behindSince == nil {
            connection.behindSince = now
        }
        guard let bytes = connection.accepted.bytesRead else {
            checkBacklog(of: &connection)
            return
        }
        if !isMemoryShort { connection.readBefore = bytes }
        let wasWatched = connection.proof.isWatched
        let verdict = connection.proof.judge(bytesRead: bytes, at: now)
        if connection.proof.isWatched, !wasWatched {
            watched.insert(Int32(index))
            connection.watchedAt = looks
        }
        if verdict == .condemned {
            // Everything read until now has to be handled once more.
            if let since = connection.condemnedAt, looks >= since + 2 {
                return cut(
                    &connection,
                    because: "more than \(MessageProof.allowedBytes) bytes came without the end of a message")
            }
            connection.condemnedAt = connection.condemnedAt ?? looks
        }
        if verdict != .calm { nextWatchedCheck = min(nextWatchedCheck, now + Self.alertInterval) }
    }

    /// Checks a connection whose read bytes the system does not count, such as one over `ipc://`.
    private func checkBacklog(of connection: inout Connection) {
        guard isMemoryShort, connection.accepted.hasUnreadBytes else {
            connection.backlog = nil
            return
        }
        connection.backlog = Backlog(
            since: connection.backlog?.since ?? looks, checks: (connection.backlog?.checks ?? 0) + 1)
    }
}
