import PopupProtocol

/// The plugins that a configuration calls for: defaults, then quotas. Of what it doesn't bound or complete there is none.
struct ConfiguredPlugins {
    private var defaults: [WirePopup]
    private var groupDefaults: GroupDefaults?
    private var quotas: ProducerQuotas?

    /// The plugins of a configuration.
    ///
    /// - Throws: `CommandRefusal` for defaults that are invalid.
    init(_ configuration: BrokerConfiguration) throws(CommandRefusal) {
        defaults = configuration.defaults
        groupDefaults = defaults.isEmpty ? nil : try GroupDefaults(defaults)
        quotas = configuration.quotas.isLimited ? ProducerQuotas(configuration.quotas) : nil
    }

    /// In the order in which they see a command.
    var list: [any BrokerPlugin] {
        var list: [any BrokerPlugin] = []
        if let groupDefaults { list.append(groupDefaults) }
        if let quotas { list.append(quotas) }
        return list
    }

    /// What they are after a change of the configuration. Quotas that stay count on.
    ///
    /// - Throws: `CommandRefusal` for defaults that are invalid; nothing is changed then.
    func changed(to configuration: BrokerConfiguration) throws(CommandRefusal) -> ConfiguredPlugins {
        var changed = try ConfiguredPlugins(configuration)
        if changed.quotas != nil, let quotas {
            quotas.settings = configuration.quotas
            changed.quotas = quotas
        }
        return changed
    }
}
