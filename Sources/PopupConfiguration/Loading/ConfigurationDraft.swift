import PopupBroker
import PopupProtocol
import PopupScheduling

/// A configuration in the making, with all that was found wrong so far.
struct ConfigurationDraft {
    var configuration = Configuration()
    var origins: [String: Origin] = [:]
    var problems: [ConfigurationProblem] = []
    var warnings: [String] = []
    /// The configuration file, when there is one.
    var file: String?

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

    /// Records that no setting has this key.
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

    /// Returns the configuration, after checking its parts against each other.
    consuming func finish() throws(ConfigurationError) -> LoadedConfiguration {
        if configuration.broker.endpoints.collide {
            let key = "egress.endpoint"
            let text = "is the same as ingress.endpoint; give each socket an endpoint of its own"
            let origin = origins[key] ?? origins["ingress.endpoint"] ?? .standard
            problems.append(ConfigurationProblem(origin: origin, key: key, text: text))
        }
        checkSecurity()
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
        return LoadedConfiguration(configuration: configuration, origins: origins, warnings: warnings)
    }

    /// Checks the section `security` as a whole, and against the endpoints.
    private mutating func checkSecurity() {
        let security = configuration.security
        SecurityReader.check(security, file: file, problems: &problems)
        if let rules = try? security.rules() { configuration.broker.access = rules }
        configuration.broker.scheduling.usersHaveShares = security.usesCurve
        if !security.users.isEmpty, !security.usesCurve {
            let text = "names users, but without security.curve.secretKeyFile no key is checked; set it"
            problems.append(
                ConfigurationProblem(origin: origin(of: "security.users"), key: "security.users", text: text))
        }
        let endpoints = configuration.broker.endpoints
        if security.usesCurve, security.users.isEmpty,
            [endpoints.ingress, endpoints.egress].contains(where: { $0.hasPrefix("tcp://") })
        {
            warnings.append("security.users is empty, so no client can connect over TCP")
        }
        guard !security.usesCurve, !security.allowPlainNetwork else { return }
        for (key, endpoint) in [("ingress.endpoint", endpoints.ingress), ("egress.endpoint", endpoints.egress)]
        where !EndpointRules.isLocal(endpoint) {
            let text =
                "\(endpoint) can be reached over the network, and every client that reaches it may do everything; "
                + "set security.curve.secretKeyFile, or security.allowPlainNetwork: true where the network is trusted"
            problems.append(ConfigurationProblem(origin: origin(of: key), key: key, text: text))
        }
    }

    private func origin(of key: String) -> Origin {
        origins[key] ?? file.map { .file($0, line: nil) } ?? .standard
    }
}
