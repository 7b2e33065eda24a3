import PopupProtocol
import PopupScheduling
import SwiftProtobuf

// The durations of turns, and the answer to `stats`.
extension BrokerLoop {
    /// Records the duration of a turn in µs.
    mutating func recordTurn(microseconds: UInt64) { telemetry.recordTurn(microseconds: microseconds) }

    /// Returns the current statistics.
    func currentStats() -> WireStatsResult {
        var result = WireStatsResult()
        result.epoch = epoch
        result.protocol = ProtocolVersion.current
        result.uptimeMs = UInt64(clamping: time.uptime)
        telemetry.fill(&result, waitingTimes: state.scheduler.waitingTimes)
        result.repetitions = acknowledgements.repetitions
        result.sequencesReused = acknowledgements.sequencesReused
        result.denied = access.denials.listed
        addTables(to: &result)
        addLimits(to: &result)
        addJournal(to: &result)
        return result
    }

    private func addTables(to stats: inout WireStatsResult) {
        stats.groups = UInt64(state.scheduler.groupCount)
        stats.popups = UInt64(state.scheduler.popupCount)
        stats.waiting = UInt64(clamping: state.scheduler.waitingCount)
        stats.paused = UInt64(clamping: state.scheduler.pausedCount)
        stats.renderers = UInt64(state.scheduler.rendererCount)
        stats.remembered = UInt64(state.scheduler.rememberedCount)
        stats.rememberedWindowMs = UInt64(state.scheduler.rememberedWindow(at: now))
        stats.subscriptions = UInt64(clamping: publisher.subscriptions)
        stats.producers = UInt64(state.producers.count)
    }

    private func addLimits(to stats: inout WireStatsResult) {
        let limits = telemetry.limits
        for name in Limits.Name.allCases where name != .maxIDs { add(name, to: &stats) }
        stats.add("limits.subscriptions", publisher.subscriptions, limits.subscriptions)
        stats.add("limits.subscriptionBytes", publisher.subscriptionBytes, limits.subscriptionBytes)
        stats.add("limits.pendingCalls", calls.countOfTurn, limits.pendingCalls)
        stats.add("limits.activeSyncs", publisher.activeSyncs, limits.activeSyncs)
        stats.add("limits.queuedSyncs", publisher.queuedSyncs, limits.queuedSyncs)
        if let use = transport.connectionUse { stats.add("limits.connections", use.used, use.most) }
        if let use = transport.memoryUse { stats.add("limits.memoryBytes", use.used, use.most) }
        add(.maxIDs, to: &stats)
        stats.add("deduplication.maxProducers", state.producers.count, limits.maxProducers)
    }

    private func add(_ name: Limits.Name, to stats: inout WireStatsResult) {
        if let use = state.scheduler.use(of: name) { stats.add(name.configurationKey, use.used, use.most) }
    }

    private func addJournal(to stats: inout WireStatsResult) {
        stats.batches = pipeline.batches
        stats.commitTimes = WireHistogram(pipeline.commitTimes, microseconds: 1)
        if let bytes = pipeline.storedBytes(at: time.clock) { stats.journalBytes = UInt64(clamping: bytes) }
        let snapshots = pipeline.snapshots
        stats.snapshots = snapshots.made
        if let began = snapshots.lastBegan {
            stats.lastSnapshotAt = UInt64(clamping: began + state.scheduler.wallClockLead)
        }
    }
}

extension WireStatsResult {
    fileprivate mutating func add(_ limit: String, _ used: Int, _ most: Int) {
        limits.append(
            .with {
                $0.limit = limit
                $0.used = UInt64(clamping: used)
                $0.most = UInt64(clamping: most)
            })
    }
}

extension WireHistogram {
    /// Creates the statistics of a histogram whose unit is this number of microseconds. A sum that exceeds the field
    /// becomes the maximum of the field.
    init(_ histogram: Histogram, microseconds unit: UInt64) {
        self.init()
        count = histogram.count
        let (sum, isTooMuch) = histogram.sum.multipliedReportingOverflow(by: unit)
        sumUs = isTooMuch ? .max : sum
        buckets = (0..<Histogram.bucketCount).map { bucket in
            .with {
                if let bound = Histogram.bound(ofBucket: bucket) { $0.upToUs = UInt64(bound) * unit }
                $0.count = histogram[bucket]
            }
        }
    }
}

extension WireTurnTimes {
    /// Creates the statistics of turn times.
    init(_ times: TurnTimes) {
        self.init()
        count = times.count
        medianUs = times.quantile(perMille: 500)
        p99Us = times.quantile(perMille: 990)
        longestUs = times.maximum
        long = times.longCount
        let histogram = WireHistogram(times.histogram, microseconds: 1)
        buckets = histogram.buckets
        sumUs = histogram.sumUs
    }
}
