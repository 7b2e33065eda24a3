public import PopupJournal

/// A call of the shared log that a node wants. Whoever performs it answers each exactly once, `.unknown` at the latest
/// when its deadline is over, and not so soon that repeating burdens the log.
public enum FleetCall: Hashable, Sendable {
    /// Read what operators ask for.
    case readOrders
    /// Read the head.
    case readHead
    /// Read entries.
    case readEntries(ClosedRange<UInt64>)
    /// Read the newest snapshot that is whole.
    case readSnapshot
    /// Claim the log.
    case claim
    /// Renew the claim.
    case renewClaim
    /// Give the claim back, if it is the node's.
    case releaseClaim
    /// Replace the head.
    case write(HeadWrite)
    /// Keep a snapshot, and list those that are complete.
    case keep(LogSnapshot)
    /// Remove what the two newest snapshots do not need.
    case drop(LogDropPlan)
}

/// The answer to a call.
public enum FleetAnswer: Hashable, Sendable {
    /// The wishes of operators.
    case orders(LogOrders)
    /// The head; `nil` if there is no log.
    case head(LogHead?)
    /// Entries.
    case entries([LogEntry])
    /// A snapshot; `nil` for none.
    case snapshot(LogSnapshot?)
    /// Whether the claim is the node's.
    case claim(isOwn: Bool)
    /// The answer of the log to a write.
    case write(HeadAnswer)
    /// The snapshots that are complete. If all of them are earlier than one that was to be kept, the log has left that out.
    case snapshots([UInt64])
    /// The log has another state in the place of a snapshot that was to be kept, made by the same rules.
    case snapshotDiffers
    /// Entries and snapshots were removed.
    case dropped
    /// It may have happened, or may happen later.
    case unknown
    /// The content of the log cannot be read.
    case unreadable
    /// The log has a record of a newer version.
    case newer
}

/// An action that a node wants.
public enum FleetEffect: Hashable, Sendable {
    /// A call of the shared log.
    case call(FleetCall)
    /// Subscribe the ingress, or not: clients send to the node that is subscribed.
    case listen(Bool)
    /// The submitted batch is in the log: acknowledge it. It is applied, too, unless it is a broker's, which has a
    /// state of its own: the node applies that afterwards.
    case committed(index: UInt64)
    /// Bring the configuration that all nodes share into force; `nil`: there is none any more.
    case configure([UInt8]?)
    /// Hand over, as an operator asks: the broker stops, and then calls `handOver`.
    case stopBroker
    /// End the process.
    case end(FleetEnd)
}

/// The reason for which a node ends.
public enum FleetEnd: Hashable, Sendable {
    /// Another owns the log.
    case overtaken
    /// It has handed over.
    case handedOver
    /// There is no log.
    case logIsMissing
    /// Its state is not that of the log, such as after the log was restored from a backup, or the log cannot be read.
    case replicaDiffers
    /// The log has a level that this program does not know.
    case levelIsNewer
    /// The log has an entry, or another record, whose content this program does not know.
    case entryIsNewer

    /// The exit code of the process.
    public var exitCode: Int32 {
        switch self {
        case .overtaken: 76
        case .handedOver: 0
        case .logIsMissing: 66
        case .replicaDiffers, .levelIsNewer, .entryIsNewer: 65
        }
    }
}
