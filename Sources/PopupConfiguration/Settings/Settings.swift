import Logging
import PopupBroker
import PopupScheduling

extension Setting {
    /// Every setting, in the order in which they are listed.
    public static let all: [Setting] =
        endpoints + journal + queues + broadcast + tables + broker + quotas + log + record

    /// The setting of this key.
    public static func named(_ key: String) -> Setting? {
        byKey[key]
    }

    private static let byKey = Dictionary(uniqueKeysWithValues: all.map { ($0.key, $0) })

    private static let endpoints: [Setting] = [
        .endpoint("endpoints.ingress", \.broker.endpoints.ingress),
        .endpoint("endpoints.egress", \.broker.endpoints.egress),
    ]

    private static let journal: [Setting] = [
        .path("journal.folder", \.journal.folder),
        .choice("journal.durability", \.journal.durability),
        .integer("journal.segmentBytes", \.journal.segmentBytes, 65_536...(1 << 40), unit: "bytes"),
    ]

    private static let queues: [Setting] = [
        .integer("queues.received", \.broker.queues.received, 1...10_000_000, unit: "messages"),
        .integer("queues.sent", \.broker.queues.sent, 1...10_000_000, unit: "messages"),
        .integer("queues.connections", \.broker.queues.connections, 1...1_000_000, unit: "connections"),
        .integer("queues.memoryBytes", \.broker.queues.memoryBytes, (64 << 20)...(1 << 44), unit: "bytes"),
    ]

    private static let broadcast: [Setting] = [
        .integer("broadcast.refreshIntervalMs", \.broker.refreshInterval, 100...86_400_000, unit: "ms")
    ]

    /// The bounds of the scheduler's tables: what a refusal names as its limit is the key's last word.
    private static let tables: [Setting] = [
        .integer("limits.groups", \.broker.scheduling.groups, 1...100_000_000, unit: "groups"),
        .integer("limits.popups", \.broker.scheduling.popups, 1...1_000_000_000, unit: "popups"),
        .integer("limits.waitingPerGroup", \.broker.scheduling.waitingPerGroup, 0...1_000_000_000, unit: "popups"),
        .integer("limits.rememberedIDs", \.broker.scheduling.rememberedIDs, 0...1_000_000_000, unit: "ids"),
        .integer("limits.rememberForMs", \.broker.scheduling.rememberFor, 0...31_536_000_000, unit: "ms"),
        .integer("limits.accounts", \.broker.scheduling.accounts, 0...65_534, unit: "producers"),
        .integer("limits.contentBytes", \.broker.scheduling.contentBytes, 65_536...(1 << 32), unit: "bytes"),
        .integer("limits.tokens", \.broker.scheduling.tokens, 0...1_000_000, unit: "tokens"),
        .integer("limits.policies", \.broker.scheduling.policies, 1...1_000_000, unit: "policies"),
        .integer("limits.membersPerFlow", \.broker.scheduling.membersPerFlow, 1...1_000_000, unit: "popups"),
        .integer("limits.clients", \.broker.scheduling.clients, 0...100_000_000, unit: "renderers"),
        .integer("limits.clientsPerPopup", \.broker.scheduling.clientsPerPopup, 0...1_000_000, unit: "renderers"),
        .integer("limits.groupsPerLease", \.broker.scheduling.groupsPerLease, 1...20_000, unit: "groups"),
        .integer("limits.trees", \.broker.scheduling.trees, 0...100_000_000, unit: "trees"),
        .integer("limits.pagesPerTree", \.broker.scheduling.pagesPerTree, 1...1_000_000, unit: "pages"),
        .integer("limits.pageDepth", \.broker.scheduling.pageDepth, 1...1000, unit: "pages"),
        .integer("limits.cappedShowings", \.broker.scheduling.cappedShowings, 0...1_000_000_000, unit: "showings"),
    ]

    private static let broker: [Setting] = [
        .integer("limits.popupContentBytes", \.broker.limits.popupContentBytes, 1...122_880, unit: "bytes"),
        .integer("limits.subscriptions", \.broker.limits.subscriptions, 1...100_000_000, unit: "subscriptions"),
        .integer(
            "limits.subscriptionsPerConnection", \.broker.limits.subscriptionsPerConnection, 1...100_000_000,
            unit: "subscriptions"),
        .integer(
            "limits.subscriptionBytesPerConnection", \.broker.limits.subscriptionBytesPerConnection,
            1024...(1 << 30), unit: "bytes"),
        .integer("limits.subscriptionBytes", \.broker.limits.subscriptionBytes, 1024...(1 << 30), unit: "bytes"),
        .integer("limits.answerPopups", \.broker.limits.answerPopups, 1...100_000, unit: "popups"),
        .integer("limits.batchMessages", \.broker.limits.batchMessages, 1...10_000, unit: "messages"),
        .integer("limits.refusalLogLines", \.broker.limits.refusalLogLines, 0...100_000, unit: "lines"),
        .integer("limits.mailboxCalls", \.broker.limits.mailboxCalls, 1...1_000_000, unit: "calls"),
        .integer("limits.producers", \.broker.limits.producers, 1...10_000_000, unit: "producers"),
        .integer("limits.producerHoles", \.broker.limits.producerHoles, 1...1_000_000, unit: "ranges"),
        .integer(
            "limits.rememberProducersForMs", \.broker.limits.rememberProducersFor, 60_000...31_536_000_000, unit: "ms"),
        .integer("limits.syncs", \.broker.limits.syncs, 1...10_000, unit: "answers"),
        .integer("limits.waitingSyncs", \.broker.limits.waitingSyncs, 0...1_000_000, unit: "answers"),
    ]

    /// 0 stands for no limit.
    private static let quotas: [Setting] = [
        .integer("quotas.producers", \.broker.quotas.producers, 1...10_000_000, unit: "producers"),
        .integer(
            "quotas.named.commandsPerSecond", \.broker.quotas.named.commandsPerSecond, 0...10_000_000, unit: "commands"),
        .integer("quotas.named.burst", \.broker.quotas.named.burst, 0...10_000_000, unit: "commands"),
        .integer("quotas.named.livePopups", \.broker.quotas.named.livePopups, 0...1_000_000_000, unit: "popups"),
        .integer(
            "quotas.unnamed.commandsPerSecond", \.broker.quotas.unnamed.commandsPerSecond, 0...10_000_000,
            unit: "commands"),
        .integer("quotas.unnamed.burst", \.broker.quotas.unnamed.burst, 0...10_000_000, unit: "commands"),
        .integer("quotas.unnamed.livePopups", \.broker.quotas.unnamed.livePopups, 0...1_000_000_000, unit: "popups"),
    ]

    private static let log: [Setting] = [
        .choice("log.level", \.log.level),
        .choice("log.format", \.log.format),
        .integer("log.queueBytes", \.log.queueBytes, 4096...(1 << 30), unit: "bytes"),
    ]

    private static let record: [Setting] = [
        .path("record.file", \.record.file),
        .integer("record.maximumBytes", \.record.maximumBytes, 1...(1 << 50), unit: "bytes"),
    ]
}
