import PopupJournal

/// The wishes of operators, as a node has read them.
struct OperatorOrders {
    /// The latest ones; `nil` until they are read.
    private var latest: LogOrders?
    /// The time at which the latest ones were asked for.
    private var asked: Int64?
    /// The time at which they were asked for last, if nobody has seen since that they change.
    private var reading: Int64?

    /// Whether they have been read.
    var isRead: Bool { latest != nil }

    /// Returns whether they are to be read: when they have changed, and now and then, since what says so may be missing.
    func isReadingDue(at boot: Int64, _ timing: FleetTiming) -> Bool {
        reading.map { boot - $0 >= timing.ordersPolling } ?? true
    }

    /// Records that they are asked for. What changes from now on is read again.
    mutating func beginReading(at boot: Int64) { reading = boot }

    /// Records that they may have changed, or could not be read.
    mutating func recordChange() { reading = nil }

    /// Takes the answer to a request that began at a time. Returns whether it has another configuration than before. The
    /// first answer has one, also without any: the process may have read one before it was removed.
    mutating func receive(_ orders: LogOrders, asked boot: Int64) -> Bool {
        let before = latest
        latest = orders
        asked = boot
        return before.map { $0.configuration != orders.configuration } ?? true
    }

    /// Returns the latest orders while their requests count, which the log forgets after a while; `nil` after that.
    func requests(at boot: Int64, _ timing: FleetTiming) -> LogOrders? {
        guard let asked, boot - asked <= timing.ordersLast else { return nil }
        return latest
    }
}
