import PopupValues

// The statistics of a broker as metrics.
extension PrometheusText {
    /// The metric that says that the broker does not answer.
    public static var unreachable: String {
        var text = PrometheusText()
        text.add("popup_broker_up", .gauge, "Whether the broker answers.", 0)
        return text.text
    }

    /// Creates the metrics of a broker.
    ///
    /// - Parameters:
    ///   - stats: The answer of the broker.
    ///   - now: The time of the answer, in seconds since 1970.
    public init(_ stats: BrokerStatistics, at now: Double) {
        self.init()
        add("popup_broker_up", .gauge, "Whether the broker answers.", 1)
        add(
            "popup_broker_info", .gauge, "The broker's version, always 1.", 1,
            labels: [("version", stats.version), ("protocol", "\(stats.protocol)")])
        let start = now - Double(stats.uptimeMs) / 1000
        add(
            "popup_broker_start_time_seconds", .gauge, "When the broker started, since 1970-01-01T00:00:00Z.",
            UInt64(max(0, start.rounded())))
        addTables(of: stats)
        addCounters(of: stats)
        addDurations(of: stats)
        addJournal(of: stats)
    }

    private mutating func addTables(of stats: BrokerStatistics) {
        add("popup_broker_groups", .gauge, "Known groups.", stats.groups)
        add("popup_broker_popups", .gauge, "Live popups.", stats.popups)
        add("popup_broker_waiting_popups", .gauge, "Live popups that wait.", stats.waiting)
        add("popup_broker_paused_popups", .gauge, "Live popups that were interrupted.", stats.paused)
        add("popup_broker_remembered_ids", .gauge, "Ids of closed popups that are remembered.", stats.remembered)
        add("popup_broker_producers", .gauge, "Producers whose sequences are remembered.", stats.producers)
        add("popup_broker_renderers", .gauge, "Renderers with a lease.", stats.renderers)
        add("popup_broker_subscriptions", .gauge, "Subscriptions to topics, of all connections.", stats.subscriptions)
        let limits = stats.limits
        add(
            "popup_broker_limit_used", .gauge,
            "What is used of each limit, by its name in the configuration: live popups of limits.popups, groups of "
                + "limits.groups, and so on; bytes of limits.memoryBytes.",
            limits.map { ("limit", $0.limit, $0.used) })
        add(
            "popup_broker_limit_most", .gauge, "The value of each limit, in the unit of popup_broker_limit_used.",
            limits.map { ("limit", $0.limit, $0.most) })
    }

    private mutating func addCounters(of stats: BrokerStatistics) {
        add(
            "popup_broker_commands_total", .counter, "Commands committed, by kind.",
            stats.commandsByKind.map { ("kind", $0.kind, $0.count) })
        add(
            "popup_broker_refused_total", .counter, "Commands and frames refused, by reason.",
            stats.refusedByReason.map { ("reason", $0.reason.name, $0.count) })
        add(
            "popup_broker_events_total", .counter, "Events, by kind.",
            stats.eventsByKind.map { ("kind", $0.kind, $0.count) })
        add(
            "popup_broker_closed_total", .counter, "Closed popups, by reason.",
            stats.closed.map { ("reason", $0.reason.name, $0.count) })
        add("popup_broker_commits_total", .counter, "Batches committed.", stats.batches)
        add("popup_broker_repetitions_total", .counter, "Commands received again under a sequence.", stats.repetitions)
        add("popup_broker_conflicts_total", .counter, "Other commands under a used sequence.", stats.sequencesReused)
        add("popup_broker_connections_cut_total", .counter, "Connections closed by the broker.", stats.connectionsCut)
        add(
            "popup_broker_slow_subscribers_total", .counter,
            "Connections closed because memory was exhausted and the client did not read.",
            stats.slowSubscribers)
        add("popup_broker_late_reports_total", .counter, "Reports about popups no longer shown.", stats.lateReports)
        add(
            "popup_broker_denials_total", .counter, "Commands and subscriptions without the right.",
            stats.denied.map(\.count).saturatedSum)
        add("popup_broker_long_turns_total", .counter, "Turns of the loop above 20 ms.", stats.turns.long)
    }

    private mutating func addDurations(of stats: BrokerStatistics) {
        add("popup_broker_commit_duration_seconds", "How long commits took.", stats.commitTimes)
        add("popup_broker_wait_seconds", "From the arrival of popups to their first showing.", stats.waitingTimes)
        add("popup_broker_timer_lateness_seconds", "How late due timers were handled.", stats.timerLateness)
        let turns = stats.turns
        // An older broker sends only their number.
        guard !turns.buckets.isEmpty else { return }
        add(
            "popup_broker_turn_duration_seconds", "How long turns of the loop took.", turns.buckets, sumUs: turns.sumUs,
            count: turns.count)
    }

    private mutating func addJournal(of stats: BrokerStatistics) {
        if let bytes = stats.journalBytes {
            add("popup_broker_journal_bytes", .gauge, "Size of the journal's files.", bytes)
        }
        add("popup_broker_snapshots_total", .counter, "Snapshots made.", stats.snapshots)
        if let time = stats.lastSnapshotAt {
            add(
                "popup_broker_last_snapshot_timestamp_seconds", .gauge,
                "When the last snapshot was begun, since 1970-01-01T00:00:00Z.", time / 1000)
        }
        add("popup_broker_journal_findings", .gauge, "Damage found in the journal at the start.", stats.journalFindings)
    }

    private mutating func add(_ name: String, _ help: String, _ histogram: BrokerStatistics.Histogram) {
        add(name, help, histogram.buckets, sumUs: histogram.sumUs, count: histogram.count)
    }

    private mutating func add(
        _ name: String, _ help: String, _ buckets: [BrokerStatistics.HistogramBucket], sumUs: UInt64, count: UInt64
    ) {
        addHead(name, .histogram, help)
        addDistribution(
            name,
            buckets: buckets.compactMap { bucket in bucket.upToUs.map { (Double($0) / 1_000_000, bucket.count) } },
            sum: Double(sumUs) / 1_000_000, count: count)
    }
}
