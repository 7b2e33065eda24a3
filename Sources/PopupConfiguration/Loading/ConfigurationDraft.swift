import PopupBroker

/// A configuration in the making, with all that was found wrong so far.
struct ConfigurationDraft {
    var configuration = Configuration()
    var origins: [String: Origin] = [:]
    var problems: [ConfigurationProblem] = []
    var warnings: [String] = []

    /// Sets a value by its key.
    mutating func set(_ key: String, to text: String, from origin: Origin) {
        guard let setting = Setting.named(key) else {
            refuseUnknown(key, from: origin)
            return
        }
        if let demand = setting.set(text, in: &configuration) {
            problems.append(ConfigurationProblem(origin: origin, key: key, text: "is \"\(text)\", but \(demand)"))
        } else {
            origins[key] = origin
        }
    }

    /// Notes that no setting has this key.
    mutating func refuseUnknown(_ key: String, from origin: Origin) {
        if let newKey = RenamedSettings.newKey(for: key) {
            let text = "is now called `\(newKey)`; rename it"
            problems.append(ConfigurationProblem(origin: origin, key: key, text: text))
            return
        }
        let keys = Setting.all.map(\.key)
        let section = key.prefix { $0 != "." } + "."
        let advice =
            Suggestion.nearest(to: key, among: keys) == nil && keys.contains { $0.hasPrefix(section) }
            ? Suggestion.advice(for: key, among: keys.filter { $0.hasPrefix(section) })
            : Suggestion.advice(for: key, among: keys)
        problems.append(ConfigurationProblem(origin: origin, key: key, text: "there is no such setting; \(advice)"))
    }

    /// The configuration, once its parts have been checked against each other.
    consuming func finish() throws(ConfigurationError) -> LoadedConfiguration {
        if configuration.broker.endpoints.collide {
            let key = "egress.endpoint"
            let text = "is the same as ingress.endpoint; give each socket an endpoint of its own"
            let origin = origins[key] ?? origins["ingress.endpoint"] ?? .standard
            problems.append(ConfigurationProblem(origin: origin, key: key, text: text))
        }
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
        return LoadedConfiguration(configuration: configuration, origins: origins, warnings: warnings)
    }
}
