import PopupProtocol

/// The decisions of a stream of states about `sync`: when to ask the broker, and what an answer means.
///
///     opened, reconnected, new epoch, no heartbeat ─────┐
///     a heartbeat reports a newer version of a group ───┴──▶ pending ──(one at a time)──▶ requested ──▶ complete: done
///                                                               ▲                             │
///                                                               └── timeout, or parts missing ┘
///
/// Pure: it returns the topics to subscribe to, and receives the messages.
struct StateSync {
    typealias Instant = ContinuousClock.Instant

    /// A complete answer.
    struct Answer {
        let target: SyncTarget
        let epoch: UInt64
        let mentioned: Set<String>
        /// The value of `VersionTracker.order` at the time of the request; later states are newer.
        let order: UInt64
        /// The versions of groups that a heartbeat had reported before.
        let behind: [String: StateVersion]
    }

    /// The timeout for an answer, initially and after repeated timeouts.
    static let maxTimeout: Duration = .seconds(30)
    /// The longest silence without a `sync`: the heartbeat comes each second, and reports the changes of the last ten
    /// seconds.
    static let longestSilence: Duration = .seconds(5)
    /// The maximum number of groups that are requested individually. With more, all groups are requested.
    static let maxBehind = 1024

    /// The maximum number of names and patterns that are requested at once. Others follow after the answers.
    static let maxTargets = 256

    private struct PendingSync {
        var due: Instant
        /// Whether it is only for groups that were behind at the time of the request.
        var isForBehind: Bool
    }

    private struct Part {
        let target: SyncTarget
        var mentioned: Set<String> = []
    }

    private struct Request {
        var open: [String: Part]
        let order: UInt64
        let behind: [String: StateVersion]
        var deadline: Instant
    }

    private let client: String
    private let stream: UInt64
    /// The subjects of its questions; none when it is finished.
    private var targets: [SyncTarget]
    private var asked = 0
    private var pending: [SyncTarget: PendingSync] = [:]
    private var behind: [String: StateVersion] = [:]
    private var request: Request?
    /// The finished topics that are not cancelled yet, with the time.
    private var ended: [String] = []
    private var endedAt: Instant?
    private let initialTimeout: Duration
    private var timeout: Duration
    private(set) var epoch: UInt64 = 0
    private var heard: Instant?

    /// Creates the decisions of a stream.
    ///
    /// - Parameters:
    ///   - client: The name of the connection at the broker. Its first half is unique enough, and leaves room for the longest
    ///     group, because the length of a subscription is limited.
    ///   - stream: The number of the stream within the connection.
    ///   - timeout: The first timeout for an answer.
    init(
        client: String, stream: UInt64, patterns: [GroupPattern], timeout: Duration = ClientLimits().syncTimeout,
        at now: Instant
    ) {
        initialTimeout = timeout
        self.timeout = timeout
        self.client = String(client.prefix(16))
        self.stream = stream
        var targets: [SyncTarget] = []
        for pattern in patterns where !targets.contains(SyncTarget(pattern)) { targets.append(SyncTarget(pattern)) }
        self.targets = targets
        requestAll(at: now)
    }

    // MARK: Input

    /// Records a reconnection.
    mutating func reconnected(at due: Instant) {
        requestAll(at: due)
        // ZeroMQ asks the open questions again.
        request?.deadline = due + timeout
    }

    /// Cancels everything, and asks nothing more.
    mutating func finish(at now: Instant) {
        ended = topics
        endedAt = ended.isEmpty ? nil : now
        request = nil
        pending = [:]
        targets = []
    }

    /// Records a state of an epoch.
    ///
    /// - Parameter due: The time of the next `sync` if the epoch is new.
    mutating func recordEpoch(_ epoch: UInt64, at due: @autoclosure () -> Instant) {
        guard epoch > self.epoch else { return }
        // The first epoch is not a change.
        if self.epoch > 0 { requestAll(at: due()) }
        self.epoch = epoch
    }

    /// Records a heartbeat.
    ///
    /// - Parameters:
    ///   - isFollowed: Whether the stream follows a group.
    ///   - jitter: The delay before a `sync`, so that not all clients ask at once.
    mutating func heartbeat(
        _ heartbeat: WireHeartbeat, _ versions: VersionTracker, at now: Instant, jitter: @autoclosure () -> Duration,
        isFollowed: (String) -> Bool
    ) {
        // One delay for all groups: their questions are one request.
        lazy var due = now + jitter()
        recordEpoch(heartbeat.epoch, at: due)
        if let heard, now - heard >= Self.longestSilence { requestAll(at: due) }
        heard = now
        guard heartbeat.epoch == epoch else { return }
        for changed in heartbeat.groups where isFollowed(changed.group) {
            let version = StateVersion(epoch: heartbeat.epoch, revision: changed.revision)
            guard versions.isBehind(changed.group, version) else { continue }
            guard behind.count < Self.maxBehind || behind[changed.group] != nil else {
                requestAll(at: due)
                continue
            }
            behind[changed.group] = version
            for target in targets where target.covers(changed.group) && pending[target] == nil {
                pending[target] = PendingSync(due: due, isForBehind: true)
            }
        }
    }

    /// Records a part of an answer.
    ///
    /// - Returns: The answer if it is complete.
    mutating func receive(_ sync: WireSync, on topic: String, at now: Instant) -> Answer? {
        guard var part = request?.open[topic] else { return nil }
        part.mentioned.formUnion(sync.states.map(\.group))
        request?.open[topic] = part
        request?.deadline = now + timeout
        guard sync.hasEnd else { return nil }
        request?.open[topic] = nil
        ended.append(topic)
        endedAt = endedAt ?? now
        guard let request, UInt64(part.mentioned.count) >= sync.end.states else {
            pending[part.target] = PendingSync(due: now + lengthenTimeout(), isForBehind: false)
            return nil
        }
        timeout = initialTimeout
        for group in request.behind.keys where part.target.covers(group) {
            if behind[group] == request.behind[group] { behind[group] = nil }
        }
        recordAnswer(of: part.target, epoch: sync.end.epoch, at: now)
        return Answer(
            target: part.target, epoch: sync.end.epoch, mentioned: part.mentioned, order: request.order,
            behind: request.behind.filter { part.target.covers($0.key) })
    }

    /// Records that a broker of this epoch answers, also for the targets that are asked for now.
    private mutating func recordAnswer(of target: SyncTarget, epoch: UInt64, at now: Instant) {
        guard epoch > self.epoch else { return }
        let unchanged = pending
        recordEpoch(epoch, at: now)
        for target in [target] + (request?.open.values.map(\.target) ?? []) { pending[target] = unchanged[target] }
    }

    private mutating func requestAll(at due: Instant) {
        for target in targets {
            let earlier = pending[target].map(\.due) ?? due
            pending[target] = PendingSync(due: min(due, earlier), isForBehind: false)
        }
    }

    private mutating func lengthenTimeout() -> Duration {
        defer { timeout = min(timeout * 2, max(initialTimeout, Self.maxTimeout)) }
        return timeout
    }

    // MARK: Output

    /// The time at which to call `changes`; `nil`: after the next event.
    var deadline: Instant? {
        if let endedAt { return endedAt }
        if let request, !request.open.isEmpty { return request.deadline }
        return pending.values.lazy.map(\.due).min()
    }

    /// Whether no complete answer for a name or pattern is outstanding.
    var isAnswered: Bool {
        (request?.open.isEmpty ?? true) && !pending.values.contains { !$0.isForBehind }
    }

    /// Whether an outstanding answer has not come in time.
    func isOverdue(at now: Instant) -> Bool {
        guard let request else { return false }
        return !request.open.isEmpty && request.deadline <= now
    }

    /// The topics of outstanding answers.
    var topics: [String] { ended + (request?.open.keys.sorted() ?? []) }

    /// Returns the topics to subscribe to and to cancel now.
    ///
    /// - Parameter mayAsk: Whether there may be a further `sync`. If not, those that are due stay pending.
    mutating func changes(
        _ versions: VersionTracker, at now: Instant, mayAsk: Bool = true
    ) -> [SubscriptionChange] {
        var changes = ended.map { SubscriptionChange.unsubscribe($0) }
        ended.removeAll()
        endedAt = nil
        if let request, !request.open.isEmpty {
            guard request.deadline <= now else { return changes }
            _ = lengthenTimeout()
            for (topic, part) in request.open.sorted(by: { $0.key < $1.key }) {
                changes.append(.unsubscribe(topic))
                pending[part.target] = PendingSync(due: now, isForBehind: false)
            }
        }
        request = nil
        return mayAsk ? changes + ask(versions, at: now) : changes
    }

    private mutating func ask(_ versions: VersionTracker, at now: Instant) -> [SubscriptionChange] {
        behind = behind.filter { versions.isBehind($0.key, $0.value) }
        var due: [SyncTarget] = []
        for target in targets where due.count < Self.maxTargets {
            guard let sync = pending[target], sync.due <= now else { continue }
            pending[target] = nil
            if !sync.isForBehind || behind.keys.contains(where: { target.covers($0) }) { due.append(target) }
        }
        guard !due.isEmpty else { return [] }
        asked += 1
        var open: [String: Part] = [:]
        for target in due { open[topic(of: target)] = Part(target: target) }
        request = Request(open: open, order: versions.order, behind: behind, deadline: now + timeout)
        return open.keys.sorted().map { .subscribe($0) }
    }

    private func topic(of target: SyncTarget) -> String {
        "\(Channel.sync.prefix)\(client)/\(stream)-\(asked)/\(target.group?.text ?? "*")/"
    }
}
