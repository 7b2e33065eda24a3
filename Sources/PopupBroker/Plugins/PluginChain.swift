import PopupProtocol
import PopupScheduling

/// The plugins in the order in which they are asked: those that the configuration calls for, then those of the
/// embedding application.
struct PluginChain {
    private var configured: ConfiguredPlugins
    private let own: [any BrokerPlugin]
    private var all: [any BrokerPlugin]

    init(_ configured: ConfiguredPlugins, own: [any BrokerPlugin] = []) {
        self.configured = configured
        self.own = own
        all = configured.list + own
    }

    var isEmpty: Bool { all.isEmpty }

    /// What they are called in the log.
    var names: [String] { all.map(\.name) }

    /// Asks the plugins about a command, one after another. Returns whether they amended it.
    func admit(_ command: inout AdmittedCommand, at now: Milliseconds) throws(CommandRefusal) -> Bool {
        for plugin in all { try plugin.admit(&command, at: now) }
        return command.isAmended
    }

    /// Tells the plugins what came of a batch, or of timers.
    func tell(_ outcome: CommittedBatch) {
        for plugin in all { plugin.committed(outcome) }
    }

    /// The chain for another configuration. Quotas that stay count on.
    ///
    /// - Throws: `CommandRefusal` for defaults that are invalid; nothing is changed then.
    func changed(to configuration: BrokerConfiguration) throws(CommandRefusal) -> PluginChain {
        PluginChain(try configured.changed(to: configuration), own: own)
    }
}
