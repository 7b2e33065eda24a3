import PopupProtocol
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

    private struct Connection {
        let id: ConnectionID
        let accepted: AcceptedConnection
        var proof: MessageProof
        /// `looks` when it was condemned.
        var condemnedAt: UInt64?
        var isCut = false
    }

    private let name: String
    private let monitor: SocketMonitor
    /// By their descriptors.
    private var connections: [Connection?] = []
    private var descriptors: [ConnectionID: Int32] = [:]
    private var lastID: UInt64 = 0
    private var ended: [ConnectionID] = []
    private var cuts: [CutConnection] = []
    private var watched = 0
    private var nextCheck: Int64 = 0
    // How often all that had been received was looked at: each connection's messages come in turn.
    private var looks: UInt64 = 0
    private var messagesOfLook = 0

    init(name: String, monitor: consuming SocketMonitor) {
        self.name = name
        self.monitor = monitor
    }

    /// Whether whole messages are to be noted.
    var isWatching: Bool { watched > 0 }

    /// Becomes readable when connections may have come or gone.
    var fileDescriptor: Int32 {
        get throws(ZeroMQError) { try monitor.fileDescriptor }
    }

    // MARK: - Coming and going

    /// Takes note of the connections that came and went, at this time in ms.
    mutating func update(at now: Int64) throws(ZeroMQError) {
        while let event = try monitor.next() {
            switch event {
            case .accepted(let descriptor): accept(descriptor, at: now)
            case .disconnected(let descriptor): remove(descriptor)
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
        connections[index] = Connection(id: id, accepted: accepted, proof: MessageProof(at: now))
        descriptors[id] = descriptor
        if descriptors.count == 1 { nextCheck = now + Self.calmInterval }
    }

    private mutating func remove(_ descriptor: Int32) {
        let index = Int(descriptor)
        guard connections.indices.contains(index), let connection = connections[index] else { return }
        if connection.proof.isWatched { watched -= 1 }
        connections[index] = nil
        descriptors[connection.id] = nil
        ended.append(connection.id)
    }

    /// The connection that has the descriptor; `nil` when it has ended or was cut off.
    func id(of descriptor: Int32?) -> ConnectionID? {
        guard let descriptor, connections.indices.contains(Int(descriptor)),
            let connection = connections[Int(descriptor)], !connection.isCut
        else { return nil }
        return connection.id
    }

    /// A connection that has ended; each is told once.
    mutating func takeEnded() -> ConnectionID? { ended.popLast() }

    /// Forgets who has ended: nobody asks.
    mutating func forgetEnded() { ended.removeAll(keepingCapacity: true) }

    /// Cuts off a connection, if it has not ended.
    mutating func cut(_ id: ConnectionID, because reason: String) {
        guard let descriptor = descriptors[id], var connection = connections[Int(descriptor)] else { return }
        cut(&connection, because: reason)
        connections[Int(descriptor)] = connection
    }

    private mutating func cut(_ connection: inout Connection, because reason: String) {
        cuts.append(CutConnection(socket: name, peer: connection.accepted.peer, reason: reason))
        connection.isCut = true
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

    /// Looks at the bytes read from each connection, and cuts off those that finish no message.
    mutating func check(at now: Int64) {
        nextCheck = now + Self.calmInterval
        for index in connections.indices {
            guard var connection = connections[index], !connection.isCut, let bytes = connection.accepted.bytesRead
            else { continue }
            let wasWatched = connection.proof.isWatched
            let verdict = connection.proof.judge(bytesRead: bytes, at: now)
            if connection.proof.isWatched, !wasWatched { watched += 1 }
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
