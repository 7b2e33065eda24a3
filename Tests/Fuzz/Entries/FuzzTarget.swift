/// A reader of what comes from outside, as a fuzzer and as a replay of the corpus call it.
enum FuzzTarget: String, CaseIterable {
    /// Binary frames into the broker's core, with time and restarts between them.
    case framesBinary = "frames-binary"
    /// JSON frames into the broker's core, a line each.
    case framesJSON = "frames-json"
    /// Subscriptions and withdrawals of any bytes into the broker's core; topics, patterns and names.
    case subscriptions = "subscriptions"
    /// Commands and subscriptions of users with limited rights into the broker's core.
    case rights = "rights"
    /// Damaged snapshots into the scheduler and into recovery.
    case snapshots = "snapshots"
    /// Damaged data directories into recovery.
    case journals = "journals"
    /// Configuration files and files of policies.
    case configuration = "configuration"
    /// Values of the environment and of the command line.
    case settings = "settings"
    /// Key files, and requests about who may connect.
    case keys = "keys"
    /// TZif data and POSIX TZ strings.
    case timeZones = "time-zones"
    /// What a hostile broker sends to clients, and what `popupctl` prints of it.
    case client = "client"
    /// The file of an outbox.
    case outbox = "outbox"
    /// Files of commands for `simulate`.
    case recordings = "recordings"
    /// Records of a fleet's shared log, and those who follow it.
    case sharedLog = "shared-log"
    /// The file with the directory of shards.
    case shards = "shards"
    /// What a hostile gateway sends to clients over HTTP.
    case stateFeed = "state-feed"

    /// Reads an input and checks what must hold whatever it is. Returns whether something of the input was accepted.
    ///
    /// - Throws: ``Finding`` when something does not hold. A trap ends the process.
    @discardableResult
    func run(_ input: [UInt8]) throws -> Bool {
        switch self {
        case .framesBinary: try FramesEntry.run(binary: input).isAccepted
        case .framesJSON: try FramesEntry.run(lines: input).isAccepted
        case .subscriptions: try SubscriptionsEntry.run(input)
        case .rights: try RightsEntry.run(input)
        case .snapshots: try SnapshotsEntry.run(input)
        case .journals: try JournalsEntry.run(input)
        case .configuration: try ConfigurationEntry.run(input)
        case .settings: try SettingsEntry.run(input)
        case .keys: try KeysEntry.run(input)
        case .timeZones: try TimeZonesEntry.run(input)
        case .client: try ClientEntry.run(input)
        case .outbox: try OutboxEntry.run(input)
        case .recordings: try RecordingsEntry.run(input)
        case .sharedLog: try SharedLogEntry.run(input)
        case .shards: try ShardsEntry.run(input)
        case .stateFeed: try StateFeedEntry.run(input)
        }
    }
}

/// What must hold and does not.
struct Finding: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) {
        self.description = description
    }
}
