import FleetState
import PopupFleet
import PopupJournal
import PopupProtocol
import PopupScheduling
import PopupState
import SwiftProtobuf
import Testing

/// The state machine of a broker over a shared log.
struct BrokerReplicaTests {
    private static func show(_ id: String, priority: Int32, duration: UInt32 = 1000) -> WireCommand {
        .with {
            $0.show = .with {
                $0.id = id
                $0.group = "lobby"
                $0.priority = priority
                $0.durationMs = duration
                $0.text = "text of \(id)"
            }
        }
    }

    private static let commands: [WireCommand] = [
        show("A", priority: 1), show("B", priority: 2), show("C", priority: 1, duration: 400),
        .with { $0.dismiss = .with { $0.id = "B" } },
        show("D", priority: 3),
        .with {
            $0.setPolicy = .with {
                $0.group = "f"
                $0.preset = .fifo
            }
        },
    ]

    /// The batches of a broker: first its settings, then a command each.
    private func batches() throws -> [(time: Int64, commands: [UInt8])] {
        var settings = CommandLog()
        settings.append(.settings, JournaledSettings(limits: Limits(), seed: 7).bytes.span.bytes)
        var batches = [(time: Int64(1000), commands: settings.takeBytes())]
        for command in Self.commands {
            var log = CommandLog()
            let bytes: [UInt8] = try command.serializedBytes()
            log.append(.command, bytes.span.bytes)
            batches.append((batches[batches.count - 1].time + 300, log.takeBytes()))
        }
        return batches
    }

    /// The entries of a log with these batches, of which each third begins a tenure.
    private func entries() throws -> [LogEntry] {
        var head = LogHead(
            level: 1, epoch: 1, index: 0, owner: LogOwner(high: 0, low: 0), time: 0, horizon: 0, chain: 0)
        var entries: [LogEntry] = []
        func write(_ write: HeadWrite) {
            head = write.new
            if let entry = write.entry { entries.append(entry) }
        }
        for (number, batch) in try batches().enumerated() {
            if number.isMultiple(of: 3) {
                write(
                    .takeOver(
                        after: head, by: LogOwner(high: 1, low: 1), epoch: 5, at: batch.time, horizon: batch.time))
            }
            write(.append(batch.commands, after: head, at: batch.time, horizon: batch.time + 100))
        }
        return entries
    }

    @Test func `the state after the entries of a log is that of a broker with the same batches in its journal`() throws
    {
        let journal = MemoryJournal()
        _ = try journal.open()
        var replica = Replica<BrokerReplica>()
        for entry in try entries() {
            #expect(try replica.apply(entry))
            guard entry.kind == .batch else { continue }
            _ = try journal.append(entry.commands.span.bytes, at: entry.time)

            #expect(try replica.snapshot().state == BrokerReplica.snapshot(of: journal).state)
        }
        // D is on screen since 2500, for 1000 ms.
        #expect(replica.state.nextDeadline == 3500)
    }

    @Test func `a replica that goes on from a snapshot of any entry ends in the same state`() throws {
        let entries = try entries()
        var whole = Replica<BrokerReplica>()
        for entry in entries { try whole.apply(entry) }
        for count in 1...entries.count {
            var maker = Replica<BrokerReplica>()
            for entry in entries.prefix(count) { try maker.apply(entry) }
            var replica = Replica<BrokerReplica>()
            try replica.restore(maker.snapshot())
            #expect(try replica.snapshot() == maker.snapshot())

            for entry in entries.dropFirst(count) { #expect(try replica.apply(entry)) }

            #expect(try replica.snapshot() == whole.snapshot(), "after a snapshot of entry \(count)")
        }
    }

    @Test func `timers are handled without an entry, and the snapshot after them is another`() throws {
        var replica = Replica<BrokerReplica>()
        for entry in try entries() { try replica.apply(entry) }
        let before = try replica.snapshot().state
        let due = try #require(replica.state.nextDeadline)

        replica.advance(to: due - 1)
        #expect(try replica.snapshot().state == before)
        replica.advance(to: due)

        #expect(try replica.snapshot().state != before)
        #expect(replica.state.nextDeadline.map { $0 > due } ?? true)
    }

    @Test func `a command with a field of a newer version is refused`() throws {
        // The field 1000, a number.
        let field: [UInt8] = [0xC0, 0x3E, 0x01]
        var log = CommandLog()
        let command: [UInt8] = try Self.show("A", priority: 1).serializedBytes() + field
        log.append(.command, command.span.bytes)
        let entry = LogEntry(
            .batch, epoch: 1, index: 1, time: 1000, horizon: 1000, chain: 0, commands: log.takeBytes())

        #expect(throws: EntryIsNewer(what: "a field")) { try BrokerReplica().apply(entry) }
    }

    /// Returns the bytes of a part of a batch or a snapshot.
    private func part(_ kind: UInt8, _ content: [UInt8]) -> [UInt8] {
        [kind] + withUnsafeBytes(of: UInt32(content.count).littleEndian, Array.init) + content
    }

    /// Returns the error with which a replica refuses a batch of one part as one of a newer version; `nil` if it applies it.
    private func refusal(_ kind: UInt8, _ content: [UInt8]) throws -> EntryIsNewer? {
        var replica = Replica<BrokerReplica>()
        do {
            try replica.apply(
                LogEntry(
                    .batch, epoch: 1, index: 1, time: 1000, horizon: 1000, chain: 0, commands: part(kind, content)))
            return nil
        } catch let error as EntryIsNewer {
            return error
        }
    }

    @Test func `an entry with parts, limits or reasons of a newer version is refused, and the entry is named`() throws {
        let settings = JournaledSettings(limits: Limits(), seed: 7).bytes
        let sender = try #require(CommandSender(ProducerName(high: 1, low: 2), 3))
        let newer = RefusalEntry(sender, digest: 4, SettledRefusal(.UNRECOGNIZED(99), "no"))
        let known = RefusalEntry(sender, digest: 4, SettledRefusal(.invalid, "no"))

        #expect(try refusal(99, [1, 2]) == EntryIsNewer(what: "a part of a kind", index: 1))
        #expect(try refusal(5, settings + [UInt8](repeating: 0, count: 8)) == EntryIsNewer(what: "a limit", index: 1))
        #expect(try refusal(6, newer.bytes) == EntryIsNewer(what: "a reason of a refusal", index: 1))

        #expect(try refusal(5, settings) == nil)
        #expect(try refusal(6, known.bytes) == nil)
    }

    @Test func `a snapshot with limits or a format of a newer version is refused as such, and a damaged one is not`()
        throws
    {
        var replica = Replica<BrokerReplica>()
        for entry in try entries() { try replica.apply(entry) }
        let state = try replica.snapshot().state
        let settings = try #require(try CommandLog.entries(in: state, through: .scheduler).first)
        #expect(settings.kind == .settings)
        let rest = Array(state[settings.range.upperBound...])
        let limits = Array(state[settings.range]) + [UInt8](repeating: 0, count: 8)
        let newFormat = part(10, []) + [UInt8(Scheduler.stateVersion) + 1]
        let oldFormat = part(10, []) + [0]

        #expect(throws: EntryIsNewer(what: "a limit")) {
            try BrokerReplica(snapshot: part(5, limits) + rest)
        }
        #expect(throws: EntryIsNewer(what: "a part of a kind")) {
            try BrokerReplica(snapshot: part(99, [1, 2]) + state)
        }
        #expect(throws: EntryIsNewer(what: "a state of a format")) { try BrokerReplica(snapshot: newFormat) }
        #expect(throws: SnapshotError.self) { try BrokerReplica(snapshot: oldFormat) }
        #expect(throws: CommandLogError.self) { try BrokerReplica(snapshot: [99]) }
        #expect(throws: Never.self) { try BrokerReplica(snapshot: state) }
    }

    @Test func `the snapshots of a broker's replica name the rules of its version`() throws {
        var replica = Replica<BrokerReplica>()
        for entry in try entries() { try replica.apply(entry) }

        #expect(try replica.snapshot().rules == SnapshotDigest.rules(ofVersion: ProductVersion.current))
        #expect(BrokerReplica.rulesVersion != 0)
    }

    @Test func `a policy whose greatest gap is below its least, as no admission lets it through, has the least`() throws
    {
        var log = CommandLog()
        let command: [UInt8] = try WireCommand.with {
            $0.setPolicy = .with {
                $0.group = "lobby"
                ($0.gapMinMs, $0.gapMaxMs) = (300, 200)
            }
        }.serializedBytes()
        log.append(.command, command.span.bytes)
        var replica = Replica<BrokerReplica>()

        #expect(
            try replica.apply(
                LogEntry(.batch, epoch: 1, index: 1, time: 0, horizon: 0, chain: 0, commands: log.takeBytes())))
        let state = try replica.snapshot().state
        #expect(try BrokerReplica(snapshot: state).snapshot() == state)
    }

    @Test func `bytes that are no state, and commands that are none, are refused`() {
        #expect(throws: (any Error).self) { try BrokerReplica(snapshot: [1, 2, 3]) }
        let entry = LogEntry(.batch, epoch: 1, index: 1, time: 0, horizon: 0, chain: 0, commands: [99])
        #expect(throws: CommandLogError.self) { try BrokerReplica().apply(entry) }
    }
}
