import PopupScheduling

extension Setting {
    /// Every setting, in the order in which they are listed.
    public static let all: [Setting] = endpoints + limits + log

    /// The setting of this key.
    public static func named(_ key: String) -> Setting? {
        byKey[key]
    }

    private static let byKey = Dictionary(uniqueKeysWithValues: all.map { ($0.key, $0) })

    private static let endpoints: [Setting] = [
        .endpoint("endpoints.ingress", \.endpoints.ingress),
        .endpoint("endpoints.egress", \.endpoints.egress),
    ]

    private static let limits: [Setting] = [
        .integer("limits.groups", \.scheduling.groups, 1...100_000_000, unit: "groups"),
        .integer("limits.popups", \.scheduling.popups, 1...1_000_000_000, unit: "popups"),
        .integer("limits.waitingPerGroup", \.scheduling.waitingPerGroup, 0...1_000_000_000, unit: "popups"),
        .integer("limits.rememberedIDs", \.scheduling.rememberedIDs, 0...1_000_000_000, unit: "ids"),
        .integer("limits.rememberForMs", \.scheduling.rememberFor, 0...31_536_000_000, unit: "ms"),
        .integer("limits.contentBytes", \.scheduling.contentBytes, 65_536...(1 << 44), unit: "bytes"),
        .integer("limits.tokens", \.scheduling.tokens, 0...1_000_000, unit: "tokens"),
        .integer("limits.policies", \.scheduling.policies, 1...1_000_000, unit: "policies"),
    ]

    private static let log: [Setting] = [
        .choice("log.level", \.log.level),
        .choice("log.format", \.log.format),
    ]
}
