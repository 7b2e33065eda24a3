public import PopupProtocol
public import PopupScheduling

/// An extension of the broker: rights, quotas, defaults and enrichment before a command is committed; metrics, webhooks
/// and bridges after it.
///
/// It runs in the loop of the broker, on its thread, and must pass slow work to a thread of its own. Plugins are called
/// in the order of their list.
public protocol BrokerPlugin: AnyObject {
    /// The name of the plugin in the log.
    var name: String { get }

    /// Receives what the broker starts with. Called once, before any other call.
    func started(_ start: BrokerStart)

    /// Admits, amends or refuses a command before it is journaled.
    ///
    /// An amended command is validated like a received one. `committed` may not have been called for the previous batch
    /// yet, because it may still be in flight.
    ///
    /// - Parameters:
    ///   - command: The command, which may be changed.
    ///   - now: The time in ms by the broker's clock.
    /// - Throws: `CommandRefusal` to refuse the command. Then it has no effect, and its sender receives the reason.
    func admit(_ command: inout AdmittedCommand, at now: Milliseconds) throws(CommandRefusal)

    /// Receives the outcome of a batch after its commit, or of timers.
    func committed(_ outcome: CommittedBatch)
}

extension BrokerPlugin {
    /// Does nothing.
    public func started(_ start: BrokerStart) {}

    /// Admits every command.
    public func admit(_ command: inout AdmittedCommand, at now: Milliseconds) throws(CommandRefusal) {}

    /// Does nothing.
    public func committed(_ outcome: CommittedBatch) {}
}
