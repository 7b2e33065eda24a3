/// The keys that settings had before, so that a mistake can name the key of today.
enum RenamedSettings {
    /// The sections that held nothing but keys which are elsewhere now.
    static let sections = ["endpoints", "queues", "broadcast", "record"]

    private static let keys = [
        "endpoints.ingress": "ingress.endpoint",
        "endpoints.egress": "egress.endpoint",
        "queues.received": "ingress.highWaterMark",
        "queues.sent": "egress.highWaterMark",
        "queues.connections": "limits.connections",
        "queues.memoryBytes": "limits.memoryBytes",
        "broadcast.refreshIntervalMs": "egress.refreshIntervalMs",
        "journal.folder": "journal.directory",
        "record.file": "recording.file",
        "record.maximumBytes": "recording.maximumBytes",
        "limits.rememberedIDs": "deduplication.maxIDs",
        "limits.rememberForMs": "deduplication.windowMs",
        "limits.producers": "deduplication.maxProducers",
        "limits.producerHoles": "deduplication.maxSequenceGaps",
        "limits.rememberProducersForMs": "deduplication.producerWindowMs",
        "limits.clients": "limits.renderers",
        "limits.clientsPerPopup": "limits.renderersPerPopup",
        "limits.tokens": "limits.suspensions",
        "limits.trees": "limits.pageTrees",
        "limits.answerPopups": "limits.queryResults",
        "limits.mailboxCalls": "limits.pendingCalls",
        "limits.syncs": "limits.activeSyncs",
        "limits.waitingSyncs": "limits.queuedSyncs",
        "quotas.named": "quotas.perProducer",
        "quotas.named.commandsPerSecond": "quotas.perProducer.commandsPerSecond",
        "quotas.named.burst": "quotas.perProducer.burst",
        "quotas.named.livePopups": "quotas.perProducer.livePopups",
        "quotas.unnamed": "quotas.anonymous",
        "quotas.unnamed.commandsPerSecond": "quotas.anonymous.commandsPerSecond",
        "quotas.unnamed.burst": "quotas.anonymous.burst",
        "quotas.unnamed.livePopups": "quotas.anonymous.livePopups",
    ]

    private static let keysByVariable = Dictionary(
        uniqueKeysWithValues: keys.map { (Setting.variable(of: $0.key), $0.value) })

    /// Returns the key of today for one of before, or `nil` when no setting had that key.
    static func newKey(for key: String) -> String? { keys[key] }

    /// Returns the key of today for an environment variable of before, or `nil` when no setting had that variable.
    static func newKey(forVariable variable: String) -> String? { keysByVariable[variable] }
}
