import PopupProtocol

/// The presence of a renderer at the broker: the groups that it follows, and what it shows.
///
///     follow ──▶ a lease at once ──▶ one each interval ──▶ all streams ended: a lease of no groups
///     deliver  ──▶ `displayed`, `visible` ──▶ isVisible = false: `hidden` ──▶ isVisible = true: `visible`
///
/// After a lost connection, all displayed popups are reported again, because the broker may have ended the lease.
struct Presence {
    /// A displayed popup. After a further showing or an update it counts as another one.
    private struct Showing: Equatable {
        var epoch: UInt64
        var popup: String
        var revision: UInt64
    }

    private struct Stream {
        var groups: [String]
        /// The displayed popups by group; `nil` if the application reports itself.
        var showings: [String: Showing]?
    }

    /// The next commands to send.
    struct Dispatch: Equatable {
        var lease: WireLease?
        var reports: [WireReport] = []

        var commands: [WireCommand.OneOf_Command] {
            var commands: [WireCommand.OneOf_Command] = []
            if let lease { commands.append(.lease(lease)) }
            for report in reports { commands.append(.report(report)) }
            return commands
        }
    }

    /// The duration of a lease, by the protocol.
    private static let leaseDuration: Duration = .seconds(5)
    /// The time that a lease may need to arrive.
    private static let leaseMargin: Duration = .seconds(1)
    /// The maximum number of reports in one frame.
    private static let reportsPerFrame = 128

    private let client: String
    private var streams: [UInt64: Stream] = [:]
    /// The time when the last lease was sent; `nil`: the broker has none.
    private var leased: ContinuousClock.Instant?
    /// Whether the groups have changed since the last lease.
    private var isOutdated = false
    private var reports: [WireReport] = []

    /// Whether the user can see the renderer.
    private(set) var isVisible = true

    init(client: String) {
        self.client = client
    }

    /// Whether nothing remains to be sent, now or later.
    var isOver: Bool { streams.isEmpty && leased == nil && isVisible }

    // MARK: Input

    /// Adds a stream.
    ///
    /// - Parameter limit: The maximum number of groups and patterns of a lease.
    /// - Throws: `tooManyLeasedGroups`; then nothing has changed.
    mutating func follow(
        _ groups: [String], in stream: UInt64, reports isReporting: Bool, limit: Int
    ) throws(ClientError) {
        streams[stream] = Stream(groups: groups, showings: isReporting ? [:] : nil)
        guard lease.groups.count <= limit else {
            streams[stream] = nil
            throw .tooManyLeasedGroups(limit: limit)
        }
        isOutdated = true
    }

    mutating func leave(_ stream: UInt64) {
        guard streams.removeValue(forKey: stream) != nil else { return }
        isOutdated = true
    }

    /// Records that the application has received this state.
    mutating func deliver(_ groupState: GroupState, in stream: UInt64) {
        guard streams[stream]?.showings != nil else { return }
        guard let popup = groupState.popup else {
            streams[stream]?.showings?[groupState.group] = nil
            return
        }
        let showing = Showing(epoch: groupState.state.epoch, popup: popup.id, revision: popup.sinceRevision)
        guard streams[stream]?.showings?.updateValue(showing, forKey: groupState.group) != showing else { return }
        if leased != nil { report(showing) }
    }

    mutating func setVisible(_ isVisible: Bool) {
        guard isVisible != self.isVisible else { return }
        self.isVisible = isVisible
        guard leased != nil else { return }
        for showing in showings { reports.append(report(isVisible ? .visible(.init()) : .hidden(.init()), showing)) }
    }

    /// Records the loss of the connection: the broker may have lost the presence.
    mutating func disconnect() {
        leased = nil
        reports.removeAll()
    }

    // MARK: Output

    /// Returns the time at which something is to be sent; `nil`: never.
    func deadline(every interval: Duration) -> ContinuousClock.Instant? {
        guard !streams.isEmpty else { return leased == nil ? nil : .now }
        guard let leased, !isOutdated, reports.isEmpty else { return .now }
        return leased + interval
    }

    /// Returns what is to be sent now. Call `sent` afterwards.
    func dispatch(every interval: Duration, at now: ContinuousClock.Instant) -> Dispatch? {
        if streams.isEmpty { return leased == nil ? nil : Dispatch(lease: lease) }
        let isDue = isOutdated || leased.map { $0.duration(to: now) >= interval } ?? true
        let dispatch = Dispatch(
            lease: isDue ? lease : nil, reports: Array(reports.prefix(Self.reportsPerFrame)))
        return dispatch == Dispatch() ? nil : dispatch
    }

    mutating func sent(_ dispatch: Dispatch, at now: ContinuousClock.Instant) {
        reports.removeFirst(dispatch.reports.count)
        guard let lease = dispatch.lease else { return }
        let wasHeld = leased.map { $0.duration(to: now) < Self.leaseDuration - Self.leaseMargin } ?? false
        isOutdated = false
        leased = lease.groups.isEmpty ? nil : now
        if wasHeld, leased != nil { return }
        reports.removeAll()
        for showing in showings { report(showing) }
    }

    /// The lease that a closing connection sends; `nil` if the broker does not know the renderer.
    var finalLease: WireLease? {
        guard leased != nil else { return nil }
        var lease = WireLease()
        lease.client = client
        return lease
    }

    private var lease: WireLease {
        var lease = WireLease()
        lease.client = client
        lease.groups = Set(streams.values.flatMap(\.groups)).sorted()
        return lease
    }

    private var showings: [Showing] {
        streams.sorted { $0.key < $1.key }.flatMap { stream in
            (stream.value.showings ?? [:]).sorted { $0.key < $1.key }.map(\.value)
        }
    }

    private mutating func report(_ showing: Showing) {
        reports.append(report(.displayed(.init()), showing))
        if isVisible { reports.append(report(.visible(.init()), showing)) }
    }

    private func report(_ kind: WireReport.OneOf_Report, _ showing: Showing) -> WireReport {
        var report = WireReport()
        report.id = showing.popup
        report.client = client
        report.report = kind
        return report
    }
}
