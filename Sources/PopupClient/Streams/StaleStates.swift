import PopupProtocol

/// The states of an older epoch that a restarted broker does not repeat. They are removed after a timeout; otherwise a
/// renderer would forever show popups that a broker with another journal, or with none, does not know.
struct StaleStates {
    private let timeout: Duration
    /// The groups that show a popup, with the epoch of their state.
    private var shown: [String: UInt64] = [:]
    private var newest: (epoch: UInt64, since: ContinuousClock.Instant)?

    init(timeout: Duration) {
        self.timeout = timeout
    }

    /// Records an accepted state.
    mutating func record(_ state: WireGroupState, at now: ContinuousClock.Instant) {
        shown[state.group] = state.hasActive ? state.epoch : nil
        heard(epoch: state.epoch, at: now)
    }

    /// Records a heartbeat.
    ///
    /// - Returns: The empty states of the groups whose states are stale now, as the broker would have sent them.
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
