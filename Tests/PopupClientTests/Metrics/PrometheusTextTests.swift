import Testing

@testable import PopupClient

@Suite("Metrics for Prometheus")
struct PrometheusTextTests {
    private func bucket(_ bound: UInt64?, _ count: UInt64) -> BrokerStatistics.HistogramBucket {
        var bucket = BrokerStatistics.HistogramBucket()
        if let bound { bucket.upToUs = bound }
        bucket.count = count
        return bucket
    }

    private func lines(_ stats: BrokerStatistics) -> [Substring] {
        PrometheusText(stats, at: 100).text.split(separator: "\n")
    }

    @Test("have the durations of turns as a histogram")
    func turns() {
        var stats = BrokerStatistics()
        (stats.turns.count, stats.turns.sumUs) = (6, 2_500_000)
        stats.turns.buckets = [bucket(16, 2), bucket(64, 3), bucket(nil, 1)]
        let turns = lines(stats).filter { $0.contains("turn_duration") }
        #expect(
            turns == [
                "# HELP popup_broker_turn_duration_seconds How long turns of the loop took.",
                "# TYPE popup_broker_turn_duration_seconds histogram",
                #"popup_broker_turn_duration_seconds_bucket{le="1.6e-05"} 2"#,
                #"popup_broker_turn_duration_seconds_bucket{le="6.4e-05"} 5"#,
                #"popup_broker_turn_duration_seconds_bucket{le="+Inf"} 6"#,
                "popup_broker_turn_duration_seconds_sum 2.5", "popup_broker_turn_duration_seconds_count 6",
            ])
    }

    @Test("have no durations of turns if the broker sends none")
    func turnsWithoutBuckets() {
        var stats = BrokerStatistics()
        (stats.turns.count, stats.turns.long) = (6, 2)
        let turns = lines(stats).filter { $0.contains("_turn") && !$0.hasPrefix("#") }
        #expect(turns == ["popup_broker_long_turns_total 2"])
    }

    @Test("have the greatest number for a sum of a broker's numbers that is too great")
    func hostileNumbers() {
        var stats = BrokerStatistics()
        stats.uptimeMs = .max
        stats.denied = [UInt64.max, 2].map { count in
            var denied = BrokerStatistics.DeniedCount()
            denied.count = count
            return denied
        }
        stats.commitTimes.count = .max
        stats.commitTimes.buckets = [bucket(16, .max), bucket(.max, .max), bucket(nil, .max)]
        let lines = lines(stats)
        for line in [
            "popup_broker_start_time_seconds 0", "popup_broker_denials_total 18446744073709551615",
            #"popup_broker_commit_duration_seconds_bucket{le="18446744073709.55"} 18446744073709551615"#,
        ] { #expect(lines.contains(Substring(line))) }
    }

    @Test(
        "are calculated without an overflow",
        arguments: [0, 1, 999, 1000, 1001, .max / 2, .max - 1, .max] as [UInt64])
    func arithmetic(_ number: UInt64) {
        #expect(number.addingSaturated(.max) == .max)
        #expect(number.addingSaturated(0) == number)
        #expect([number, .max, 1].saturatedSum == .max)
        #expect(number.thousandths(1000) == number)
        #expect(number.thousandths(500) == number / 2 + number % 2)
        #expect(number.thousandths(0) == 0)
    }

    @Test(
        "have the nearest integer of a number, whatever it is",
        arguments: [(1e300, Int.max), (-1e300, .min), (.infinity, .max), (.nan, 0), (9.5, 10)])
    func integers(_ number: Double, _ integer: Int) {
        #expect(Int(saturating: number) == integer)
    }
}
