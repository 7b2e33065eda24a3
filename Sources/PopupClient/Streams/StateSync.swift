import PopupProtocol

/// When a stream of screens asks the broker for what its groups show now, and what it learns from the answer.
///
///     opened, connected again, another epoch, no heartbeat ──┐
///     `heartbeat` tells more than was seen of a group ───────────┴──▶ wished ──(one at a time)──▶ asked ──▶ the end came: done
///                                                                   ▲                           │
///                                                                   └── none in time, or not all of it
///
/// Pure: it says what to subscribe to and is told what came.
struct StateSync {
    typealias Instant = ContinuousClock.Instant

    /// What an answer that came to its end has told.
    struct Answer {
        let target: SyncTarget
        let epoch: UInt64
        let mentioned: Set<String>
        /// `VersionTracker.order` when it was asked for: what was accepted later is newer.
        let order: UInt64
        /// What `heartbeat` had told before of groups that were behind.
        let behind: [String: StateVersion]
    }

    /// Until an answer is given up, at first, and after many that did not come.
    static let longestPatience: Duration = .seconds(30)
    /// The broker's heartbeat comes each second and tells what changed in the last ten: with a longer silence something
    /// may have been missed that it does not tell any more.
    static let longestSilence: Duration = .seconds(5)
    /// Groups noted as behind; with more, all is asked for.
    static let mostBehind = 1024

    private struct Wish {
        var due: Instant
        /// It is only for groups that were behind when it was made.
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
    private let targets: [SyncTarget]
    private var asked = 0
    private var wishes: [SyncTarget: Wish] = [:]
    private var behind: [String: StateVersion] = [:]
    private var request: Request?
    /// Topics that are over and not withdrawn yet, and since when.
    private var ended: [String] = []
    private var endedAt: Instant?
    private let shortestPatience: Duration
    private var patience: Duration
    private var epoch: UInt64 = 0
    private var heard: Instant?

    /// - Parameters:
    ///   - client: names the connection to the broker. Its first half is as unlike any other's, and leaves room for the
    ///     longest group: ZeroMQ does not carry every length of subscription.
    ///   - stream: tells the streams of the connection apart.
    ///   - patience: how long an answer is waited for the first time.
    init(
        client: String, stream: UInt64, patterns: [GroupPattern], patience: Duration = .seconds(1), at now: Instant
    ) {
        shortestPatience = patience
        self.patience = patience
        self.client = String(client.prefix(16))
        self.stream = stream
        var targets: [SyncTarget] = []
        for pattern in patterns where !targets.contains(SyncTarget(pattern)) { targets.append(SyncTarget(pattern)) }
        self.targets = targets
        wishForAll(at: now)
    }

    // MARK: What happens

    /// The broker is there again.
    mutating func reconnected(at due: Instant) {
        wishForAll(at: due)
    }

    /// A state of this epoch has come.
    ///
    /// - Parameter due: when to ask, if that is news.
    mutating func noteEpoch(_ epoch: UInt64, at due: Instant) {
        guard epoch > self.epoch else { return }
        // The first one is no change.
        if self.epoch > 0 { wishForAll(at: due) }
        self.epoch = epoch
    }

    /// The broker's heartbeat.
    ///
    /// - Parameters:
    ///   - isFollowed: whether the stream follows a group.
    ///   - jitter: how long to wait before asking, so that not all that missed something ask at once.
    mutating func heartbeat(
        _ heartbeat: WireHeartbeat, _ versions: VersionTracker, at now: Instant, jitter: Duration,
        isFollowed: (String) -> Bool
    ) {
        noteEpoch(heartbeat.epoch, at: now + jitter)
        if let heard, now - heard >= Self.longestSilence { wishForAll(at: now + jitter) }
        heard = now
        guard heartbeat.epoch == epoch else { return }
        for changed in heartbeat.groups where isFollowed(changed.group) {
            let version = StateVersion(epoch: heartbeat.epoch, revision: changed.revision)
            guard versions.isBehind(changed.group, version) else { continue }
            guard behind.count < Self.mostBehind || behind[changed.group] != nil else {
                wishForAll(at: now + jitter)
                continue
            }
            behind[changed.group] = version
            for target in targets where target.covers(changed.group) && wishes[target] == nil {
                wishes[target] = Wish(due: now + jitter, isForBehind: true)
            }
        }
    }

    /// A part of an answer.
    ///
    /// - Returns: the answer, when this was its end and nothing of it is missing.
    mutating func receive(_ sync: WireSync, on topic: String, at now: Instant) -> Answer? {
        guard var part = request?.open[topic] else { return nil }
        part.mentioned.formUnion(sync.states.map(\.group))
        request?.open[topic] = part
        request?.deadline = now + patience
        guard sync.hasEnd else { return nil }
        request?.open[topic] = nil
        ended.append(topic)
        endedAt = endedAt ?? now
        guard let request, UInt64(part.mentioned.count) >= sync.end.states else {
            wishes[part.target] = Wish(due: now + lengthenPatience(), isForBehind: false)
            return nil
        }
        patience = shortestPatience
        for group in request.behind.keys where part.target.covers(group) {
            if behind[group] == request.behind[group] { behind[group] = nil }
        }
        noteAnswer(of: part.target, epoch: sync.end.epoch, at: now)
        return Answer(
            target: part.target, epoch: sync.end.epoch, mentioned: part.mentioned, order: request.order,
            behind: request.behind.filter { part.target.covers($0.key) })
    }

    /// This target is answered by a broker of that epoch, and those that are asked for now will be.
    private mutating func noteAnswer(of target: SyncTarget, epoch: UInt64, at now: Instant) {
        guard epoch > self.epoch else { return }
        let wished = wishes
        noteEpoch(epoch, at: now)
        for target in [target] + (request?.open.values.map(\.target) ?? []) { wishes[target] = wished[target] }
    }

    private mutating func wishForAll(at due: Instant) {
        for target in targets {
            let earlier = wishes[target].map(\.due) ?? due
            wishes[target] = Wish(due: min(due, earlier), isForBehind: false)
        }
    }

    private mutating func lengthenPatience() -> Duration {
        defer { patience = min(patience * 2, max(shortestPatience, Self.longestPatience)) }
        return patience
    }

    // MARK: What to do

    /// When `changes` has something to say; nil: when something has happened.
    var deadline: Instant? {
        if let endedAt { return endedAt }
        if let request, !request.open.isEmpty { return request.deadline }
        return wishes.values.lazy.map(\.due).min()
    }

    /// The topics of answers that are awaited.
    var topics: [String] { ended + (request?.open.keys.sorted() ?? []) }

    /// What to subscribe to and what not any more, now.
    mutating func changes(_ versions: VersionTracker, at now: Instant) -> [SubscriptionChange] {
        var changes = ended.map { SubscriptionChange.unsubscribe($0) }
        ended.removeAll()
        endedAt = nil
        if let request, !request.open.isEmpty {
            guard request.deadline <= now else { return changes }
            _ = lengthenPatience()
            for (topic, part) in request.open.sorted(by: { $0.key < $1.key }) {
                changes.append(.unsubscribe(topic))
                wishes[part.target] = Wish(due: now, isForBehind: false)
            }
        }
        request = nil
        return changes + ask(versions, at: now)
    }

    private mutating func ask(_ versions: VersionTracker, at now: Instant) -> [SubscriptionChange] {
        behind = behind.filter { versions.isBehind($0.key, $0.value) }
        var due: [SyncTarget] = []
        for target in targets {
            guard let wish = wishes[target], wish.due <= now else { continue }
            wishes[target] = nil
            if !wish.isForBehind || behind.keys.contains(where: { target.covers($0) }) { due.append(target) }
        }
        guard !due.isEmpty else { return [] }
        asked += 1
        var open: [String: Part] = [:]
        for target in due { open[topic(of: target)] = Part(target: target) }
        request = Request(open: open, order: versions.order, behind: behind, deadline: now + patience)
        return open.keys.sorted().map { .subscribe($0) }
    }

    private func topic(of target: SyncTarget) -> String {
        "\(Channel.sync.prefix)\(client)/\(stream)-\(asked)/\(target.group?.text ?? "*")/"
    }
}
