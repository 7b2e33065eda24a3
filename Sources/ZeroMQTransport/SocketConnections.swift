import PopupAccess
import PopupBroker
import ZeroMQ

/// The live connections of a bound socket: who is there, who has gone, and who sends without ever finishing a message.
///
/// libzmq uses a descriptor's number again. A message that names the number of a connection that has ended is taken for
/// one of the connection that has the number now; libzmq hands over the older connection's messages first, so that at
/// worst the newer one is thought to have a subscription more.
struct SocketConnections: ~Copyable {
    /// In ms: how often the bytes read are looked at while nobody is watched who sends, and while somebody is.
    private static let calmInterval: Int64 = 250
    private static let alertInterval: Int64 = 20

    struct Connection {
        let id: ConnectionID
        let accepted: AcceptedConnection
        /// The peer's address without its port.
        let host: String
        /// The key of its user, once the user is known.
        var key: UserKey?
        var proof: MessageProof
        /// `looks` when it was first found watched.
        var watchedAt: UInt64?
        /// `looks` when it was condemned.
        var condemnedAt: UInt64?
        /// The bytes read from it when there was memory enough.
        var readBefore: Int64 = 0
        /// Since when it has had bytes that its peer does not take, at each look.
        var behindSince: Int64?
        var isCut = false
    }

    private let name: String
    /// Connections at most.
    private let most: Int
    private let events: ConnectionEvents
    /// By their descriptors.
    private(set) var connections: [Connection?] = []
    /// Those that are not cut off.
    private var open = 0
    private var openByHost: [String: Int] = [:]
    private var descriptors: [ConnectionID: Int32] = [:]
    private var lastID: UInt64 = 0
    private var ended: [ConnectionID] = []
    private var cuts: [CutConnection] = []
    private var watched = 0
    private var nextCheck: Int64 = 0
    // How often all that had been received was looked at: each connection's messages come in turn.
    private(set) var looks: UInt64 = 0
    private var messagesOfLook = 0
    /// Why the handshake of the connection failed that ends next.
    private var handshakeFailure: HandshakeFailure?

    init(name: String, most: Int, events: ConnectionEvents) {
        self.name = name
        self.most = most
        self.events = events
    }

    /// Whether whole messages are to be noted.
    var isWatching: Bool { watched > 0 }

    // MARK: - Coming and going

    /// Takes note of the connections that came and went, at this time in ms.
    mutating func update(at now: Int64) throws(ZeroMQError) {
        for event in try events.takeAll() {
            switch event {
            case .accepted(let descriptor): accept(descriptor, at: now)
            case .disconnected(let descriptor):
                noteRefusal(of: descriptor)
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
        // Its end may be known already, and its successor not.
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
        if open > most { makeRoom(for: id, of: host) }
    }

    /// Cuts off the newest connection of the address that has most; of several that have as many, the newcomer's.
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
        cut(victim, because: "the socket has more than \(most) connections, most of them from its address")
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

    /// Notes a connection that was refused in its handshake. Those whose key is not known are told by `Authentication`,
    /// which knows the key; and a peer that ends its handshake is not refused.
    private mutating func noteRefusal(of descriptor: Int32) {
        guard let failure = handshakeFailure.take(), failure == .mechanism || failure == .other else { return }
        // It may have ended before anybody looked at it.
        let connection = connections.indices.contains(Int(descriptor)) ? connections[Int(descriptor)] : nil
        if connection?.isCut == true { return }
        let reason =
            failure == .mechanism
            ? "it has no key, and this endpoint speaks CURVE only"
            : "its handshake is not one of CURVE with this broker's public key"
        cuts.append(CutConnection(socket: name, peer: connection?.host, reason: reason))
    }

    private mutating func leave(_ connection: Connection) {
        open -= 1
        let left = openByHost[connection.host, default: 1] - 1
        openByHost[connection.host] = left > 0 ? left : nil
    }

    /// The connection that has the descriptor; `nil` when it has ended or was cut off.
    func id(of descriptor: Int32?) -> ConnectionID? {
        guard let descriptor, connections.indices.contains(Int(descriptor)),
            let connection = connections[Int(descriptor)], !connection.isCut
        else { return nil }
        return connection.id
    }

    // MARK: - Users

    /// Notes who a connection belongs to.
    mutating func note(_ key: UserKey, of id: ConnectionID) {
        guard let descriptor = descriptors[id] else { return }
        connections[Int(descriptor)]?.key = key
    }

    /// Cuts off the connections whose key is none of these users'.
    mutating func cut(keysOtherThan users: [UserKey: UserName], because reason: String) {
        for case let connection? in connections {
            if let key = connection.key, users[key] == nil { cut(connection.id, because: reason) }
        }
    }

    /// A connection that has ended; each is told once.
    mutating func takeEnded() -> ConnectionID? { ended.popLast() }

    /// Forgets who has ended: nobody asks.
    mutating func forgetEnded() { ended.removeAll(keepingCapacity: true) }

    /// Cuts off a connection, if it has not ended.
    mutating func cut(_ id: ConnectionID, because reason: String) {
        guard let descriptor = descriptors[id], var connection = connections[Int(descriptor)], !connection.isCut
        else { return }
        cut(&connection, because: reason)
        connections[Int(descriptor)] = connection
    }

    private mutating func cut(_ connection: inout Connection, because reason: String) {
        cuts.append(CutConnection(socket: name, peer: connection.accepted.peer, reason: reason))
        connection.isCut = true
        leave(connection)
        connection.accepted.shutDown()
    }

    /// The connections that were cut off since the last call.
    mutating func takeCuts() -> [CutConnection] {
        guard !cuts.isEmpty else { return [] }
        defer { cuts.removeAll() }
        return cuts
    }

    // MARK: - Messages without an end

    /// Notes a whole message, by the descriptor of its connection.
    mutating func noteMessage(from descriptor: Int32?, at now: Int64) {
        // In turn, each connection's; and the commands by which libzmq says that there are any are looked at now and then.
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

    /// Notes that everything that was received has been looked at.
    mutating func noteDrained() { finishLook(2) }

    private mutating func finishLook(_ looks: UInt64) {
        self.looks += looks
        messagesOfLook = 0
    }

    /// In ms until the bytes read are to be looked at; `nil` without connections.
    func timeUntilCheck(at now: Int64) -> Int? {
        descriptors.isEmpty ? nil : Int(max(0, nextCheck - now))
    }

    /// Whether it is time for `update` and `check`.
    func isCheckDue(at now: Int64) -> Bool { now >= nextCheck }

    /// Looks at the bytes read from each connection and written to it, and cuts off those that finish no message.
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
            let verdict = connection.proof.judge(bytesRead: bytes, at: now, isMemoryShort: memory != .ample)
            if connection.proof.isWatched, !wasWatched {
                watched += 1
                connection.watchedAt = looks
            }
            if verdict != .calm { nextCheck = now + Self.alertInterval }
            if verdict == .condemned {
                // What was read until now has to be looked at once more.
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
