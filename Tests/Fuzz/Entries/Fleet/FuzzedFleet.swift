import FleetState
import PopupFleet
import PopupJournal
import PopupProtocol
import SwiftProtobuf

/// A shared log, and those who follow it: a replica from its beginning, one from a snapshot, a history, and a node.
struct FuzzedFleet: ~Copyable {
    private static let owner = LogOwner(high: 1, low: 2)
    /// The horizon of an entry beyond its time, in ms.
    private static let ahead: Int64 = 3000
    /// The maximum number of things that a node wants after one that has happened to it.
    private static let mostEffects = 16

    private var log: FuzzedLog
    private var replica = Replica<BrokerReplica>()
    /// The replica that goes on from a snapshot.
    private var follower: Replica<BrokerReplica>?
    private var history = BrokerHistory()
    private var seenRecords = 0
    private var node = FleetNode<BrokerReplica>(
        LogOwner(high: 3, low: 4), rank: 0, snapshotBytes: 4096, snapshotEntries: 5)
    private var calls: [FleetCall] = []
    private var moment = FleetMoment(boot: 1_000_000, wall: 1_774_745_980_000)
    /// The state after each entry.
    private var states: [LogSnapshot] = []
    /// Whether the node was told what is not in the log.
    private var isDeceived = false
    /// Whether the log has an entry that nobody can follow.
    private(set) var isOver = false
    /// Whether a batch was applied.
    private(set) var isAccepted = false

    init() { log = FuzzedLog(at: moment.wall) }

    /// Reads what happens next, and lets it happen.
    mutating func step(_ reader: inout InputReader) throws {
        let kind = reader.byte() % 12
        pass(reader.byte())
        let head = log.head
        let time = max(moment.wall, head.time)
        switch kind {
        case 0: try write(.append(reader.string(), after: head, at: time, horizon: time + Self.ahead))
        case 1:
            var commands = CommandLog()
            for _ in 0...reader.byte() % 4 {
                let kind = CommandLog.Kind(rawValue: reader.byte()) ?? .command
                commands.append(kind, reader.string().span.bytes)
            }
            try write(.append(commands.takeBytes(), after: head, at: time, horizon: time + Self.ahead))
        case 2:
            let begin = max(time, head.horizon)
            try write(
                .takeOver(
                    after: head, by: Self.owner, epoch: reader.number(), at: begin, horizon: begin + Self.ahead))
        case 3: try write(.advance(after: head, to: time, horizon: time + Self.ahead))
        case 4: try write(.raise(to: UInt32(reader.byte() % 4), after: head, at: head.time))
        case 5: try write(.handOver(after: head, at: time))
        case 6: try deceive(&reader)
        case 7: try keepSnapshot(&reader)
        case 8: try restore(reader.string())
        case 9: try receive(node.append(reader.string(), at: moment))
        default: try answer(&reader)
        }
        try checkNode()
    }

    /// Lets time pass: 0 to 31 ms, or a power of two.
    private mutating func pass(_ byte: UInt8) {
        let duration = Step.duration(byte)
        moment = FleetMoment(boot: moment.boot + duration, wall: moment.wall + duration)
    }

    // MARK: - The log

    private mutating func write(_ write: HeadWrite) throws {
        if try log.write(write) == .succeeded { try follow(write) }
    }

    /// Lets everyone follow a request that was carried out.
    private mutating func follow(_ write: HeadWrite) throws {
        if let entry = write.entry {
            try apply(entry)
            try receive(node.receive(.entry(entry), at: moment))
        }
        guard !isOver else { return }
        guard try replica.follow(write.new) else { throw Finding("a replica lacks an entry of the log") }
        try receive(node.receive(.head(write.new), at: moment))
    }

    private mutating func apply(_ entry: LogEntry) throws {
        let before = position
        do {
            guard try replica.apply(entry) else { throw Finding("a replica does not take the next entry") }
        } catch let finding as Finding {
            throw finding
        } catch {
            // Its commands cannot be read.
            guard position == before else { throw Finding("an entry that is refused moves the replica on") }
            isOver = true
            return
        }
        let state = try replica.snapshot()
        states.append(state)
        isAccepted = isAccepted || entry.kind == .batch && !entry.commands.isEmpty
        try refuse(after: entry, state)
        guard try follower?.apply(entry) != false, try follower.map({ try $0.snapshot() == state }) != false else {
            throw Finding("a replica that goes on from a snapshot differs after entry \(entry.index)")
        }
        do { try history.follow(entry) } catch {
            throw Finding("the history refuses entry \(entry.index), which a replica applies: \(error)")
        }
        try checkHistory()
    }

    private var position: [UInt64] {
        [replica.index, replica.epoch, UInt64(bitPattern: replica.time), UInt64(replica.chain)]
    }

    /// Checks that the replica takes no entry which does not continue the log, and that none changes it.
    private mutating func refuse(after entry: LogEntry, _ state: LogSnapshot) throws {
        let next = LogEntry(
            .batch, epoch: replica.epoch, index: replica.index + 1, time: replica.time, horizon: replica.time,
            chain: replica.chain)
        func changed(_ change: (inout LogEntry) -> Void) -> LogEntry {
            var entry = next
            change(&entry)
            return entry
        }
        let wrong = [
            entry, changed { $0.index += 1 }, changed { $0.chain ^= 1 }, changed { $0.time -= 1 },
            changed { $0.epoch -= 1 },
        ]
        for entry in wrong where (try? replica.apply(entry)) == true {
            throw Finding("a replica takes an entry that does not continue the log: \(entry)")
        }
        guard try replica.snapshot() == state else { throw Finding("an entry that is refused changes the replica") }
    }

    /// Checks what the history says since the last time.
    private mutating func checkHistory() throws {
        let records = history.records
        for record in records[seenRecords...] where (try? WireGroupState(jsonString: record.json)) == nil {
            throw Finding("a state of the history can't be read: \(record.json)")
        }
        guard zip(records, records.dropFirst()).allSatisfy({ $0.begins <= $1.begins }) else {
            throw Finding("the epochs of a history go back")
        }
        seenRecords = records.count
    }

    // MARK: - Snapshots

    /// Keeps the newest state as a manifest and chunks. Those with a damage are no snapshot; from others a replica goes on.
    private mutating func keepSnapshot(_ reader: inout InputReader) throws {
        let (chunkBytes, damage, place) = (1 + reader.word(), reader.byte(), reader.word())
        guard let snapshot = states.last else { return }
        let manifest = SnapshotManifest(of: snapshot, by: Self.owner, chunkBytes: chunkBytes)
        guard let read = try? SnapshotManifest(manifest.bytes), read == manifest,
            read.chunkCount == UInt32((snapshot.state.count + chunkBytes - 1) / chunkBytes)
        else { throw Finding("a manifest is not read as it was written") }
        var state = snapshot.state
        if !state.isEmpty { state[place % state.count] ^= damage }
        let found = try? read.snapshot(of: state)
        guard found == (state == snapshot.state ? snapshot : nil) else {
            throw Finding("the state of a snapshot is another one, or a damage is not noticed")
        }
        guard let found else { return }
        log.keep(found)
        var follower = Replica<BrokerReplica>()
        do { try follower.restore(found) } catch { throw Finding("a snapshot of a replica is refused: \(error)") }
        guard try follower.snapshot() == found else { throw Finding("a snapshot does not stay the same") }
        self.follower = follower
    }

    /// Reads bytes as the state of a snapshot.
    private func restore(_ state: [UInt8]) throws {
        let snapshot = LogSnapshot(index: 1, epoch: 1, time: 1, chain: 1, state: state)
        var restored = Replica<BrokerReplica>()
        let before = try restored.snapshot()
        guard (try? restored.restore(snapshot)) != nil else {
            guard try restored.snapshot() == before else {
                throw Finding("a snapshot that is refused changes the replica")
            }
            return
        }
        let written = try restored.snapshot()
        var again = Replica<BrokerReplica>()
        do { try again.restore(written) } catch {
            throw Finding("a snapshot that was read is refused when it is written again: \(error)")
        }
        guard try again.snapshot() == written else { throw Finding("a snapshot does not stay the same") }
    }

    // MARK: - The node

    /// Reads a record behind a checksum that fits. The node may see it.
    private mutating func deceive(_ reader: inout InputReader) throws {
        let choice = reader.byte()
        let kinds = FuzzedRecord.allCases
        let hint = try FuzzedRecord.hint(in: kinds[Int(choice) % kinds.count].sealed(reader.string()))
        guard choice >= 128, let hint else { return }
        isDeceived = true
        try receive(node.receive(hint, at: moment))
    }

    /// Answers a call of the node, as the log does or as one that gives no answer; without a call, it has a turn.
    private mutating func answer(_ reader: inout InputReader) throws {
        let (place, how) = (Int(reader.byte()), reader.byte())
        guard !calls.isEmpty else { return try receive(node.turn(at: moment)) }
        let call = calls.remove(at: place % calls.count)
        if case .keep(let snapshot) = call, !isDeceived, !states.contains(snapshot) {
            throw Finding("a node keeps a snapshot of entry \(snapshot.index) that is not the state after it")
        }
        var answer = FleetAnswer.unknown
        if how % 8 != 0 {
            let orders = LogOrders(
                configuration: how >= 128 ? [how] : nil, handOver: how % 8 == 3 ? log.head.epoch : nil,
                level: how % 8 == 4 ? UInt32(how >> 3) : nil)
            answer = try log.answer(to: call, isOwn: how % 8 < 6, orders: orders)
            if case .write(let write) = call, answer == .write(.succeeded) { try follow(write) }
        }
        // Late, or what is there cannot be read.
        if how % 8 == 1 { answer = .unknown }
        if how == 2 { answer = .unreadable }
        try receive(node.receive(answer, to: call, at: moment))
    }

    private mutating func receive(_ effects: [FleetEffect]) throws {
        guard effects.count <= Self.mostEffects else { throw Finding("a node wants \(effects.count) things at once") }
        for case .call(let call) in effects { calls.append(call) }
        guard calls.count <= Self.mostEffects else { throw Finding("a node has \(calls.count) calls under way") }
    }

    /// Checks that the node has applied what the log has, and nothing else.
    private func checkNode() throws {
        guard !isDeceived else { return }
        let index = Int(node.replica.index)
        guard index < log.chains.count, node.replica.chain == log.chains[index] else {
            throw Finding("a node has applied another entry \(index) than the log has")
        }
        if let voice = node.voice(at: moment), voice.index != node.replica.index || voice.epoch != node.replica.epoch {
            throw Finding("a node publishes another state than its own: \(voice)")
        }
    }
}
