public import PopupAccess
public import PopupProtocol
public import PopupScheduling

/// The configuration of a broker.
public struct BrokerConfiguration: Sendable, Equatable {
    /// The endpoints to which the two sockets are bound.
    public var endpoints = BrokerEndpoints()
    /// The limits of the sockets.
    public var socketLimits = SocketLimits()
    /// The limits of the broker's own tables.
    public var limits = BrokerLimits()
    /// The limits of the scheduler's tables.
    public var scheduling = Limits()
    /// The interval in ms at which the state of a group with an active popup is repeated.
    public var refreshInterval: Milliseconds = 5000
    /// The policies that apply from the start. Of several for one `group`, the last applies.
    public var policies: [WireSetPolicy] = []
    /// The directory of the time zones of quiet windows.
    public var timeZones = TimeZoneDirectory.system
    /// The quotas of producers.
    public var quotas = ProducerQuotas.Settings()
    /// The defaults of popups: `group` is the pattern, the other fields are the values of absent ones.
    public var defaults: [WirePopup] = []
    /// The rights of users. A transport that verifies no users needs open rules; otherwise all clients count as clients
    /// without a key.
    public var access = AccessRules.open
    /// The seed of the random numbers for gaps.
    public var seed: UInt64 = 0
    /// The seed of hash tables. Clients must not be able to predict the positions of names in them; from gaps they
    /// could compute the other one.
    public var hashSeed: UInt64 = 0
    /// The version of the broker in the answer to `stats`.
    public var version = ProductVersion.current

    /// Creates the defaults.
    public init() {}

    /// Checks what a broker checks when it begins: the defaults, and the policies with their time zones and their
    /// number.
    ///
    /// - Throws: `CommandRefusal` for the first mistake.
    public func check() throws(CommandRefusal) {
        _ = try ConfiguredPlugins(self)
        for policy in policies { _ = try PolicyTranslator.policy(policy, timeZones: timeZones) }
        let names = Set(policies.map(\.group)).count
        guard names <= scheduling.policies else {
            throw CommandRefusal(
                .overload,
                "\(names) policies exceed `limits.policies`, \(scheduling.policies); set fewer, or raise it")
        }
    }
}

/// The endpoints of a broker's two sockets.
public struct BrokerEndpoints: Sendable, Hashable {
    /// The endpoint for commands.
    public var ingress: String
    /// The endpoint for states, events and replies.
    public var egress: String

    /// Creates endpoints; by default, only this machine can reach them. For the port `*` the system chooses a free one.
    public init(ingress: String = "tcp://127.0.0.1:5570", egress: String = "tcp://127.0.0.1:5571") {
        self.ingress = ingress
        self.egress = egress
    }
}

/// The limits of connections, and of what is queued for them.
public struct SocketLimits: Sendable, Hashable {
    /// The maximum number of received messages that are not read yet. Beyond it the peer waits or, as PUB does, drops
    /// messages.
    public var ingressHighWaterMark: Int32 = 256
    /// The maximum number of messages that are queued for a subscriber. Beyond it the subscriber loses messages.
    public var egressHighWaterMark: Int32 = 10_000
    /// The maximum number of connections of each socket; fewer if the process may not open so many files. Beyond it,
    /// the newest connection of the address with the most is cut off.
    public var connections = 4096
    /// The number of bytes of memory in use beyond which connections are cut off that fill the queues.
    public var memoryBytes = 4 << 30

    /// Creates the defaults.
    public init() {}
}

/// The limits of the broker's own tables.
public struct BrokerLimits: Sendable, Hashable {
    /// The maximum number of bytes of a popup's `text` or `data`. Beyond it a command is refused `TOO_LARGE`.
    public var popupContentBytes = 65_536
    /// The maximum number of subscriptions that are recorded. A new one beyond it receives states only by the refresh.
    public var subscriptions = 100_000
    /// The maximum number of subscriptions of a connection. One with more is cut off.
    public var subscriptionsPerConnection = 10_000
    /// The maximum number of bytes of the prefixes to which a connection subscribes. One with more is cut off. libzmq
    /// keeps up to 50 bytes for each of them.
    public var subscriptionBytesPerConnection = 512 << 10
    /// The maximum number of bytes of the prefixes of all connections. Beyond it, the connection with the most is cut
    /// off.
    public var subscriptionBytes = 16 << 20
    /// The maximum number of popups in an answer to `list` or `peek`. With more, the answer says that it is truncated.
    public var queryResults = 1000
    /// The maximum number of messages that are received at one wake-up and committed together; fewer with a journal
    /// that does not wait for a disk (`Journal.preferredBatch`). After as many commands, no further message is
    /// received.
    public var batchMessages = 1024
    /// The maximum number of log lines about refusals per second. Further ones are only counted.
    public var refusalLogLines = 10
    /// The maximum number of calls from other threads that wait for the broker. Further ones are refused `OVERLOAD`.
    public var pendingCalls = 1024
    /// The maximum number of producers whose sequences are remembered. Beyond it, the one that was silent for the
    /// longest time is removed for a new one; if all were active within the last minute, the new one is refused
    /// `OVERLOAD`.
    public var maxProducers = 100_000
    /// The maximum number of ranges of settled sequences above a producer's first gap. A command that would open
    /// another one is refused `OVERLOAD`.
    public var maxSequenceGaps = 1024
    /// The time in ms for which a silent producer is remembered while there is space.
    public var producerWindow: Milliseconds = 86_400_000
    /// The maximum number of answers to `sync/…` that are sent at a time. Further ones wait.
    public var activeSyncs = 64
    /// The maximum number of waiting answers to `sync/…`. A subscription beyond it is not answered: the client asks
    /// again with a new nonce.
    public var queuedSyncs = 4096

    /// Creates the defaults.
    public init() {}
}
