public import PopupProtocol
public import PopupScheduling

/// Takes part in what the broker does: rights, quotas, defaults and enrichment before a command is committed; metrics,
/// webhooks and bridges after it.
///
/// It runs in the broker's loop, on its thread: what is slow hands over to a thread of its own. The order of plugins is
/// that of their list.
public protocol BrokerPlugin: AnyObject {
    /// Names it in the log.
    var name: String { get }

    /// Sees a command before the journal. May amend it.
    ///
    /// What is amended is checked again like a received one. The batch before may not have been told yet: it may still be
    /// on its way to the disk.
    ///
    /// - Parameter now: the time in ms by the broker's clock.
    /// - Throws: To refuse it: it changes nothing then, and its sender is told the reason.
    func admit(_ command: inout AdmittedCommand, at now: Milliseconds) throws(CommandRefusal)

    /// Sees what came of a batch after its commit, and of timers.
    func committed(_ outcome: CommittedBatch)
}

extension BrokerPlugin {
    /// Admits everything.
    public func admit(_ command: inout AdmittedCommand, at now: Milliseconds) throws(CommandRefusal) {}

    /// Looks at nothing.
    public func committed(_ outcome: CommittedBatch) {}
}
