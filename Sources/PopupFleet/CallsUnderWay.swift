import PopupJournal

/// The calls under way; at most one of a kind.
struct CallsUnderWay {
    /// The beginning of a call.
    struct Beginning {
        /// Its time.
        var boot: Int64
        /// The newest head that was known then.
        var head: LogHead?
    }

    private enum Kind { case orders, head, entries, snapshot, claim, renewal, release, write, keep, drop }

    private var began: [Kind: Beginning] = [:]

    /// Begins a call. Returns whether none of its kind was under way.
    mutating func begin(_ call: FleetCall, at boot: Int64, head: LogHead?) -> Bool {
        guard began[Self.kind(call)] == nil else { return false }
        began[Self.kind(call)] = Beginning(boot: boot, head: head)
        return true
    }

    /// Returns whether a call of the kind is under way.
    func contains(_ call: FleetCall) -> Bool { began[Self.kind(call)] != nil }

    /// Ends a call, and returns its beginning.
    mutating func end(_ call: FleetCall) -> Beginning? { began.removeValue(forKey: Self.kind(call)) }

    private static func kind(_ call: FleetCall) -> Kind {
        switch call {
        case .readOrders: .orders
        case .readHead: .head
        case .readEntries: .entries
        case .readSnapshot: .snapshot
        case .claim: .claim
        case .renewClaim: .renewal
        case .releaseClaim: .release
        case .write: .write
        case .keep: .keep
        case .drop: .drop
        }
    }
}
