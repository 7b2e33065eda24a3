import PopupProtocol

/// One renderer as the broker is to know it: the groups it follows, and what it has put before the person.
///
///     follow ──▶ a lease at once ──▶ one each interval ──▶ all streams ended: a lease of no groups
///     deliver  ──▶ `displayed`, `visible` ──▶ isVisible = false: `hidden` ──▶ isVisible = true: `visible`
///
/// A broker that may have given the renderer up, as after a lost connection, is told again all that is on screen.
struct Presence {
    /// A popup on screen: shown or updated again it is another one.
    private struct Showing: Equatable {
        var epoch: UInt64
        var popup: String
        var revision: UInt64
    }

    private struct Stream {
        var groups: [String]
        /// Nil: the application reports itself.
        var showings: [String: Showing]?
    }

    /// What goes out next.
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

    /// The protocol's: a renderer that is silent for so long is gone.
    private static let leaseDuration: Duration = .seconds(5)
    /// On its way a lease may lose so much of that.
    private static let leaseMargin: Duration = .seconds(1)
    /// Reports in one frame.
    private static let reportsPerFrame = 128

    private let client: String
    private var streams: [UInt64: Stream] = [:]
    /// When the last lease left; nil: the broker holds none.
    private var leased: ContinuousClock.Instant?
    /// The lease that left last no longer says what is followed.
    private var isOutdated = false
    private var reports: [WireReport] = []

    /// The person can see what is on screen.
    private(set) var isVisible = true

    init(client: String) {
        self.client = client
    }

    /// There is nothing to be told, now or later.
    var isOver: Bool { streams.isEmpty && leased == nil && isVisible }

    // MARK: What happens

    /// - Parameter limit: groups and patterns of a lease.
    /// - Throws: `tooManyLeasedGroups`, having changed nothing.
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

    /// The application has this screen now.
    mutating func deliver(_ screen: GroupState, in stream: UInt64) {
        guard streams[stream]?.showings != nil else { return }
        guard let popup = screen.popup else {
            streams[stream]?.showings?[screen.group] = nil
            return
        }
        let showing = Showing(epoch: screen.state.epoch, popup: popup.id, revision: popup.sinceRevision)
        guard streams[stream]?.showings?.updateValue(showing, forKey: screen.group) != showing else { return }
        if leased != nil { report(showing) }
    }

    mutating func setVisible(_ isVisible: Bool) {
        guard isVisible != self.isVisible else { return }
        self.isVisible = isVisible
        guard leased != nil else { return }
        for showing in showings { reports.append(report(isVisible ? .visible(.init()) : .hidden(.init()), showing)) }
    }

    /// The broker can't be reached: what it holds is not known.
    mutating func disconnect() {
        leased = nil
        reports.removeAll()
    }

    // MARK: What is to be told

    /// When there is something to be told; nil: never.
    func deadline(every interval: Duration) -> ContinuousClock.Instant? {
        guard !streams.isEmpty else { return leased == nil ? nil : .now }
        guard let leased, !isOutdated, reports.isEmpty else { return .now }
        return leased + interval
    }

    /// What is to be told now. `sent` makes it so.
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

    /// The last word of a connection that closes; nil: the broker does not know the renderer.
    var farewell: WireLease? {
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
