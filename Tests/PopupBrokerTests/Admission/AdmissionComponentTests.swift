@testable import PopupBroker
import PopupProtocol
import PopupScheduling
import SwiftProtobuf
import Testing

@Suite("Admission, without a loop")
struct AdmissionComponentTests {
    private final class Amending: BrokerPlugin {
        let name = "amending"

        func admit(_ command: inout AdmittedCommand, at now: Milliseconds) throws(CommandRefusal) {
            command.command.show.surface = "amended"
        }
    }

    private func admission(_ plugins: [any BrokerPlugin] = [], queryResults: Int = 1000) throws -> Admission {
        var configuration = BrokerConfiguration()
        configuration.limits.queryResults = queryResults
        let chain = PluginChain(try ConfiguredPlugins(configuration), own: plugins)
        return Admission(configuration, timeZones: LoadedTimeZones(.system), plugins: chain, epoch: 7)
    }

    @Test("reads an ordinary show and dismiss, and nothing else")
    func ordinary() throws {
        var admission = try admission()
        let commands: [WireCommand] = [
            .with {
                $0.show = .with {
                    $0.id = "A"
                    $0.group = "g"
                }
            },
            .with { $0.dismiss.id = "A" },
            .with { $0.advance.group = "g" },
        ]
        var kinds: [CommandKind?] = []
        for command in commands {
            let bytes: [UInt8] = try command.serializedBytes()
            kinds.append(admission.readOrdinary(bytes.span)?.kind)
        }
        #expect(kinds == [.show, .dismiss, nil])
    }

    @Test("completes a command, asks the plugins, and checks what they made of it")
    func completion() throws {
        var admission = try admission([Amending()])
        var command = WireCommand.with { $0.show.group = "g" }
        try admission.complete(&command)
        #expect(try admission.askPlugins(about: &command, at: 0))
        #expect(command.show.id == "popup-7-1")
        #expect(command.show.surface == "amended")
        command.show.group = ""
        #expect(throws: CommandRefusal.self) { try admission.complete(&command) }
    }

    @Test("bounds the mistakes of a frame; what there is only no room for is none")
    func mistakes() throws {
        var admission = try admission()
        func note(_ reason: WireRefused.Reason, _ admission: inout Admission) -> Bool {
            for _ in 0..<Ingress.reportedMistakes { admission.record(CommandRefusal(reason, "no")) }
            return admission.refusesRest
        }
        var found = [note(.overload, &admission), note(.invalid, &admission)]
        admission.beginFrame()
        found.append(admission.refusesRest)
        #expect(found == [false, true, false])
    }

    @Test("bounds the decoded commands of a frame, over all turns in which parts of it are held")
    func decodedCommands() throws {
        var admission = try admission()
        admission.beginFrame()
        for _ in 1..<Ingress.decodedCommands { admission.recordDecoded() }
        admission.hold(.binary([]), of: nil)
        admission.beginFrame()
        _ = admission.takeHeld()
        var found = [admission.refusesRest]
        admission.recordDecoded()
        found.append(admission.refusesRest)
        let refusal = admission.refusal(ofRest: 5)
        admission.beginFrame()
        found.append(admission.refusesRest)
        #expect(found == [false, true, false])
        #expect(refusal.reason == .overload)
        #expect(refusal.detail.hasPrefix("the last 5 commands of the frame were not read"))
    }

    @Test("tells how the policies of a configuration differ from those before; of one name, the last counts")
    func policyChanges() throws {
        func policy(_ group: String, _ preset: WirePreset.Name) -> WireSetPolicy {
            .with {
                $0.group = group
                $0.preset = preset
            }
        }
        var state = BrokerState(JournaledSettings(limits: Limits(), seed: 0))
        var output = EventBuffer()
        for former in [policy("same", .fifo), policy("other", .fifo), policy("gone", .fifo)] {
            _ = state.apply(.configuredPolicy(former), at: 0, into: &output)
        }
        let admission = try admission()
        let wanted = [
            policy("same", .fifo), policy("other", .fifo), policy("new", .fifo), policy("other", .lifo),
        ]
        let changes = try admission.changes(to: wanted, in: state).map { change in
            switch change {
            case .removed(let pattern): "- \(pattern)"
            case .set(let policy): "+ \(policy.group) \(policy.preset)"
            }
        }
        #expect(changes == ["- gone", "+ new fifo", "+ other lifo"])
    }

    @Test("takes the first command of a frame that goes through everything, however much that is")
    func visits() throws {
        var admission = try admission()
        var state = BrokerState(JournaledSettings(limits: Limits(), seed: 0))
        var output = EventBuffer()
        let popups = 2000
        for index in 0..<popups {
            let command = WireCommand.with {
                $0.show = .with {
                    $0.id = "p\(index)"
                    $0.group = "g"
                }
            }
            _ = state.apply(.command(command), at: 0, into: &output)
        }
        let list = WireCommand.OneOf_Command.query(.with { $0.list = .init() })
        var counts: [Int] = []
        while let count = try? admission.spendVisits(of: list, in: state.scheduler, producers: 0) {
            counts.append(count)
        }
        #expect(counts.first == popups)
        #expect(counts.count == Ingress.visitedPopups / popups)
        admission.beginFrame()
        let next = try? admission.spendVisits(of: list, in: state.scheduler, producers: 0)
        #expect(next == popups)
    }

    @Test(
        "counts a page of groups, renderers or producers as the results that it may have, of renderers ten thousand at least",
        arguments: [1000, 30_000])
    func pages(_ results: Int) throws {
        let state = BrokerState(JournaledSettings(limits: Limits(), seed: 0))
        let queries: [(WireQuery.OneOf_Query, visits: Int)] = [
            (.groups(WireGroupsQuery()), results), (.renderers(WireRenderersQuery()), max(results, 10_000)),
            (.producers(WireProducersQuery()), results),
            // In byte order, the first ones are found among all of them.
            (.producers(.with { $0.after = "" }), results + 70_000),
        ]
        for (query, expected) in queries {
            var admission = try admission(queryResults: results)
            let command = WireCommand.OneOf_Command.query(.with { $0.query = query })
            let visits = try admission.spendVisits(of: command, in: state.scheduler, producers: 70_000)
            #expect(visits == expected)
        }
    }
}
