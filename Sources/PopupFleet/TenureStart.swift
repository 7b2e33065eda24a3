public import PopupJournal

/// The state with which a broker begins a tenure.
public struct TenureStart: Sendable {
    /// The epoch of the tenure.
    public var epoch: UInt64
    /// The index of the entry that began it.
    public var index: UInt64
    /// The time of that entry: no batch and no timer of the tenure is earlier.
    public var begins: Int64
    /// The state before that entry: what is due until it is the broker's to tell.
    public var state: LogSnapshot
    /// The time of the log when the machine's clock said `boot`.
    public var time: Int64
    /// See `time`.
    public var boot: Int64
}

extension FleetNode {
    /// Returns what a broker begins its tenure with, once; `nil` until the node owns the log.
    public mutating func takeStart(at moment: FleetMoment) -> TenureStart? {
        guard role == .owner, let state = beginning.take() else { return nil }
        return TenureStart(
            epoch: replica.epoch, index: replica.index, begins: replica.time, state: state, time: time(at: moment),
            boot: moment.boot)
    }
}
