import PopupProtocol

/// The plugins that a configuration needs: defaults, then quotas. One without an effect is left out.
struct ConfiguredPlugins {
    private var defaults: [WirePopup]
    private var groupDefaults: GroupDefaults?
    private var quotas: ProducerQuotas?

    /// Creates the plugins of a configuration.
    ///
    /// - Throws: `CommandRefusal` for defaults that are invalid.
    init(_ configuration: BrokerConfiguration) throws(CommandRefusal) {
        defaults = configuration.defaults
        groupDefaults = defaults.isEmpty ? nil : try GroupDefaults(defaults)
        quotas = configuration.quotas.isLimited ? ProducerQuotas(configuration.quotas) : nil
    }

    /// The plugins, in the order in which they are called.
    var list: [any BrokerPlugin] {
        var list: [any BrokerPlugin] = []
        if let groupDefaults { list.append(groupDefaults) }
        if let quotas { list.append(quotas) }
        return list
    }

    /// Returns the plugins after a change of the configuration. Quotas that remain keep their counts.
    ///
    /// - Throws: `CommandRefusal` for invalid defaults. Then nothing has changed.
    func changed(to configuration: BrokerConfiguration) throws(CommandRefusal) -> ConfiguredPlugins {
        var changed = try ConfiguredPlugins(configuration)
        if changed.quotas != nil, let quotas {
            quotas.settings = configuration.quotas
            changed.quotas = quotas
        }
        return changed
    }
}
