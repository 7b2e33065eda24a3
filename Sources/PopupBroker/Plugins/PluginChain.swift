import PopupProtocol
import PopupScheduling

/// The plugins in the order in which they are called: those of the configuration, then those of the embedding
/// application.
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

    /// The names of the plugins, for the log.
    var names: [String] { all.map(\.name) }

    /// Notifies the plugins of the state with which the broker starts.
    func notify(of start: BrokerStart) {
        for plugin in all { plugin.started(start) }
    }

    /// Passes a command to the plugins, one after another. Returns whether they amended it.
    func admit(_ command: inout AdmittedCommand, at now: Milliseconds) throws(CommandRefusal) -> Bool {
        for plugin in all { try plugin.admit(&command, at: now) }
        return command.isAmended
    }

    /// Notifies the plugins of the outcome of a batch, or of timers.
    func notify(of outcome: CommittedBatch) {
        for plugin in all { plugin.committed(outcome) }
    }

    /// Returns the chain for another configuration. Quotas that remain keep their counts.
    ///
    /// - Throws: `CommandRefusal` for invalid defaults. Then nothing has changed.
    func changed(to configuration: BrokerConfiguration) throws(CommandRefusal) -> PluginChain {
        PluginChain(try configured.changed(to: configuration), own: own)
    }
}
