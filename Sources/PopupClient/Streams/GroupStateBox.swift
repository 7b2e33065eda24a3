import PopupProtocol
@_spi(Wire) import PopupValues
import Synchronization

/// The newest unread state of each group, in the order in which the groups changed.
final class GroupStateBox: Subscriber {
    fileprivate struct State {
        var versions = VersionTracker()
        var stateSync: StateSync
        /// Used for brokers that do not answer `sync`.
        var staleStates: StaleStates
        var unread: UnreadStates
        /// Whether the broker has answered with all present states since the last connection.
        var isComplete = false

        mutating func publish(_ wire: WireGroupState, at now: ContinuousClock.Instant) {
            staleStates.record(wire, at: now)
            unread.add(PublishedState(wire: wire), received: now)
        }
    }

    let prefixes: [String]
    let signal = Signal()
    private let filter: GroupFilter
    private let limit: Int
    private let silenceCheck: SilenceCheck?
    private let jitter: @Sendable () -> Duration
    private let state: Mutex<State>

    /// Creates an empty box.
    ///
    /// - Parameters:
    ///   - client: The name of the connection at the broker.
    ///   - stream: The number of the stream within the connection.
    ///   - silenceCheck: The check of its right, when the broker does not answer `sync` in time.
    ///   - jitter: Returns a random delay before a `sync` for states that may have been missed.
    init(
        filter: GroupFilter, limits: ClientLimits, client: String, stream: UInt64, silenceCheck: SilenceCheck? = nil,
        at now: ContinuousClock.Instant = .now,
        jitter: @escaping @Sendable () -> Duration = { .milliseconds(Int.random(in: 0...500)) }
    ) {
        self.filter = filter
        self.silenceCheck = silenceCheck
        self.jitter = jitter
        limit = limits.groups
        prefixes = filter.prefixes(of: .stateFrame) + [Channel.heartbeat.prefix]
        state = Mutex(
            State(
                stateSync: StateSync(
                    client: client, stream: stream, patterns: filter.patterns, timeout: limits.syncTimeout, at: now),
                staleStates: StaleStates(timeout: limits.staleStateTimeout),
                unread: UnreadStates(repeatsStates: limits.confirmationTimeout != nil)))
    }

    var patterns: [GroupPattern]? { filter.patterns }

    func receive(_ message: EgressMessage, at now: ContinuousClock.Instant) {
        switch message {
        case .state(let wire) where filter.matches(wire.group):
            change { $0.accept([wire], at: now, jitter) }
        case .heartbeat(let heartbeat):
            change { state in
                state.stateSync.heartbeat(
                    heartbeat, state.versions, at: now, jitter: jitter(), isFollowed: filter.matches)
                state.accept(state.staleStates.heartbeat(epoch: heartbeat.epoch, at: now), at: now, jitter)
            }
        case .sync(let topic, let sync):
            change { state in
                let answer = state.stateSync.receive(sync, on: topic, at: now)
                let followed = sync.states.filter { filter.matches($0.group) }
                state.accept(followed.filter { !state.versions.acceptSilently($0) }, at: now, jitter)
                if let answer {
                    state.emptyAbsent(answer, at: now, filter)
                    state.isComplete = state.stateSync.isAnswered
                }
            }
        default:
            break
        }
    }

    var deadline: ContinuousClock.Instant? { state.withLock { $0.stateSync.deadline } }

    func changes(at now: ContinuousClock.Instant, mayAsk: Bool = true) -> [SubscriptionChange] {
        let (changes, isUnanswered) = state.withLock { state in
            let isUnanswered = state.stateSync.isOverdue(at: now)
            return (state.stateSync.changes(state.versions, at: now, mayAsk: mayAsk), isUnanswered)
        }
        if isUnanswered { silenceCheck?.ask(for: self) }
        return changes
    }

    var temporaryTopics: [String] { state.withLock { $0.stateSync.topics } }

    func confirm(_ isConfirmed: Bool) {
        change { $0.unread.confirm(isConfirmed) }
    }

    func reconnected(at now: ContinuousClock.Instant) {
        silenceCheck?.reconnected()
        state.withLock { state in
            state.isComplete = false
            state.stateSync.reconnected(at: now + jitter())
        }
    }

    var isComplete: Bool { state.withLock { $0.isComplete } }
    var epoch: UInt64 { state.withLock { $0.stateSync.epoch } }

    private func change(_ body: (inout State) -> Void) {
        let (isNews, isOverLimit) = state.withLock { state in
            let (wasComplete, epoch) = (state.isComplete, state.stateSync.epoch)
            body(&state)
            // Another start of the broker, or another owner, has not answered yet.
            if state.stateSync.epoch != epoch, !state.stateSync.isAnswered { state.isComplete = false }
            return (!state.unread.isEmpty || state.isComplete != wasComplete, state.versions.groups > limit)
        }
        if isOverLimit {
            finish(.tooManyGroups(limit: limit))
        } else if isNews {
            signal.ring()
        }
    }

    func finish(_ error: ClientError?) {
        state.withLock { $0.stateSync.finish(at: .now) }
        signal.finish(error)
    }

    func take() -> GroupState? { state.withLock { $0.unread.take() } }
}

extension GroupStateBox.State {
    mutating func accept(
        _ states: [WireGroupState], at now: ContinuousClock.Instant, _ jitter: () -> Duration
    ) {
        for wire in states where versions.accept(wire) {
            publish(wire, at: now)
            stateSync.recordEpoch(wire.epoch, at: now + jitter())
        }
    }

    /// Empties the groups that a complete answer does not mention and that have no newer state.
    mutating func emptyAbsent(
        _ answer: StateSync.Answer, at now: ContinuousClock.Instant, _ filter: GroupFilter
    ) {
        let end = StateVersion(epoch: answer.epoch, revision: 0)
        let shown = versions.shown(upTo: answer.order).filter { answer.target.covers($0) && filter.matches($0) }
        for group in Set(shown).union(answer.behind.keys).subtracting(answer.mentioned).sorted() {
            let version = max(end, answer.behind[group] ?? end)
            guard version.epoch == answer.epoch, versions.isPresumable(group, upTo: answer.order, end) else {
                continue
            }
            if let state = versions.presumeEmpty(group, at: version) { publish(state, at: now) }
        }
    }
}
