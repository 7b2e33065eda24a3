import PopupClient
import Synchronization
import Testing

@testable import line_producer

@Suite("The outbox of line-producer")
struct OutboxSinkTests {
    private final class Reports: Sendable {
        private let kept = Mutex<[String]>([])

        var lines: [String] { kept.withLock(\.self) }

        func add(_ line: String) { kept.withLock { $0.append(line) } }
    }

    private let folder: TemporaryDirectory
    private let reports = Reports()

    init() throws {
        folder = try TemporaryDirectory()
    }

    /// Creates a sink without a broker.
    private func sink(outboxBytes: Int = 1_000_000) throws -> OutboxSink {
        var limits = ClientLimits()
        limits.outboxBytes = outboxBytes
        limits.commandBytes = 10_000
        return try OutboxSink(
            BrokerEndpoints(ingress: "ipc://\(folder.path("in"))", egress: "ipc://\(folder.path("out"))"),
            outbox: folder.path("outbox"), limits: limits, report: reports.add)
    }

    private func send(_ lines: ClosedRange<Int>, characters: Int, to sink: OutboxSink) async {
        for line in lines {
            await sink.send(
                Popup(id: "popup-\(10 + line)", group: "g", text: String(repeating: "x", count: characters)),
                ofLine: line, at: .zero)
        }
    }

    @Test("reports once that it is full, and counts what it could not take")
    func full() async throws {
        let sink = try sink(outboxBytes: 4000)
        await send(1...20, characters: 400, to: sink)
        let report = try #require(reports.lines.first)
        let match = try #require(report.wholeMatch(of: /line-producer: line (\d+): the outbox is full: .*is dropped/))
        let first = try #require(Int(match.1))
        #expect((2...19).contains(first))
        await sink.close(patience: .zero)
        #expect(
            reports.lines.dropFirst() == [
                "line-producer: \(first - 1) popups wait in \(folder.path("outbox")); the next run with it sends them",
                "line-producer: \(21 - first) popups were not kept in the outbox",
            ])
    }

    @Test("reports each popup that is too large, and does not count it as one for which there was no room")
    func tooLarge() async throws {
        let sink = try sink()
        await send(1...2, characters: 20_000, to: sink)
        await send(3...3, characters: 1, to: sink)
        await sink.close(patience: .zero)
        #expect(
            reports.lines.map { $0.prefix(22) } == [
                "line-producer: line 1:", "line-producer: line 2:", "line-producer: 1 popup",
            ])
    }

    @Test("says nothing while there is room, and at the end what waits for the next run")
    func room() async throws {
        let sink = try sink()
        await send(1...20, characters: 400, to: sink)
        #expect(reports.lines.isEmpty)
        await sink.close(patience: .zero)
        #expect(
            reports.lines == [
                "line-producer: 20 popups wait in \(folder.path("outbox")); the next run with it sends them"
            ])
    }
}
