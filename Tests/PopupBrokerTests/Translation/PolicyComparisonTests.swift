@testable import PopupBroker
import PopupJournal
import PopupProtocol
import PopupScheduling
import SwiftProtobuf
import Testing

@Suite("What if")
struct PolicyComparisonTests {
    private func run(
        _ lines: [(Int64, String)], under policies: [String]
    ) throws -> (differences: [PopupDifference], popups: Int) {
        var comparison = try PolicyComparison(policies: try policies.map { try WireSetPolicy(jsonString: $0) })
        for (time, line) in lines {
            for command in Ingress.receivedCommands(in: Array(line.utf8)) { comparison.apply(command, at: time) }
        }
        return comparison.finish()
    }

    private func words(_ lines: [(Int64, String)], under policies: String...) throws -> [String] {
        try run(lines, under: policies).differences.map { difference in
            "\(difference.popup): " + difference.changes.map(\.description).joined(separator: "; ")
        }
    }

    private let pair: [(Int64, String)] = [
        (0, #"{"show":{"id":"A","group":"g","priority":1,"durationMs":1000}}"#),
        (100, #"{"show":{"id":"B","group":"g","priority":9,"durationMs":500,"ttlMs":600}}"#),
    ]

    @Test("nothing changes, nothing is told")
    func same() throws {
        let (differences, popups) = try run(pair, under: [#"{"group":"*","preset":"PRIORITY"}"#])
        #expect(differences == [])
        #expect(popups == 2)
    }

    @Test("popups are shown earlier, later, never, only now, and end otherwise")
    func changes() throws {
        let fifo = #"{"group":"*","preset":"FIFO"}"#
        #expect(try words(pair, under: fifo) == ["B: never shown; ends EXPIRED, not TIMED_OUT"])
        let really = [(Int64(0), #"{"setPolicy":\#(fifo)}"#)] + pair
        #expect(try words(really, under: #"{"group":"*"}"#) == ["B: shown only now; ends TIMED_OUT, not EXPIRED"])
        #expect(
            try words(pair, under: #"{"group":"*","preset":"FIFO","maxDurationMs":300}"#) == ["B: shown 200 ms later"])
        let gap = [(Int64(0), #"{"setPolicy":{"group":"*","preset":"FIFO","maxDurationMs":300,"gapMs":50}}"#)] + pair
        #expect(
            try words(gap, under: #"{"group":"*","preset":"FIFO","maxDurationMs":300}"#) == ["B: shown 50 ms earlier"])
        #expect(
            try words(pair, under: #"{"group":"*","higher":"STOP"}"#) == ["A: ends PREEMPTED, not TIMED_OUT"])
    }

    @Test("popups are shown more and less often")
    func often() throws {
        let lines: [(Int64, String)] = [(0, #"{"show":{"id":"A","group":"g","durationMs":30}}"#)]
        let skip = #"{"group":"*","displayTimeoutMs":10,"undisplayed":"SKIP","maxAttempts":3}"#
        #expect(try words(lines, under: skip) == ["A: shown 3 times, not once; ends UNDISPLAYED, not TIMED_OUT"])
        let really = [(Int64(0), #"{"setPolicy":\#(skip)}"#)] + lines
        #expect(
            try words(really, under: #"{"group":"*"}"#) == [
                "A: shown once, not 3 times; ends TIMED_OUT, not UNDISPLAYED"
            ])
    }

    @Test("popups are accepted that were refused, and the other way round")
    func refused() throws {
        let lines = pair + [(Int64(110), #"{"show":{"id":"C","group":"g","durationMs":10}}"#)]
        #expect(
            try words(lines, under: #"{"group":"*","maxWaiting":0}"#) == [
                "C: never shown; ends refused OVERLOAD, not TIMED_OUT"
            ])
    }

    @Test("the recording's own policies are left out, those of the other run hold from the start")
    func policies() throws {
        let lines = [pair[0], (50, #"{"setPolicy":{"group":"g","higher":"STOP"}}"#), pair[1]]
        #expect(try words(lines, under: #"{"group":"*"}"#) == ["A: ends TIMED_OUT, not PREEMPTED"])
    }

    @Test("what persons did is carried over, whatever revision they saw; what was stale stays so")
    func dismissals() throws {
        let lines: [(Int64, String)] = [
            (0, #"{"show":{"id":"A","group":"g","priority":1}}"#),
            (10, #"{"show":{"id":"B","group":"g","priority":9}}"#),
            (20, #"{"dismiss":{"id":"B","action":"ok","revision":"2"}}"#),
            (30, #"{"dismiss":{"id":"A","action":"early","revision":"1"}}"#),
            (40, #"{"dismiss":{"id":"A","action":"ok","revision":"3"}}"#),
        ]
        // Polite, B waits behind A: it is dismissed there unseen, and nobody's answer counts for anything else.
        #expect(try words(lines, under: #"{"group":"*","preset":"POLITE"}"#) == ["B: never shown"])
    }

    @Test("what was repeated, or had a sequence that was used, is left out of both runs")
    func sequences() throws {
        func numbered(_ sequence: Int, _ command: String) -> String {
            #"{"producer":"000000000000000000000000000000ab","sequence":"\#(sequence)",\#(command)}"#
        }
        let lines: [(Int64, String)] = [
            (0, numbered(1, #""show":{"id":"A","group":"g","durationMs":100}"#)),
            (10, numbered(1, #""show":{"id":"B","group":"g"}"#)),
            (20, numbered(2, #""advance":{"group":"g"}"#)), (30, #"{"show":{"id":"C","group":"g","durationMs":100}}"#),
            (40, numbered(2, #""advance":{"group":"g"}"#)),
        ]
        let (differences, popups) = try run(lines, under: [#"{"group":"*","maxDurationMs":50}"#])
        #expect(popups == 3)
        #expect(differences.map(\.popup) == [])
    }

    @Test("questions and what can't be read change nothing")
    func others() throws {
        let lines =
            pair + [
                (Int64(200), #"{"query":{"client":"c","nonce":"1","stats":{}}}"#), (200, #"{"dance":{}}"#), (200, "{"),
            ]
        #expect(try words(lines, under: #"{"group":"*"}"#) == [])
    }

    /// What a broker leaves in its journal with these commands.
    private func journal(
        _ lines: [(Int64, String)], policies: [WireSetPolicy] = [], limits: Limits = Limits()
    ) throws -> MemoryJournal {
        var configuration = BrokerConfiguration()
        configuration.policies = policies
        configuration.scheduling = limits
        let journal = MemoryJournal()
        let broker = try Harness(configuration, journal: journal)
        for (time, line) in lines {
            try broker.advance(to: time)
            try broker.send(line)
        }
        try broker.close()
        return journal
    }

    /// The comparison on a journal, from a snapshot after a batch if one is given.
    private func compare(
        _ journal: MemoryJournal, after sequence: UInt64 = 0, under policy: String
    ) throws -> (differences: [PopupDifference], popups: Int) {
        _ = try journal.open()
        defer { try? journal.close() }
        var state = try BrokerState.recover(
            from: nil, JournaledSettings(BrokerConfiguration()),
            replay: { from, body in try journal.replay(from: from) { if $0.sequence <= sequence { try body($0) } } })
        var comparison = try PolicyComparison.ofJournal(
            from: sequence == 0 ? nil : try state.snapshot(), under: [try WireSetPolicy(jsonString: policy)])
        try journal.replay(from: sequence + 1) { try comparison.apply($0) }
        return comparison.finish()
    }

    @Test("a journal is compared with its own settings, policies and order, without those of the other run")
    func journals() throws {
        var limits = Limits()
        limits.waitingPerGroup = 1
        let journal = try journal(
            pair + [
                (110, #"{"show":{"id":"C","group":"g","priority":5,"durationMs":10}}"#),
                (120, #"{"setPolicy":{"group":"g","preset":"LIFO"}}"#), (130, #"{"advance":{"group":"g"}}"#),
            ],
            policies: [
                .with {
                    $0.group = "g"; $0.preset = .fifo
                }
            ], limits: limits)
        // Really: FIFO, and only one waits, so C is refused; B is shown when A is advanced.
        #expect(try compare(journal, under: #"{"group":"*","preset":"FIFO"}"#).differences == [])
        let (differences, popups) = try compare(journal, under: #"{"group":"*"}"#)
        #expect(popups == 3)
        #expect(
            differences.map { "\($0.popup) \($0.changes[0])" } == [
                "A ends TIMED_OUT, not ADVANCED", "B shown 30 ms earlier", "C shown only now",
            ])
    }

    @Test("a journal whose beginning a snapshot has replaced goes on from the snapshot, in both runs")
    func snapshots() throws {
        let journal = try journal(
            [
                (0, #"{"setPolicy":{"group":"g","preset":"FIFO"}}"#),
                (5, #"{"show":{"id":"A","group":"g","durationMs":1000}}"#), (100, pair[1].1),
            ])
        let (differences, popups) = try compare(journal, after: 3, under: #"{"group":"*"}"#)
        #expect(popups == 2)
        #expect(differences.map { "\($0.popup) \($0.changes[0])" } == ["B shown only now"])
    }
}
