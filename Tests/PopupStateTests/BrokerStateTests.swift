import Foundation
@testable import PopupState
import PopupJournal
import PopupProtocol
import PopupScheduling
import SwiftProtobuf
import Testing

@Suite("The state machine")
struct BrokerStateTests {
    private static let producer = ProducerName(high: 1, low: 2)

    /// Commands as they come in: numbered and not, accepted and refused.
    private static let commands: [WireCommand] = [
        numbered(1) { $0.show = popup("A", priority: 1) },
        numbered(2) { $0.show = popup("B", priority: 2) },
        numbered(3) { $0.dismiss = .with { $0.id = "nobody" } },
        .with {
            $0.update = .with {
                $0.id = "A"; $0.text = "changed"
            }
        },
        .with {
            $0.lease = .with {
                $0.client = "screen"; $0.groups = ["lobby"]
            }
        },
        numbered(5) {
            $0.dismiss = .with {
                $0.id = "B"; $0.action = "ok"
            }
        },
        .with {
            $0.setSession = .with {
                $0.group = "lobby"; $0.session = "s"
            }
        },
    ]

    private static func numbered(_ sequence: UInt64, _ set: (inout WireCommand) -> Void) -> WireCommand {
        var command = WireCommand.with {
            $0.producer = producer.description
            $0.sequence = sequence
        }
        set(&command)
        return command
    }

    private static func popup(_ id: String, priority: Int32) -> WirePopup {
        .with {
            $0.id = id; $0.group = "lobby"; $0.priority = priority; $0.durationMs = 1000
        }
    }

    private static let settings = JournaledSettings(limits: Limits(), seed: 7)

    /// What `entries` append to a journal's batch.
    private func batch(_ sequence: UInt64, at time: Milliseconds, _ entries: (inout CommandLog) throws -> Void)
        rethrows -> JournalBatch
    {
        var log = CommandLog()
        try entries(&log)
        return JournalBatch(sequence: sequence, time: time, commands: log.takeBytes())
    }

    @Test("is the same whether entries are applied as they come or replayed from the journal")
    func replay() throws {
        var live = BrokerState(Self.settings)
        var replayed = BrokerState(Self.settings)
        var output = EventBuffer()

        _ = live.apply(.settings(Self.settings), at: 0, into: &output)
        _ = live.apply(
            .configuredPolicy(
                .with {
                    $0.group = "f"; $0.preset = .fifo
                }), at: 0, into: &output)
        live.endBatch(1, at: 0)
        try replayed.apply(
            batch(1, at: 0) {
                $0.append(.settings, Self.settings.bytes.span.bytes)
                let policy = WireCommand.with {
                    $0.setPolicy = .with {
                        $0.group = "f"; $0.preset = .fifo
                    }
                }
                let bytes: [UInt8] = try policy.serializedBytes()
                $0.append(.configuredPolicy, bytes.span.bytes)
            }, into: &output)
        #expect(try live.snapshot().state == replayed.snapshot().state)

        for (index, command) in Self.commands.enumerated() {
            let (sequence, time) = (UInt64(index + 2), Milliseconds(index * 700))
            let bytes: [UInt8] = try command.serializedBytes()
            let origin = CommandSender(command).map {
                BrokerState.Origin(sender: $0, digest: CommandDigest.of(bytes.span.bytes))
            }
            while live.advance(to: time, into: &output) {}
            _ = live.apply(.command(command), from: origin, at: time, into: &output)
            live.endBatch(sequence, at: time)
            try replayed.apply(batch(sequence, at: time) { $0.append(.command, bytes.span.bytes) }, into: &output)
            #expect(try live.snapshot().state == replayed.snapshot().state, "after command \(index)")
            #expect(live.sequence == replayed.sequence)
            #expect(live.time == replayed.time)
        }
    }

    @Test("tells a refusal, and settles its sequence unless there was only no room")
    func outcomes() throws {
        var settings = Self.settings
        settings.limits.popups = 1
        var state = BrokerState(settings)
        var output = EventBuffer()
        func outcome(_ sequence: UInt64, _ set: (inout WireCommand) -> Void) throws -> BrokerState.Outcome {
            let command = Self.numbered(sequence, set)
            let sender = try #require(CommandSender(command))
            let origin = BrokerState.Origin(sender: sender, digest: sequence)
            return state.apply(.command(command), from: origin, at: 0, into: &output)
        }
        #expect(try outcome(1) { $0.show = Self.popup("A", priority: 1) }.refusal == nil)
        #expect(try outcome(2) { $0.dismiss.id = "nobody" }.refusal?.reason == .notFound)
        #expect(try outcome(3) { $0.show = Self.popup("B", priority: 1) }.refusal?.reason == .overload)

        let known = state.producers.index(of: Self.producer)
        let index = try #require(known)
        let record = state.producers[index]
        #expect(record.isSettled(1))
        #expect(record.isSettled(2))
        #expect(!record.isSettled(3))
        #expect(record.refusal(of: 1) == nil)
        #expect(record.refusal(of: 2)?.reason == .notFound)
    }

    /// Each kind of query, with which the names are sorted that it needs in order.
    private static let queries: [WireQuery.OneOf_Query] = [
        .list(.with { $0.selector.group = "*" }), .count(.with { $0.selector.group = "*" }),
        .peek(.with { $0.group = "lobby" }), .explain(.with { $0.id = "A" }), .path(.with { $0.tree = "t" }),
        .stats(WireStatsQuery()), .whoami(WireWhoamiQuery()), .history(WireHistoryQuery()),
        .groups(WireGroupsQuery()), .suspensions(WireSuspensionsQuery()), .renderers(WireRenderersQuery()),
        .policies(WirePoliciesQuery()), .producers(WireProducersQuery()),
        .producers(.with { $0.producer = producer.description }),
    ]

    @Test("is not changed by queries, by listings, or by the space that is reserved for sequences")
    func unchanged() throws {
        var state = BrokerState(Self.settings)
        var output = EventBuffer()
        _ = state.apply(.settings(Self.settings), at: 0, into: &output)
        for command in Self.commands {
            let sequence = command.sequence
            let origin = CommandSender(command).map { BrokerState.Origin(sender: $0, digest: sequence) }
            _ = state.apply(.command(command), from: origin, at: 0, into: &output)
        }
        state.endBatch(1, at: 0)
        let before = try state.snapshot()

        var queryHandler = QueryHandler(queryResults: 10)
        for query in Self.queries {
            let asked = WireQuery.with { $0.query = query }
            _ = state.answer(asked, by: &queryHandler, at: 500_000, stats: WireStatsResult())
        }
        let text: [UInt8] = []
        let live = state.list(Selector(), text: text.span.bytes, limit: 10, at: 500_000)
        let count = state.count(Selector(), text: text.span.bytes)
        let groups = state.groups(withPrefix: text.span.bytes, limit: 10)
        #expect(live.map(\.id) == ["A"] && count == 1 && groups.count == 1)

        _ = state.lookUp(CommandSender(numbered: Self.producer, 9), digest: 9, at: 500_000)
        let known = state.producers.index(of: Self.producer)
        let isHeld = state.hold(try #require(known), at: 500_000)
        let isReserved = state.reserveProducer(at: 500_000)
        let reserved = state.closeReservations()
        #expect(isHeld && isReserved && reserved == 1)
        state.endReservations(reserved)
        state.setUser("ann")

        let after = try state.snapshot()
        #expect(after.state == before.state)
        #expect(after.sequence == before.sequence && after.time == before.time)
    }

    @Test("has no property that others can set, and neither have its sessions")
    func setters() throws {
        let names = ["BrokerState.swift", "ProducerSessions.swift"]
        let files = try Self.sources(of: "Sources/PopupState").filter { names.contains($0.lastPathComponent) }
        #expect(files.count == names.count)
        for file in files {
            // Those of the type itself, which its own braces indent.
            let stored = try Self.text(file).matches(of: /(?m)^    (?:@\w+ )?((?:public|package) .*\bvar .*)$/)
                .map { String($0.1) }.filter { !$0.hasSuffix("}") }
            #expect(stored.count >= 2, "\(file.lastPathComponent)")
            #expect(stored.allSatisfy { $0.contains("(set) var ") }, "\(file.lastPathComponent): \(stored)")
        }
    }

    @Test("has the policies of the configuration that were set and not taken back")
    func policies() {
        var state = BrokerState(Self.settings)
        var output = EventBuffer()
        for group in ["a", "b", "a"] {
            _ = state.apply(.configuredPolicy(.with { $0.group = group }), at: 0, into: &output)
        }
        #expect(state.configuredPolicies.map(\.group) == ["b", "a"])
        _ = state.apply(.removedPolicy(pattern: "b"), at: 0, into: &output)
        #expect(state.configuredPolicies.map(\.group) == ["a"])
    }

    /// The compiler keeps others from changing the scheduler of a `BrokerState`; none makes or is handed one of its own,
    /// but for a center, which is no part of a broker.
    @Test("is the only one that makes a scheduler, and the only one that changes one")
    func onlyWayIn() throws {
        let files = try Self.sources(of: "Sources").filter { file in
            !["/PopupScheduling/", "/PopupCenter/"].contains { file.path.contains($0) }
        }
        #expect(files.count > 100)
        let makers = try files.filter { try Self.text($0).contains(/\bScheduler\(/) }.map(\.lastPathComponent)
        #expect(Set(makers) == ["BrokerState.swift", "BrokerState+Snapshot.swift"])
        let changers = try files.filter { try Self.text($0).contains(/\binout (PopupScheduling\.)?Scheduler\b/) }
        #expect(!changers.isEmpty)
        #expect(changers.allSatisfy { $0.path.contains("/PopupState/") })
    }

    @Test("is made of what knows no clock, no file, no thread and no chance")
    func purity() throws {
        let pure: Set<String> = ["PopupJournal", "PopupProtocol", "PopupScheduling", "SwiftProtobuf"]
        let files = try Self.sources(of: "Sources/PopupState")
        #expect(files.count > 20)
        for file in files {
            let text = try Self.text(file)
            let imports = text.matches(of: /(?m)^(?:\w+ )?import (\w+)$/).map { String($0.1) }
            #expect(pure.isSuperset(of: imports), "\(file.lastPathComponent)")
            let impure = text.firstMatch(of: /\b(ContinuousClock|SuspendingClock|Task|Thread)\b|\.(random|shuffled)\(/)
            #expect(impure == nil, "\(file.lastPathComponent)")
        }
    }

    /// The Swift files in a folder of the package.
    private static func sources(of folder: String) throws -> [URL] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: folder).resolvingSymlinksInPath()
        let files = try #require(FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil))
        return files.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
    }

    private static func text(_ file: URL) throws -> String { try String(contentsOf: file, encoding: .utf8) }
}
