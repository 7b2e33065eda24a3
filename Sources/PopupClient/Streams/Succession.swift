import PopupProtocol

/// Which screens a restarted broker has not taken over: those of an older epoch that it does not repeat. Without this
/// a renderer would show for ever what a broker without a journal, or another's, has never heard of.
struct Succession {
    private let timeout: Duration
    /// The groups that show something, by the epoch that said so.
    private var shown: [String: UInt64] = [:]
    private var newest: (epoch: UInt64, since: ContinuousClock.Instant)?

    init(timeout: Duration) {
        self.timeout = timeout
    }

    /// Notes a state that was accepted.
    mutating func note(_ state: WireGroupState, at now: ContinuousClock.Instant) {
        shown[state.group] = state.hasActive ? state.epoch : nil
        heard(epoch: state.epoch, at: now)
    }

    /// Notes a sign of life.
    ///
    /// - Returns: the states that are over now, as the broker would have sent them: nothing is shown.
    mutating func heartbeat(epoch: UInt64, at now: ContinuousClock.Instant) -> [WireGroupState] {
        heard(epoch: epoch, at: now)
        guard let newest, newest.since.duration(to: now) >= timeout else { return [] }
        let over = shown.filter { $0.value < newest.epoch }.keys.sorted()
        return over.map { group in
            shown[group] = nil
            var state = WireGroupState()
            state.group = group
            state.epoch = newest.epoch
            return state
        }
    }

    private mutating func heard(epoch: UInt64, at now: ContinuousClock.Instant) {
        if epoch > newest?.epoch ?? 0 { newest = (epoch, now) }
    }
}
