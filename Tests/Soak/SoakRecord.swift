/// All samples, and what they say about growth.
struct SoakRecord {
    private var samples: [SoakSample] = []
    /// The median and the 99th percentile of each second, in ms.
    private var latencies: [(p50: Double, p99: Double)] = []

    /// What is compared: the parts of the second half of the time; the first warms up.
    private static let windows = 8
    /// Memory may grow by so many bytes, or by this part of itself: threads that make snapshots, one after the other,
    /// leave some with the C library.
    private static let slack = 64 << 20
    private static let growth = 0.05

    /// So many samples say something about growth.
    static let leastSamples = 5 * windows

    /// Whether there are enough samples.
    var isEnough: Bool { samples.count >= Self.leastSamples }

    mutating func add(_ sample: SoakSample, _ sorted: [Double]) {
        samples.append(sample)
        if !sorted.isEmpty {
            latencies.append((sorted[sorted.count / 2], sorted[sorted.count * 99 / 100]))
        }
    }

    /// How it goes.
    func line(_ tally: TrafficTally) -> String {
        guard let last = samples.last, let latency = latencies.last else { return "nothing yet" }
        return "\(Int(last.time)) s: \(tally), \(megabytes(last.residentBytes)) resident, \(last.threads) threads, "
            + "\(last.descriptors) descriptors, \(megabytes(last.folderBytes)) on disk, "
            + "p50 \(rounded(latency.p50)) ms, p99 \(rounded(latency.p99)) ms"
    }

    /// What came of it.
    func summary(_ tally: TrafficTally) -> String {
        let p50 = thirds(latencies.map(\.p50))
        return "\(tally); memory in the second half \(megabytes(Int(lows { $0.residentBytes }.first ?? 0))) to "
            + "\(megabytes(Int(lows { $0.residentBytes }.last ?? 0))), "
            + "\(Int(residentSlope() * 60 / 1024)) KiB a minute; "
            + "p50 of quiet seconds \(rounded(p50.first)) ms to \(rounded(p50.last)) ms; "
            + "at most \(megabytes(samples.map(\.folderBytes).max() ?? 0)) on disk"
    }

    /// In s: the latency of a shorter run is told and not judged. Other work on the same machine slows a third of it, and
    /// says nothing about the broker.
    private static let judgesLatency = 600.0

    /// What grew, and what got slower.
    func problems() -> [String] {
        guard isEnough else {
            return ["\(samples.count) samples say nothing about growth; let it run for a minute"]
        }
        var problems: [String] = []
        let lows = lows { $0.residentBytes }
        let grown = residentSlope() * ((samples.last?.time ?? 0) - settled[settled.startIndex].time)
        if grown > max(Double(Self.slack), lows[0] * Self.growth) {
            problems.append("memory grew by \(megabytes(Int(grown))) from \(megabytes(Int(lows[0])))")
        }
        for (name, values, slack) in [
            ("threads", self.lows { $0.threads }, 4.0), ("file descriptors", self.lows { $0.descriptors }, 8.0),
        ] where (values.last ?? 0) > values[0] + slack {
            problems.append("\(name) grew from \(Int(values[0])) to \(Int(values.last ?? 0))")
        }
        let disk = samples.map { Double($0.folderBytes) }
        let (early, late) = (disk.prefix(disk.count / 2).max() ?? 0, disk.suffix(disk.count / 2).max() ?? 0)
        // What a segment has in it when the early half ends short of a snapshot.
        if late > 1.5 * early + 256_000_000 {
            problems.append("the folder grew from \(megabytes(Int(early))) to \(megabytes(Int(late)))")
        }
        let p50 = thirds(latencies.map(\.p50))
        if (samples.last?.time ?? 0) >= Self.judgesLatency, p50.last > 2 * p50.first + 1 {
            problems.append(
                "the latency of quiet seconds grew from \(rounded(p50.first)) ms to \(rounded(p50.last)) ms")
        }
        return problems
    }

    /// The samples after the warm-up.
    private var settled: ArraySlice<SoakSample> { samples.dropFirst(samples.count / 2) }

    /// The lowest value of each window: what comes and goes with snapshots and subscribers is not in it.
    private func lows(_ value: (SoakSample) -> Int) -> [Double] {
        let settled = Array(settled)
        return (0..<Self.windows).compactMap { window in
            let range = settled.count * window / Self.windows..<settled.count * (window + 1) / Self.windows
            return settled[range].map(value).min().map(Double.init)
        }
    }

    /// Bytes a second: the line through the lows that is nearest to them.
    private func residentSlope() -> Double {
        let lows = lows { $0.residentBytes }
        guard lows.count == Self.windows, let first = settled.first, let last = settled.last else { return 0 }
        let middle = Double(lows.count - 1) / 2
        let mean = lows.reduce(0, +) / Double(lows.count)
        var products = 0.0
        var squares = 0.0
        for (index, low) in lows.enumerated() {
            products += (Double(index) - middle) * (low - mean)
            squares += (Double(index) - middle) * (Double(index) - middle)
        }
        return products / squares * Double(lows.count) / max(1, last.time - first.time)
    }

    /// Of the first and the last third, after a fifth that warms up, what a tenth of their seconds stay below: the
    /// machine may have been busy with something else in many of them, and a broker that gets slower does so in all.
    private func thirds(_ values: [Double]) -> (first: Double, last: Double) {
        let settled = values.dropFirst(values.count / 5)
        guard settled.count >= 3 else { return (0, 0) }
        func low(_ values: ArraySlice<Double>) -> Double { values.sorted()[values.count / 10] }
        return (low(settled.prefix(settled.count / 3)), low(settled.suffix(settled.count / 3)))
    }

    private func megabytes(_ bytes: Int) -> String { "\(rounded(Double(bytes) / 1_048_576)) MiB" }

    private func rounded(_ value: Double) -> Double { (value * 10).rounded() / 10 }
}
