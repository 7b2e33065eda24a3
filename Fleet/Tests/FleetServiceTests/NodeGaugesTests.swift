import FleetTrial
import PopupFleet
import PopupJournal
import Testing

@testable import FleetService

/// The metrics that a node exports for operators.
@Suite(.timeLimit(.minutes(10))) struct NodeGaugesTests {
    private func lines(
        _ gauges: NodeGauges, _ quota: QuotaGuard = QuotaGuard(quota: nil), node: String = "left"
    ) -> [String] {
        gauges.metrics(of: (shard: "main", node: node, version: "1.2.3"), quota).split(separator: "\n").map(String.init)
    }

    @Test func `the series name the shard, the node and its version once`() {
        let named = lines(NodeGauges()).filter { $0.contains("main") }

        #expect(named == [#"popup_fleet_info{shard="main",node="left",version="1.2.3"} 1"#])
    }

    @Test func `a name with quotes, backslashes and line breaks is one label`() {
        let named = lines(NodeGauges(), node: "a\"b\\c\nd\r\ne")

        #expect(named.contains("popup_fleet_info{shard=\"main\",node=\"a\\\"b\\\\c\\nd\r\\ne\",version=\"1.2.3\"} 1"))
    }

    @Test func `each series has a type and a help text`() {
        let quota = QuotaGuard(quota: 1000)
        quota.record(QuotaGuard.Use(fileBytes: 2, usedBytes: 1))

        let lines = lines(NodeGauges(), quota)

        for line in lines where !line.hasPrefix("#") {
            let series = line.prefix { $0 != " " && $0 != "{" }
            let part = ["_bucket", "_sum", "_count"].first { series.hasSuffix($0) } ?? ""
            let family = series.dropLast(part.count)
            #expect(lines.contains { $0.hasPrefix("# TYPE \(family) ") }, "\(series)")
            #expect(lines.contains { $0.hasPrefix("# HELP \(family) ") }, "\(series)")
        }
    }

    @Test func `a snapshot that the log does not take is overdue until the log takes it`() async throws {
        let (log, clocks) = (ScriptedLog(script: .forgetsSnapshots), Clocks())
        let runner = FleetRunner<NumberMachine>(
            LogOwner(high: 1, low: 1), rank: 0, log: log, snapshotEntries: 2,
            moment: { clocks.moment() })
        let running = Task { await runner.run() }
        try await eventually { await runner.canAppend }
        #expect(await runner.gauges.snapshotOverdue == nil)
        #expect(await lines(runner.gauges).contains("popup_fleet_snapshot_overdue_seconds 0.0"))

        // The second entry, after that of the take-over.
        let batch = NumberMachine.bytes(of: [NumberMachine.Command(number: 1, delay: 10)])
        #expect(await runner.append(batch) == .committed(index: 2))
        try await eventually { await runner.gauges.snapshotOverdue == 0 }
        clocks.advance(by: 1500)

        #expect(await runner.gauges.snapshotOverdue == 1500)
        #expect(await lines(runner.gauges).contains("popup_fleet_snapshot_overdue_seconds 1.5"))
        log.with { $0.script = .works }
        try await eventually {
            clocks.advance(by: 1000)
            return await runner.gauges.snapshotOverdue == nil
        }
        #expect(log.with { $0.snapshots.keys.sorted() } == [2])
        await runner.handOver()
        #expect(await running.value == .handedOver)
    }

    @Test func `a snapshot that the log leaves out is overdue from then on, until the log has one`() async throws {
        let (log, clocks) = (ScriptedLog(script: .leavesSnapshotsOut), Clocks())
        let runner = FleetRunner<NumberMachine>(
            LogOwner(high: 1, low: 1), rank: 0, log: log, snapshotEntries: 2,
            moment: { clocks.moment() })
        let running = Task { await runner.run() }
        try await eventually { await runner.canAppend }
        let batch = NumberMachine.bytes(of: [NumberMachine.Command(number: 1, delay: 10)])
        #expect(await runner.append(batch) == .committed(index: 2))
        try await eventually { await runner.gauges.snapshotOverdue == 0 }
        clocks.advance(by: FleetTiming().ownerSnapshotDelay)
        try await eventually { log.with { $0.offers } == 1 }

        clocks.advance(by: 1500)

        #expect(await runner.gauges.snapshotOverdue == FleetTiming().ownerSnapshotDelay + 1500)
        log.with { $0.script = .works }
        try await eventually {
            clocks.advance(by: 1000)
            return await runner.gauges.snapshotOverdue == nil
        }
        #expect(log.with { $0.offers } == 2)
        #expect(log.with { $0.snapshots.keys.sorted() } == [2])
        await runner.handOver()
        #expect(await running.value == .handedOver)
    }
}
