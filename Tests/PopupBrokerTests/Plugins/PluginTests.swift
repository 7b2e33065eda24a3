import Logging
@testable import PopupBroker
import PopupJournal
import PopupProtocol
import PopupScheduling
import SwiftProtobuf
import Testing

@Suite("Plugins")
struct PluginTests {
    /// Keeps a diary, refuses what is for `closed/…` and puts a surface on every popup.
    private final class Diary: BrokerPlugin {
        let name = "diary"
        var entries: [String] = []

        func admit(_ command: inout AdmittedCommand, at now: Milliseconds) throws(CommandRefusal) {
            guard command.kind == .show else { return }
            if command.command.show.group.hasPrefix("closed/") {
                throw CommandRefusal(.permissionDenied, "`closed/` is for nobody")
            }
            command.command.show.surface = "screen"
        }

        func committed(_ outcome: CommittedBatch) {
            entries += outcome.commands.map { "\($0.kind) \($0.command.show.id) \($0.command.show.surface)" }
            entries += outcome.events.map { Harness.short($0) }
            entries += outcome.refusals.map { "refused \($0.reason.name) \($0.group?.text ?? "-")" }
        }
    }

    @Test("refuse and amend before the commit, and are told what came of it", arguments: ["binary", "json"])
    func seam(encoding: String) throws {
        let diary = Diary()
        let broker = try Harness(plugins: [diary], subscriptions: ["events/"])
        func send(_ id: String, _ group: String) throws {
            let command = WireCommand.with {
                $0.show = .with {
                    $0.id = id; $0.group = group; $0.durationMs = 50
                }
            }
            if encoding == "json" { try broker.send(command.jsonString()) } else { try broker.send(command) }
        }
        try send("A", "g")
        try send("B", "closed/x")
        try broker.advance(to: 50)
        #expect(
            diary.entries == [
                "show A screen", "0 g A shown 1", "refused PERMISSION_DENIED closed/x",
                "50 g A closed timedOut after 50ms",
            ])
        #expect(
            try broker.receivedEvents() == [
                "0 g A shown 1", "0 closed/x B refused PERMISSION_DENIED", "50 g A closed timedOut after 50ms",
            ])
    }

    /// Makes a group's name that can't be.
    private final class Vandal: BrokerPlugin {
        let name = "vandal"

        func admit(_ command: inout AdmittedCommand, at now: Milliseconds) throws(CommandRefusal) {
            command.command.show.group = "not a group"
        }
    }

    @Test("can't make an invalid command of a valid one")
    func checkedAgain() throws {
        let broker = try Harness(plugins: [Vandal()], subscriptions: ["state/"])
        try broker.send(
            .with {
                $0.show = .with {
                    $0.id = "A"; $0.group = "g"
                }
            })
        #expect(try broker.receivedStates() == [])
        #expect(broker.stats.refused == 1)
    }
}

@Suite("Plugins and the log of a batch")
struct PluginLogTests {
    /// Refuses or amends every other `show`, and notes where the log of the batch lies each time.
    private final class Surveyor: BrokerPlugin {
        let name = "surveyor"
        let amends: Bool
        var places: [UnsafeRawPointer] = []

        init(amends: Bool) { self.amends = amends }

        func admit(_ command: inout AdmittedCommand, at now: Milliseconds) throws(CommandRefusal) {
            guard let place = command.logPlace else { return }
            places.append(place)
            guard places.count.isMultiple(of: 2) else { return }
            guard amends else { throw CommandRefusal(.permissionDenied, "for nobody") }
            command.command.show.surface = "screen"
        }
    }

    @Test("don't have it copied when they refuse or amend a command", arguments: [false, true])
    func copies(amends: Bool) throws {
        let surveyor = Surveyor(amends: amends)
        let broker = try Harness(plugins: [surveyor])
        func sendBatch(_ round: Int) throws {
            for number in 0..<100 {
                let id = "p\(round)-\(number)"
                broker.client.send(
                    try WireCommand.with {
                        $0.show = .with {
                            $0.id = id; $0.group = "g"; $0.text = String(repeating: "x", count: 200)
                        }
                    }.serializedBytes())
            }
            try broker.turn()
        }
        // The first two batches make the room that later ones use again.
        try sendBatch(1)
        try sendBatch(2)
        surveyor.places.removeAll()
        try sendBatch(3)
        #expect(surveyor.places.count == 100)
        #expect(Set(surveyor.places).count == 1)
    }
}

@Suite("Quotas")
struct ProducerQuotaTests {
    private let one = "00000000000000000000000000000001"
    private let two = "00000000000000000000000000000002"

    private func quotas(_ change: (inout ProducerQuotas.Settings) -> Void) -> ProducerQuotas {
        var settings = ProducerQuotas.Settings()
        change(&settings)
        return ProducerQuotas(settings)
    }

    private func show(_ broker: Harness, _ id: String, from producer: String) throws {
        try broker.send(#"{"producer":"\#(producer)","show":{"id":"\#(id)","group":"\#(id)"}}"#)
    }

    private func producer(_ number: Int) -> String { "0000000000000000000000000000000\(number)" }

    @Test("bound how fast each producer sends")
    func rate() throws {
        let plugin = quotas { $0.perProducer = .init(commandsPerSecond: 2, burst: 3) }
        let broker = try Harness(plugins: [plugin], subscriptions: ["events/"])
        for id in ["a", "b", "c", "d"] { try show(broker, id, from: one) }
        try show(broker, "e", from: two)
        try broker.advance(to: 499)
        try show(broker, "f", from: one)
        try broker.advance(to: 500)
        try show(broker, "g", from: one)
        try show(broker, "h", from: one)
        #expect(
            try broker.receivedEvents() == [
                "0 a a shown 1", "0 b b shown 1", "0 c c shown 1", "0 d d refused OVERLOAD", "0 e e shown 1",
                "499 f f refused OVERLOAD", "500 g g shown 1", "500 h h refused OVERLOAD",
            ])
    }

    @Test("bound how many popups of each producer are live")
    func live() throws {
        let plugin = quotas { $0.perProducer = .init(livePopups: 2) }
        let broker = try Harness(plugins: [plugin], subscriptions: ["events/"])
        for id in ["a", "a", "b"] { try show(broker, id, from: one) }
        try show(broker, "c", from: one)
        try show(broker, "c", from: two)
        try broker.send(#"{"dismiss":{"id":"a"}}"#)
        try show(broker, "d", from: one)
        // A repetition of what closed before is none that lives.
        try broker.send(#"{"dismiss":{"id":"d"}}"#)
        try show(broker, "a", from: one)
        try show(broker, "e", from: one)
        try show(broker, "f", from: one)
        #expect(
            try broker.receivedEvents() == [
                "0 a a shown 1", "0 b b shown 1", "0 c c refused OVERLOAD", "0 c c shown 1",
                "0 a a closed dismissed after 0ms", "0 d d shown 1", "0 d d closed dismissed after 0ms",
                "0 e e shown 1", "0 f f refused OVERLOAD",
            ])
    }

    @Test("count the popups of one batch together")
    func batch() throws {
        let plugin = quotas { $0.anonymous = .init(livePopups: 2) }
        let broker = try Harness(plugins: [plugin], subscriptions: ["events/"])
        let shows = ["a", "b", "c"].map { #"{"show":{"id":"\#($0)","group":"\#($0)"}}"# }
        try broker.send(#"{"commands":[\#(shows.joined(separator: ","))]}"#)
        try show(broker, "d", from: one)
        #expect(
            try broker.receivedEvents() == [
                "0 a a shown 1", "0 b b shown 1", "0 c c refused OVERLOAD", "0 d d shown 1",
            ])
    }

    @Test("count what is in flight, and what is admitted meanwhile")
    func inFlight() throws {
        let plugin = quotas { $0.perProducer = .init(livePopups: 2) }
        let pipeline = try Pipeline(plugins: [plugin], subscriptions: ["events/"])
        let broker = pipeline.broker
        try show(broker, "a", from: one)
        // In the batch after it.
        try show(broker, "b", from: one)
        try pipeline.complete()
        try show(broker, "c", from: one)
        try show(broker, "d", from: two)
        try pipeline.flow()
        #expect(broker.stats.popups == 3)
        try show(broker, "e", from: one)
        try pipeline.flow()
        try broker.send(#"{"dismiss":{"id":"a"}}"#)
        try pipeline.flow()
        try show(broker, "f", from: one)
        try pipeline.flow()
        #expect(
            try broker.receivedEvents() == [
                "0 a a shown 1", "0 b b shown 1", "0 c c refused OVERLOAD", "0 d d shown 1", "0 e e refused OVERLOAD",
                "0 a a closed dismissed after 0ms", "0 f f shown 1",
            ])
    }

    @Test("count no longer what came to nothing: the journal could not commit it")
    func uncommitted() throws {
        let plugin = quotas { $0.perProducer = .init(livePopups: 1) }
        let pipeline = try Pipeline(plugins: [plugin])
        pipeline.journal.isFull = true
        try show(pipeline.broker, "a", from: one)
        try pipeline.flow()
        pipeline.journal.isFull = false
        for id in ["x", "y"] {
            try show(pipeline.broker, id, from: two)
            try pipeline.flow()
        }
        try show(pipeline.broker, "b", from: one)
        try pipeline.flow()
        #expect(pipeline.broker.stats.popups == 2)
    }

    @Test("let new producers in when more than `producers` have live popups, and count every one of those")
    func holders() throws {
        let plugin = quotas {
            $0.perProducer = .init(livePopups: 1)
            $0.producers = 2
        }
        let broker = try Harness(plugins: [plugin], subscriptions: ["events/"])
        for number in 1...5 { try show(broker, "p\(number)", from: producer(number)) }
        try broker.send(#"{"dismiss":{"id":"p1"}}"#, #"{"dismiss":{"id":"p2"}}"#)
        try broker.advance(to: 5000)
        for number in 1...5 { try show(broker, "q\(number)", from: producer(number)) }
        #expect(
            try broker.receivedEvents() == [
                "0 p1 p1 shown 1", "0 p2 p2 shown 1", "0 p3 p3 shown 1", "0 p4 p4 shown 1", "0 p5 p5 shown 1",
                "0 p1 p1 closed dismissed after 0ms", "0 p2 p2 closed dismissed after 0ms", "5000 q1 q1 shown 1",
                "5000 q2 q2 shown 1", "5000 q3 q3 refused OVERLOAD", "5000 q4 q4 refused OVERLOAD",
                "5000 q5 q5 refused OVERLOAD",
            ])
    }

    @Test("let new producers in when more than `producers` have sent, and count those that sent last")
    func senders() throws {
        let plugin = quotas {
            $0.perProducer = .init(commandsPerSecond: 1)
            $0.producers = 2
        }
        let broker = try Harness(plugins: [plugin], subscriptions: ["events/"])
        for number in 1...5 { try show(broker, "p\(number)", from: producer(number)) }
        for number in [5, 4, 1] { try show(broker, "q\(number)", from: producer(number)) }
        #expect(
            try broker.receivedEvents() == [
                "0 p1 p1 shown 1", "0 p2 p2 shown 1", "0 p3 p3 shown 1", "0 p4 p4 shown 1", "0 p5 p5 shown 1",
                "0 q5 q5 refused OVERLOAD", "0 q4 q4 refused OVERLOAD", "0 q1 q1 shown 1",
            ])
    }

    @Test("are in force when the configuration has them")
    func configured() async throws {
        var configuration = BrokerConfiguration()
        configuration.quotas.anonymous = .init(livePopups: 1)
        let broker = try Broker(
            configuration: configuration, transport: InProcessTransport(), journal: MemoryJournal(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        async let end: Void = broker.run()
        try await broker.perform(
            .with {
                $0.show = .with {
                    $0.id = "A"; $0.group = "g"
                }
            })
        let refusal = await #expect(throws: CommandRefusal.self) {
            try await broker.perform(
                .with {
                    $0.show = .with {
                        $0.id = "B"; $0.group = "g"
                    }
                })
        }
        #expect(
            refusal?.detail
                == "the quota `livePopups` of 1 is reached by the commands without a producer; close some first")
        broker.stop()
        try await end
    }
}

@Suite("Defaults")
struct GroupDefaultsTests {
    @Test("complete what a popup doesn't name, by the most specific pattern")
    func completion() throws {
        let plugin = try GroupDefaults([
            .with {
                $0.group = "*"
                $0.durationMs = 1
            },
            .with {
                $0.group = "s/*"
                $0.durationMs = 8000
                $0.actions = [.with { $0.id = "ok" }]
                $0.presentation = .with {
                    $0.scene = .topBar
                    $0.title = "Shop"
                }
                $0.interruptible = false
            },
        ])
        let broker = try Harness(plugins: [plugin], subscriptions: ["state+json/"])
        try broker.send(
            #"{"show":{"id":"A","group":"s/1","presentation":{"title":"Sale"},"actions":[{"id":"buy"}],"text":"x"}}"#,
            #"{"show":{"id":"B","group":"s/2","durationMs":5}}"#, #"{"show":{"id":"C","group":"t"}}"#)
        let popups = try broker.receivedMessages(of: broker.client).map { try Harness.state($0).active }
        #expect(
            popups == [
                .with {
                    $0.id = "A"; $0.group = "s/1"; $0.durationMs = 8000; $0.text = "x"
                    $0.actions = [.with { $0.id = "buy" }]
                    $0.presentation = .with {
                        $0.scene = .topBar; $0.title = "Sale"
                    }
                    $0.interruptible = false
                    $0.remainingMs = 8000; $0.attempt = 1; $0.sinceRevision = 1
                },
                .with {
                    $0.id = "B"; $0.group = "s/2"; $0.durationMs = 5
                    $0.actions = [.with { $0.id = "ok" }]
                    $0.presentation = .with {
                        $0.scene = .topBar; $0.title = "Shop"
                    }
                    $0.interruptible = false
                    $0.remainingMs = 5; $0.attempt = 1; $0.sinceRevision = 1
                },
                .with {
                    $0.id = "C"; $0.group = "t"; $0.durationMs = 1
                    $0.remainingMs = 1; $0.attempt = 1; $0.sinceRevision = 1
                },
            ])
    }

    @Test("give a flow, a page and a quorum whole or not at all")
    func wholes() throws {
        let plugin = try GroupDefaults([
            .with {
                $0.group = "*"
                $0.flow = .with {
                    $0.key = "f"; $0.holdMs = 9
                }
                $0.page = .with {
                    $0.tree = "t"; $0.value = "v"; $0.scope = .within
                }
                $0.quorumAll = true
            }
        ])
        func completed(_ change: (inout WirePopup) -> Void) throws -> WirePopup? {
            var popup = WirePopup.with { $0.group = "g" }
            change(&popup)
            guard var command = AdmittedCommand(.with { $0.show = popup }) else { return nil }
            try plugin.admit(&command, at: 0)
            return command.command.show
        }
        let given = try #require(try completed { _ in })
        #expect(given.flow.holdMs == 9 && given.page.scope == .within && given.quorumAll)
        let own = try #require(
            try completed {
                $0.flow.key = "own"
                $0.page.tree = "own"
                $0.quorum = 2
            })
        #expect(own.flow == .with { $0.key = "own" })
        #expect(own.page == .with { $0.tree = "own" })
        #expect(own.quorum == 2 && !own.quorumAll)
    }

    @Test(
        "that no popup can have are refused",
        arguments: [
            WirePopup.with { $0.group = "a b" },
            .with {
                $0.group = "*"; $0.id = "A"
            },
            .with {
                $0.group = "*"; $0.capKey = "\n"
            },
            .with {
                $0.group = "*"; $0.exclusive = .UNRECOGNIZED(7)
            },
        ])
    func invalid(popup: WirePopup) {
        #expect(throws: CommandRefusal.self) { try GroupDefaults([popup]) }
    }
}
