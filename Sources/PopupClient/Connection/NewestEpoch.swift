/// The newest epoch that a node of a fleet has named. What an owner says that was overtaken counts no more, for all groups.
struct NewestEpoch {
    /// The epoch of a message, compared with those before.
    enum Age {
        /// An older one: the message is dropped.
        case older
        /// The same, or the first one, or none.
        case present
        /// A newer one: another owner speaks.
        case next
    }

    /// `nil`: there is one broker only, and nothing is dropped.
    private var newest: UInt64?

    /// Creates the state of a connection that has heard nothing.
    ///
    /// - Parameter isOfFleet: Whether there are several nodes.
    init(isOfFleet: Bool) { newest = isOfFleet ? 0 : nil }

    /// Records a message.
    mutating func record(_ message: EgressMessage) -> Age {
        guard let newest, let epoch = message.epoch else { return .present }
        guard epoch > newest else { return epoch == newest ? .present : .older }
        self.newest = epoch
        return newest > 0 ? .next : .present
    }
}
