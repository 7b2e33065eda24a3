import Logging
import PopupBroker
import PopupScheduling

extension Setting {
    /// Every setting, in the order in which they are listed.
    public static let all: [Setting] =
        ingress + egress + security + journal + limits + deduplication + quotas + log + recording

    /// Returns the setting with a key.
    public static func named(_ key: String) -> Setting? {
        byKey[key]
    }

    private static let byKey = Dictionary(uniqueKeysWithValues: all.map { ($0.key, $0) })

    private static let ingress: [Setting] = [
        .endpoint("ingress.endpoint", \.broker.endpoints.ingress),
        .integer("ingress.highWaterMark", \.broker.socketLimits.ingressHighWaterMark, 1...10_000_000, unit: "messages"),
    ]

    private static let egress: [Setting] = [
        .endpoint("egress.endpoint", \.broker.endpoints.egress),
        .integer("egress.highWaterMark", \.broker.socketLimits.egressHighWaterMark, 1...10_000_000, unit: "messages"),
        .integer("egress.refreshIntervalMs", \.broker.refreshInterval, 100...86_400_000, unit: "ms"),
    ]

    private static let security: [Setting] = [
        .path("security.curve.secretKeyFile", \.security.secretKeyFile),
        .flag("security.allowPlainNetwork", \.security.allowPlainNetwork),
        .fileMode("security.ipcMode", \.security.ipcMode),
    ]

    private static let journal: [Setting] = [
        .path("journal.directory", \.journal.directory),
        .choice("journal.durability", \.journal.durability),
        .integer("journal.segmentBytes", \.journal.segmentBytes, 65_536...(1 << 40), unit: "bytes"),
    ]

    /// The last word of the key is what a refusal names as its limit.
    private static let limits: [Setting] = [
        .integer("limits.connections", \.broker.socketLimits.connections, 1...1_000_000, unit: "connections"),
        .integer("limits.memoryBytes", \.broker.socketLimits.memoryBytes, (64 << 20)...(1 << 44), unit: "bytes"),
        .integer("limits.groups", \.broker.scheduling.groups, 1...100_000_000, unit: "groups"),
        .integer("limits.popups", \.broker.scheduling.popups, 1...1_000_000_000, unit: "popups"),
        .integer("limits.waitingPerGroup", \.broker.scheduling.waitingPerGroup, 0...1_000_000_000, unit: "popups"),
        .integer("limits.accounts", \.broker.scheduling.accounts, 0...65_534, unit: "producers"),
        .integer("limits.contentBytes", \.broker.scheduling.contentBytes, 65_536...(1 << 32), unit: "bytes"),
        .integer("limits.suspensions", \.broker.scheduling.suspensions, 0...1_000_000, unit: "tokens"),
        .integer("limits.policies", \.broker.scheduling.policies, 1...1_000_000, unit: "policies"),
        .integer("limits.membersPerFlow", \.broker.scheduling.membersPerFlow, 1...1_000_000, unit: "popups"),
        .integer("limits.renderers", \.broker.scheduling.renderers, 0...100_000_000, unit: "renderers"),
        .integer("limits.renderersPerPopup", \.broker.scheduling.renderersPerPopup, 0...1_000_000, unit: "renderers"),
        .integer("limits.groupsPerLease", \.broker.scheduling.groupsPerLease, 1...20_000, unit: "groups"),
        .integer("limits.pageTrees", \.broker.scheduling.pageTrees, 0...100_000_000, unit: "trees"),
        .integer("limits.pagesPerTree", \.broker.scheduling.pagesPerTree, 1...1_000_000, unit: "pages"),
        .integer("limits.pageDepth", \.broker.scheduling.pageDepth, 1...1000, unit: "pages"),
        .integer("limits.cappedShowings", \.broker.scheduling.cappedShowings, 0...1_000_000_000, unit: "showings"),
        .integer("limits.popupContentBytes", \.broker.limits.popupContentBytes, 1...122_880, unit: "bytes"),
        .integer("limits.subscriptions", \.broker.limits.subscriptions, 1...100_000_000, unit: "subscriptions"),
        .integer(
            "limits.subscriptionsPerConnection", \.broker.limits.subscriptionsPerConnection, 1...100_000_000,
            unit: "subscriptions"),
        .integer(
            "limits.subscriptionBytesPerConnection", \.broker.limits.subscriptionBytesPerConnection,
            1024...(1 << 30), unit: "bytes"),
        .integer("limits.subscriptionBytes", \.broker.limits.subscriptionBytes, 1024...(1 << 30), unit: "bytes"),
        .integer("limits.queryResults", \.broker.limits.queryResults, 1...100_000, unit: "popups"),
        .integer("limits.batchMessages", \.broker.limits.batchMessages, 1...10_000, unit: "messages"),
        .integer("limits.refusalLogLines", \.broker.limits.refusalLogLines, 0...100_000, unit: "lines"),
        .integer("limits.pendingCalls", \.broker.limits.pendingCalls, 1...1_000_000, unit: "calls"),
        .integer("limits.activeSyncs", \.broker.limits.activeSyncs, 1...10_000, unit: "answers"),
        .integer("limits.queuedSyncs", \.broker.limits.queuedSyncs, 0...1_000_000, unit: "answers"),
    ]

    /// The means to recognize repetitions: ids of popups, sequences of producers.
    private static let deduplication: [Setting] = [
        .integer("deduplication.maxIDs", \.broker.scheduling.maxIDs, 0...1_000_000_000, unit: "ids"),
        .integer("deduplication.windowMs", \.broker.scheduling.deduplicationWindow, 0...31_536_000_000, unit: "ms"),
        .integer("deduplication.maxProducers", \.broker.limits.maxProducers, 1...10_000_000, unit: "producers"),
        .integer("deduplication.maxSequenceGaps", \.broker.limits.maxSequenceGaps, 1...1_000_000, unit: "ranges"),
        .integer(
            "deduplication.producerWindowMs", \.broker.limits.producerWindow, 60_000...31_536_000_000, unit: "ms"),
    ]

    /// 0 stands for no limit.
    private static let quotas: [Setting] = [
        .integer("quotas.producers", \.broker.quotas.producers, 1...10_000_000, unit: "producers"),
        .integer(
            "quotas.perProducer.commandsPerSecond", \.broker.quotas.perProducer.commandsPerSecond, 0...10_000_000,
            unit: "commands"),
        .integer("quotas.perProducer.burst", \.broker.quotas.perProducer.burst, 0...10_000_000, unit: "commands"),
        .integer(
            "quotas.perProducer.livePopups", \.broker.quotas.perProducer.livePopups, 0...1_000_000_000, unit: "popups"),
        .integer(
            "quotas.anonymous.commandsPerSecond", \.broker.quotas.anonymous.commandsPerSecond, 0...10_000_000,
            unit: "commands"),
        .integer("quotas.anonymous.burst", \.broker.quotas.anonymous.burst, 0...10_000_000, unit: "commands"),
        .integer(
            "quotas.anonymous.livePopups", \.broker.quotas.anonymous.livePopups, 0...1_000_000_000, unit: "popups"),
    ]

    private static let log: [Setting] = [
        .choice("log.level", \.log.level),
        .choice("log.format", \.log.format),
        .integer("log.queueBytes", \.log.queueBytes, 4096...(1 << 30), unit: "bytes"),
    ]

    private static let recording: [Setting] = [
        .path("recording.file", \.recording.file),
        .integer("recording.maximumBytes", \.recording.maximumBytes, 1...(1 << 50), unit: "bytes"),
    ]
}
