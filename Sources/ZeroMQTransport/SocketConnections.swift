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
    /// The intervals in ms at which the numbers of read bytes are checked: while no watched connection sends, and while
    /// one does.
    private static let calmInterval: Int64 = 250
    private static let alertInterval: Int64 = 20

    struct Connection {
        let id: ConnectionID
        let accepted: AcceptedConnection
        /// The address of the peer without its port.
        let host: String
        /// The user and its key, once they are known.
        var user: (name: UserName, key: UserKey)?
        var proof: MessageProof
        /// The value of `looks` when it was first found to be watched.
        var watchedAt: UInt64?
        /// The value of `looks` when it was condemned.
        var condemnedAt: UInt64?
        /// The number of bytes read from it while memory was ample.
        var readBefore: Int64 = 0
        /// The time since which every check found bytes that the peer does not read.
        var behindSince: Int64?
        var isCut = false
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
    private var watched = 0
    private var nextCheck: Int64 = 0
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
    var isWatching: Bool { watched > 0 }

    // MARK: - Accepting and removing

    /// Handles the new and ended connections, at this time in ms.
    mutating func update(at now: Int64) throws(ZeroMQError) {
        for event in try events.takeAll() {
            switch event {
            case .accepted(let descriptor): accept(descriptor, at: now)
            case .disconnected(let descriptor):
                recordRefusal(of: descriptor)
                remove(descriptor)
            case .handshakeFailed(let failure): handshakeFailure = failure
            case .shutDown(let accepted, let reason):
                guard let id = id(of: accepted.descriptor), connections[Int(accepted.descriptor)]?.accepted == accepted
                else { continue }
                cut(id, because: reason)
            }
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
        if descriptors.count == 1 { nextCheck = now + Self.calmInterval }
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
        if connection.proof.isWatched { watched -= 1 }
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
            let connection = connections[Int(descriptor)], connection.proof.isWatched,
            let bytes = connection.accepted.bytesRead
        else { return }
        connections[Int(descriptor)]?.proof.finishMessage(bytesRead: bytes, at: now)
        connections[Int(descriptor)]?.condemnedAt = nil
        connections[Int(descriptor)]?.watchedAt = nil
        watched -= 1
    }

    /// Records that everything received has been read.
    mutating func recordDrained() { finishLook(2) }

    private mutating func finishLook(_ looks: UInt64) {
        self.looks += looks
        messagesOfLook = 0
    }

    /// Returns the time in ms until the next check; `nil` without connections.
    func timeUntilCheck(at now: Int64) -> Int? {
        descriptors.isEmpty ? nil : Int(max(0, nextCheck - now))
    }

    /// Whether `update` and `check` are due.
    func isCheckDue(at now: Int64) -> Bool { now >= nextCheck }

    /// Checks the number of bytes read from and written to each connection, and cuts those that finish no message.
    mutating func check(at now: Int64, _ memory: MemoryGauge.State) {
        nextCheck = now + (memory == .ample ? Self.calmInterval : Self.alertInterval)
        for index in connections.indices {
            guard var connection = connections[index], !connection.isCut else { continue }
            if !connection.accepted.hasUnsentBytes {
                connection.behindSince = nil
            } else if connection.behindSince == nil {
                connection.behindSince = now
            }
            guard let bytes = connection.accepted.bytesRead else {
                connections[index] = connection
                continue
            }
            if memory == .ample { connection.readBefore = bytes }
            let wasWatched = connection.proof.isWatched
            let verdict = connection.proof.judge(bytesRead: bytes, at: now)
            if connection.proof.isWatched, !wasWatched {
                watched += 1
                connection.watchedAt = looks
            }
            if verdict != .calm { nextCheck = now + Self.alertInterval }
            if verdict == .condemned {
                // Everything read until now has to be handled once more.
                if let since = connection.condemnedAt, looks >= since + 2 {
                    cut(
                        &connection,
                        because: "more than \(MessageProof.allowedBytes) bytes came without the end of a message")
                } else if connection.condemnedAt == nil {
                    connection.condemnedAt = looks
                }
            }
            connections[index] = connection
        }
    }
}
