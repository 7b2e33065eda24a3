import PopupClient
import PopupProtocol
import Synchronization

/// The groups that are watched now. The states of a pattern are received and encoded once for all readers.
final class Hub: Sendable {
    fileprivate struct Feed: PatternFeed {
        let pattern: GroupPattern
        var source: GroupStates
        let receiver: Task<Void, Never>
        var states: [String: EncodedState] = [:]
        var isSynced = false
        /// The epoch of the broker whose states the readers wait for; older ones are not complete.
        var epoch: UInt64 = 0
        var readers: [ObjectIdentifier: Watch] = [:]
        var unreadSince: ContinuousClock.Instant?
    }

    fileprivate struct State {
        var followed: FollowedPatterns<Feed>
        var broker = ReportedBroker()
        var isDraining = false
        /// The number of groups with popups in all patterns.
        var groupCount = 0
    }

    private let connection: BrokerConnection
    private let heartbeat: BrokerHeartbeat
    private let missingRights: MissingRights
    private let state: Mutex<State>
    private let onChange: @Sendable (_ isConnected: Bool) -> Void

    /// - Parameters:
    ///   - mostPatterns: The number of places for patterns that are followed.
    ///   - onChange: Called in order when the broker is lost, is back or has restarted, before `isConnected` says so. It must
    ///     not call the hub.
    /// - Throws: `ClientError.closed`.
    init(
        _ connection: BrokerConnection, _ missingRights: MissingRights, mostPatterns: Int = Hub.mostPatterns,
        onChange: @escaping @Sendable (_ isConnected: Bool) -> Void
    ) throws(ClientError) {
        state = Mutex(State(followed: FollowedPatterns(limit: mostPatterns)))
        self.connection = connection
        self.missingRights = missingRights
        self.onChange = onChange
        heartbeat = try connection.heartbeat()
    }

    /// The time since the broker's last heartbeat; `nil`: none has come yet.
    var heartbeatAge: Duration? { heartbeat.age() }

    /// The number of open streams and held requests.
    var watchCount: Int { state.withLock { $0.followed.readerCount } }
    /// The number of patterns that are followed.
    var feedCount: Int { state.withLock { $0.followed.count } }
    /// The number of groups with popups in all patterns.
    var groupCount: Int { state.withLock { $0.groupCount } }
    /// Whether the broker is connected and not silent, as the streams last reported it.
    var isConnected: Bool { state.withLock { $0.broker.isConnected } }
    /// Whether no new streams are accepted.
    var isDraining: Bool { state.withLock { $0.isDraining } }

    /// Returns the newest state of a group that is followed by its name; `nil` if there is none yet.
    func state(of group: GroupName) -> EncodedState? {
        state.withLock { $0.followed[GroupPattern(group)]?.states[group.text] }
    }

    /// Corrects the display time that the popup of a group has left, for all readers. They get the state once more.
    ///
    /// - Parameter asked: The time of the question that the broker has answered with `remainingMs`.
    func correct(
        _ group: GroupName, popup: String, remainingMs: UInt32, askedAt asked: ContinuousClock.Instant,
        at now: ContinuousClock.Instant
    ) {
        state.withLock { state in
            for pattern in GroupPattern.patterns(matching: group) {
                state.change(pattern) { feed in
                    feed.correct(group) { $0.corrected(popup, remainingMs: remainingMs, askedAt: asked, at: now) }
                }
            }
        }
    }

    /// Follows patterns for a reader; without patterns, only the broker and the end of the gateway. `unwatch` ends it.
    ///
    /// - Parameters:
    ///   - token: The token of the reader; `nil`: the gateway itself.
    ///   - known: The version of the state that the reader of one group had before; `nil`: not known.
    ///   - groups: The number of groups with popups that are followed beyond which no further pattern is.
    /// - Throws: `ClientError.tooManyStreams`, `tooManyGroups`; `closed`, also when no new streams are accepted. Then
    ///   nothing is left of the watch.
    func watch(
        _ patterns: [GroupPattern], for token: TokenHash? = nil, _ times: Watch.Times, after known: String? = nil,
        groups: Int = .max, traffic: StreamTraffic? = nil
    ) throws(ClientError) -> Watch {
        let widest = patterns.widest
        let watch = Watch(widest, times, at: .now, after: known, traffic: traffic)
        let removed = try state.withLock { state throws(ClientError) in
            guard !state.isDraining else { throw ClientError.closed }
            guard widest.allSatisfy({ state.followed[$0] != nil }) || state.groupCount < groups else {
                throw ClientError.tooManyGroups(limit: groups)
            }
            let removed = try state.followed.add(watch, for: token, open: open)
            state.forgetGroups(of: removed)
            for pattern in widest { state.change(pattern) { $0.catchUp(watch) } }
            return removed
        }
        for feed in removed { feed.receiver.cancel() }
        return watch
    }

    /// Ends the watch of a reader.
    func unwatch(_ watch: Watch) {
        state.withLock { $0.followed.remove(watch, at: .now) }
    }

    /// Accepts no new streams any more, and returns the held requests and streams.
    func drain() -> [Watch] {
        state.withLock { state in
            state.isDraining = true
            return state.followed.readers
        }
    }

    /// The condition of the broker.
    enum BrokerCondition: Equatable {
        /// It is connected, and not silent.
        case connected
        case notConnected
        /// Its connection is there, but its last heartbeat is too old; `nil`: none has come yet over this connection.
        case silent(Duration?)

        /// The check of a broker that is not connected, or silent, as `/readyz` has it.
        var check: String {
            switch self {
            case .connected: #""broker":"connected""#
            case .notConnected: #""broker":"not connected""#
            case .silent(nil): #""heartbeat":"none yet""#
            case .silent(let age?): #""heartbeat":"\#((age / .milliseconds(100)).rounded() / 10) s old""#
            }
        }
    }

    /// Checks the connection. All streams learn what changed.
    @discardableResult
    func checkBroker() -> BrokerCondition {
        // Checked and set at once: another thread must not set what was true before.
        state.withLock { state in
            let last = heartbeat.last
            let condition = condition(last, state.broker)
            if state.broker.record(condition == .connected ? last : nil, at: .now) {
                state.report()
                onChange(state.broker.isConnected)
            }
            return condition
        }
    }

    private func condition(_ last: BrokerHeartbeat.Beat?, _ broker: ReportedBroker) -> BrokerCondition {
        guard connection.isConnected else { return .notConnected }
        guard let last else { return .silent(nil) }
        let age = last.time.duration(to: .now)
        guard age < Self.silence else { return .silent(age) }
        return broker.counts(last) ? .connected : .silent(nil)
    }

    /// Checks the connection and the time.
    func tick(at now: ContinuousClock.Instant) {
        checkBroker()
        let (watches, removed) = state.withLock { state in
            let removed = state.followed.removeUnread(at: now)
            state.forgetGroups(of: removed)
            return (state.followed.readers, removed)
        }
        for feed in removed { feed.receiver.cancel() }
        for watch in watches { watch.tick(at: now) }
    }

    private func open(_ pattern: GroupPattern) throws(ClientError) -> Feed {
        let source = try connection.states(of: [pattern.text])
        let receiver = Task {
            do {
                try await missingRights.follow(.watch, source) { states in
                    for try await _ in states.arrivals { absorb(pattern) }
                } reopen: {
                    try reopen(pattern)
                }
            } catch is CancellationError {
                // Nobody reads it any more.
            } catch {
                lose(pattern)
            }
        }
        return Feed(pattern: pattern, source: source, receiver: receiver)
    }

    /// Opens the source of a pattern again, which the broker has refused.
    private func reopen(_ pattern: GroupPattern) throws(ClientError) -> GroupStates {
        let source = try connection.states(of: [pattern.text])
        state.withLock { state in state.change(pattern) { $0.source = source } }
        return source
    }

    private func absorb(_ pattern: GroupPattern) {
        state.withLock { state in state.change(pattern) { $0.absorb() } }
    }

    /// Ends the streams of a pattern that cannot be followed any more.
    private func lose(_ pattern: GroupPattern) {
        let feed = state.withLock { state in
            let feed = state.followed.remove(pattern)
            if let feed { state.forgetGroups(of: [feed]) }
            return feed
        }
        for watch in (feed?.readers ?? [:]).values { watch.fail() }
    }

    /// The number of places for patterns that are followed. With those of events, it leaves some of the connection's streams
    /// (`Gateway.clientLimits`) to renderers and held requests.
    static let mostPatterns = 6144
    /// The time without a heartbeat after which the broker counts as lost.
    static let silence: Duration = .seconds(3)
}

extension Hub.State {
    /// Reports to all readers that the broker was lost, is back or has restarted. When it is there, all states come again.
    fileprivate mutating func report() {
        let isConnected = broker.isConnected
        for watch in followed.readers { watch.setConnected(isConnected) }
        guard isConnected else { return }
        let epoch = broker.epoch ?? 0
        for pattern in followed.patterns {
            change(pattern) { feed in
                (feed.isSynced, feed.epoch) = (false, epoch)
                for watch in feed.readers.values {
                    for encoded in feed.states.values { watch.offer(encoded) }
                }
                feed.absorb()
            }
        }
    }

    /// Changes the feed of a pattern, if there is one.
    fileprivate mutating func change(_ pattern: GroupPattern, _ change: (inout Hub.Feed) -> Void) {
        var growth = 0
        followed.change(pattern) { feed in
            growth -= feed.states.count
            change(&feed)
            growth += feed.states.count
        }
        groupCount += growth
    }

    /// Counts the groups of feeds no more, which are not followed any more.
    fileprivate mutating func forgetGroups(of feeds: [Hub.Feed]) {
        groupCount -= feeds.reduce(0) { $0 + $1.states.count }
    }
}

extension Hub.Feed {
    /// Passes on the states that have arrived, and reports when they are complete.
    fileprivate mutating func absorb() {
        // The epoch first: with a new one, what was complete is not any more.
        let isComplete = source.epoch >= epoch && source.isComplete
        for groupState in source.takeAvailable() {
            let encoded = EncodedState(groupState)
            // A group without popups has no state that a new reader needs.
            states[encoded.group] = encoded.isOccupied ? encoded : nil
            for watch in readers.values { watch.offer(encoded) }
        }
        guard isComplete, !isSynced else { return }
        isSynced = true
        for watch in readers.values { watch.sync(pattern, epoch: source.epoch) }
    }

    /// Passes the state of a group on once more if its display time was wrong.
    ///
    /// - Parameter correct: Returns the corrected state; `nil` if it is right.
    fileprivate mutating func correct(_ group: GroupName, _ correct: (EncodedState) -> EncodedState?) {
        absorb()
        guard let corrected = states[group.text].flatMap(correct) else { return }
        states[group.text] = corrected
        for watch in readers.values { watch.offer(corrected) }
    }

    /// Gives a new reader the states that have arrived. While states come again, it does not learn that they are complete.
    fileprivate mutating func catchUp(_ watch: Watch) {
        if !source.isComplete { isSynced = false }
        absorb()
        for encoded in states.values { watch.offer(encoded) }
        if isSynced { watch.sync(pattern, epoch: source.epoch) }
    }
}
