public import PopupAccess
public import PopupProtocol
public import PopupScheduling

/// How a broker runs.
public struct BrokerConfiguration: Sendable, Equatable {
    /// Where the two sockets are bound.
    public var endpoints = BrokerEndpoints()
    /// How much the sockets queue.
    public var socketLimits = SocketLimits()
    /// The bounds of the broker's own tables.
    public var limits = BrokerLimits()
    /// The bounds of the scheduler's tables.
    public var scheduling = Limits()
    /// In ms: so often the state of a group with an active popup is sent again.
    public var refreshInterval: Milliseconds = 5000
    /// The policies in force from the start; of several for one `group` the last counts.
    public var policies: [WireSetPolicy] = []
    /// Where the time zones of quiet windows are.
    public var timeZones = TimeZoneDirectory.system
    /// What one producer may send and keep.
    public var quotas = ProducerQuotas.Settings()
    /// What popups get where they name nothing themselves: `group` is the pattern, the rest the values.
    public var defaults: [WirePopup] = []
    /// Who may do what. A transport that verifies no users needs open rules, or all clients are ones without a key.
    public var access = AccessRules.open
    /// Begins the random numbers from which gaps are drawn.
    public var seed: UInt64 = 0
    /// The broker's version, as `stats` tells it.
    public var version = ProductVersion.current

    /// The defaults.
    public init() {}
}

/// Where the two sockets are bound, or are to be.
public struct BrokerEndpoints: Sendable, Hashable {
    /// Commands in.
    public var ingress: String
    /// State, events and replies out.
    public var egress: String

    /// Endpoints; reachable from this machine alone unless told otherwise. A port `*` takes a free one.
    public init(ingress: String = "tcp://127.0.0.1:5570", egress: String = "tcp://127.0.0.1:5571") {
        self.ingress = ingress
        self.egress = egress
    }
}

/// How many connections the sockets take, and how much they keep for them.
public struct SocketLimits: Sendable, Hashable {
    /// Received and not yet taken: beyond it the peer's sends wait or, as PUB does, are dropped there.
    public var ingressHighWaterMark: Int32 = 256
    /// Sent and not yet taken by the subscriber: beyond it that subscriber loses messages.
    public var egressHighWaterMark: Int32 = 10_000
    /// Connections of each socket, or fewer where the process may not open so many files; beyond it the address that
    /// has most loses its newest.
    public var connections = 4096
    /// Bytes of memory in use beyond which connections are cut off that fill the queues.
    public var memoryBytes = 4 << 30

    /// The defaults.
    public init() {}
}

/// The bounds of the broker's own tables.
public struct BrokerLimits: Sendable, Hashable {
    /// Bytes of a popup's `text` or `data`; beyond it a command is refused `TOO_LARGE`.
    public var popupContentBytes = 65_536
    /// Subscriptions held; a new one beyond it is not answered with the states, the refresh serves it.
    public var subscriptions = 100_000
    /// Subscriptions of one connection; one with more is cut off.
    public var subscriptionsPerConnection = 10_000
    /// Bytes of the prefixes to which one connection subscribes; one with more is cut off. libzmq keeps up to 50 bytes
    /// for each of them.
    public var subscriptionBytesPerConnection = 4 << 20
    /// Bytes of the prefixes to which all connections subscribe; beyond it the connection that holds most is cut off.
    public var subscriptionBytes = 16 << 20
    /// Popups in an answer to `list` or `peek`; beyond it the answer says that it is truncated.
    public var queryResults = 1000
    /// Messages taken at one wake-up and committed together at most; a journal that waits for no disk takes fewer
    /// (`Journal.preferredBatch`). After as many commands no further message is taken.
    public var batchMessages = 1024
    /// Lines of the log about refusals in a second; beyond it they are only counted.
    public var refusalLogLines = 10
    /// Calls from other threads that wait for the broker; beyond it they are refused `OVERLOAD`.
    public var pendingCalls = 1024
    /// Producers whose sequences are remembered, for their acknowledgements; beyond it the longest silent is forgotten
    /// for a new one, and while all were active within the last minute the new one is refused `OVERLOAD`.
    public var maxProducers = 100_000
    /// Ranges of settled sequences above a producer's first gap; a command that would open one more is refused
    /// `OVERLOAD`.
    public var maxSequenceGaps = 1024
    /// In ms: so long a silent producer is remembered while there is room.
    public var producerWindow: Milliseconds = 86_400_000
    /// Answers to `sync/…` under way at a time; further ones wait.
    public var activeSyncs = 64
    /// Such answers that wait; beyond it a subscription is not answered: the client asks again under a new nonce.
    public var queuedSyncs = 4096

    /// The defaults.
    public init() {}
}
