import PopupBroker
import PopupProtocol
import PopupScheduling
import PopupSimulation
import SwiftProtobuf
import Testing

@Suite("A comparison of policies")
struct PolicyComparisonTests {
    private func run(
        _ lines: [(Int64, String)], under policies: [String], replacing replacement: PolicyComparison.Replacement = .all
    ) throws -> (differences: [PopupDifference], popups: Int) {
        var comparison = try PolicyComparison(
            policies: try policies.map { try WireSetPolicy(jsonString: $0) }, replacing: replacement,
            SimulationSettings(timeZones: TimeZoneDirectory.system))
        for (time, line) in lines {
            for command in Ingress.receivedCommands(in: Array(line.utf8)) { comparison.apply(command, at: time) }
        }
        return comparison.finish()
    }

    private func words(
        _ lines: [(Int64, String)], under policies: String...,
        replacing replacement: PolicyComparison.Replacement = .all
    ) throws -> [String] {
        try run(lines, under: policies, replacing: replacement).differences.map { difference in
            "\(difference.popup): " + difference.changes.map(\.description).joined(separator: "; ")
        }
    }

    private let pair: [(Int64, String)] = [
        (0, #"{"show":{"id":"A","group":"g","priority":1,"durationMs":1000}}"#),
        (100, #"{"show":{"id":"B","group":"g","priority":9,"durationMs":500,"ttlMs":600}}"#),
    ]

    @Test("without a difference nothing is reported")
    func same() throws {
        let (differences, popups) = try run(pair, under: [#"{"group":"*","preset":"PRIORITY"}"#])
        #expect(differences == [])
        #expect(popups == 2)
    }

    @Test("popups are shown earlier, later, never, only now, or end in another way")
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

    @Test("refused popups are accepted, and the reverse")
    func refused() throws {
        let lines = pair + [(Int64(110), #"{"show":{"id":"C","group":"g","durationMs":10}}"#)]
        #expect(
            try words(lines, under: #"{"group":"*","maxWaiting":0}"#) == [
                "C: never shown; ends refused OVERLOAD, not TIMED_OUT"
            ])
    }

    @Test("the recording's own policies are ignored, those of the other run apply from the start")
    func policies() throws {
        let lines = [pair[0], (50, #"{"setPolicy":{"group":"g","higher":"STOP"}}"#), pair[1]]
        #expect(try words(lines, under: #"{"group":"*"}"#) == ["A: ends TIMED_OUT, not PREEMPTED"])
    }

    @Test("policies that replace only those of the same patterns: the others stay as they were recorded")
    func samePatterns() throws {
        let lines = [
            pair[0], (50, #"{"setPolicy":{"group":"g","higher":"STOP"}}"#), pair[1],
            (400, #"{"setPolicy":{"group":"*","preset":"FIFO"}}"#),
            (500, #"{"show":{"id":"C","group":"h","durationMs":300}}"#),
            (600, #"{"show":{"id":"D","group":"h","priority":9,"durationMs":10}}"#),
        ]
        let all = try words(lines, under: #"{"group":"g"}"#)
        #expect(all == ["A: ends TIMED_OUT, not PREEMPTED", "D: shown 200 ms earlier"])
        let same = try words(lines, under: #"{"group":"g"}"#, replacing: .samePatterns)
        #expect(same == ["A: ends TIMED_OUT, not PREEMPTED"])
    }

    @Test("dismissals apply to any revision in the other run; stale ones stay stale")
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

    @Test("repetitions and reused sequences are ignored in both runs")
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

    @Test("queries and unreadable commands change nothing")
    func others() throws {
        let lines =
            pair + [
                (Int64(200), #"{"query":{"client":"c","nonce":"1","stats":{}}}"#), (200, #"{"dance":{}}"#), (200, "{"),
            ]
        #expect(try words(lines, under: #"{"group":"*"}"#) == [])
    }
}
