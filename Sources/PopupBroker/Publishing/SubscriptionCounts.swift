import PopupProtocol

/// The subscriptions of each connection, and which channels somebody subscribes to.
///
/// A withdrawal is believed only from the connection that subscribed: a client may send withdrawals of whatever it
/// likes, and what others subscribe to stays counted.
struct SubscriptionCounts {
    /// Some of the channels.
    struct Channels: OptionSet {
        let rawValue: UInt16

        init(rawValue: UInt16) { self.rawValue = rawValue }

        init(_ channel: Channel) {
            self =
                switch channel {
                case .state: .state
                case .stateJSON: .stateJSON
                case .feed: .feed
                case .events: .events
                case .eventsJSON: .eventsJSON
                case .heartbeat: .heartbeat
                case .acks: .acks
                case .acksJSON: .acksJSON
                case .sync: .sync
                case .syncJSON: .syncJSON
                case .replies: .replies
                case .repliesJSON: .repliesJSON
                }
        }

        // Computed, so that they are constants where they are used: a stored one is asked for its initialization each
        // time, and these are looked at for every message.
        static var state: Channels { Channels(rawValue: 1 << 0) }
        static var stateJSON: Channels { Channels(rawValue: 1 << 1) }
        static var feed: Channels { Channels(rawValue: 1 << 2) }
        static var events: Channels { Channels(rawValue: 1 << 3) }
        static var eventsJSON: Channels { Channels(rawValue: 1 << 4) }
        static var heartbeat: Channels { Channels(rawValue: 1 << 5) }
        static var acks: Channels { Channels(rawValue: 1 << 6) }
        static var acksJSON: Channels { Channels(rawValue: 1 << 7) }
        static var sync: Channels { Channels(rawValue: 1 << 8) }
        static var syncJSON: Channels { Channels(rawValue: 1 << 9) }
        static var replies: Channels { Channels(rawValue: 1 << 10) }
        static var repliesJSON: Channels { Channels(rawValue: 1 << 11) }
    }

    /// The bounds of what is kept of subscriptions.
    struct Bounds {
        /// Subscriptions of one connection at most.
        var perConnection: Int
        /// Bytes of their prefixes at most.
        var bytesPerConnection: Int
        /// Bytes of the prefixes of all connections at most.
        var bytes: Int
        /// Subscriptions of all connections that are answered.
        var answered: Int

        /// Those of a broker.
        init(_ limits: BrokerLimits = BrokerLimits()) {
            perConnection = limits.subscriptionsPerConnection
            bytesPerConnection = limits.subscriptionBytesPerConnection
            bytes = limits.subscriptionBytes
            answered = limits.subscriptions
        }
    }

    /// What a subscription comes to.
    enum Outcome: Equatable {
        /// It is counted; it matches these channels.
        case counted(Channels)
        /// It is one too many, by the limit of this name; the connection that holds most is to be cut off.
        case excessive(ConnectionID, limit: String)
    }

    /// What one connection has subscribed to.
    private struct Holding {
        var prefixes: Set<[UInt8]> = []
        /// Of the prefixes.
        var bytes = 0
        var counts = ChannelCounts()
        /// Those that ask for an answer of `sync`, in their order.
        var syncs: [[UInt8]] = []

        mutating func add(_ prefix: [UInt8], _ matching: Channels) {
            prefixes.insert(prefix)
            bytes += prefix.count
            counts.add(matching)
            if SubscriptionCounts.isSync(prefix) { syncs.append(prefix) }
        }

        mutating func remove(_ prefix: [UInt8], _ matching: Channels) {
            prefixes.remove(prefix)
            bytes -= prefix.count
            counts.remove(matching)
            if SubscriptionCounts.isSync(prefix), let index = syncs.firstIndex(of: prefix) { syncs.remove(at: index) }
        }
    }

    private static let syncPrefixes = [Channel.sync, .syncJSON].map { Array($0.prefix.utf8) }

    private let bounds: Bounds
    private var holdings: [ConnectionID: Holding] = [:]
    private var counts = ChannelCounts()
    private var bytes = 0
    /// The channels to which there is a subscription.
    private(set) var channels: Channels = []
    /// Subscriptions held.
    private(set) var subscriptions = 0

    init(_ bounds: Bounds = Bounds()) { self.bounds = bounds }

    /// Whether a subscription asks for an answer of `sync`.
    static func isSync(_ prefix: [UInt8]) -> Bool { syncPrefixes.contains { prefix.starts(with: $0) } }

    /// Counts a connection's subscription. One that it holds already is counted once.
    mutating func add(_ prefix: [UInt8], of connection: ConnectionID) -> Outcome {
        let matching = ChannelCounts.channels(matching: prefix)
        if let holding = holdings[connection] {
            guard !holding.prefixes.contains(prefix) else { return .counted(matching) }
            if holding.prefixes.count >= bounds.perConnection {
                return .excessive(connection, limit: "subscriptionsPerConnection")
            }
            if holding.bytes + prefix.count > bounds.bytesPerConnection {
                return .excessive(connection, limit: "subscriptionBytesPerConnection")
            }
        }
        if bytes + prefix.count > bounds.bytes {
            return .excessive(largest(of: connection, adding: prefix.count), limit: "subscriptionBytes")
        }
        holdings[connection, default: Holding()].add(prefix, matching)
        counts.add(matching)
        bytes += prefix.count
        subscriptions += 1
        channels.formUnion(matching)
        return .counted(matching)
    }

    /// Whether a connection's subscriptions are answered with states: when there are too many in all, those of a
    /// connection that holds no more than its equal part of the limit.
    func isAnswered(_ connection: ConnectionID) -> Bool {
        guard subscriptions > bounds.answered else { return true }
        return holdings[connection].map { $0.prefixes.count <= bounds.answered / holdings.count } ?? false
    }

    /// Counts a connection's withdrawal. Returns whether it held the subscription: one that it never made changes
    /// nothing.
    @discardableResult
    mutating func remove(_ prefix: [UInt8], of connection: ConnectionID) -> Bool {
        guard holdings[connection]?.prefixes.contains(prefix) == true else { return false }
        let matching = ChannelCounts.channels(matching: prefix)
        holdings[connection]?.remove(prefix, matching)
        if holdings[connection]?.prefixes.isEmpty == true { holdings[connection] = nil }
        counts.remove(matching)
        bytes -= prefix.count
        subscriptions -= 1
        channels = counts.channels
        return true
    }

    /// Forgets a connection that has ended. Returns its subscriptions that ask for an answer of `sync`.
    mutating func removeAll(of connection: ConnectionID) -> [[UInt8]] {
        guard let holding = holdings.removeValue(forKey: connection) else { return [] }
        counts.remove(holding.counts)
        bytes -= holding.bytes
        subscriptions -= holding.prefixes.count
        channels = counts.channels
        return holding.syncs
    }

    /// The connection that holds most bytes; of equal ones the oldest.
    private func largest(of newest: ConnectionID, adding bytes: Int) -> ConnectionID {
        var (largest, most) = (newest, (holdings[newest]?.bytes ?? 0) + bytes)
        for (connection, holding) in holdings
        where holding.bytes > most || holding.bytes == most && connection.number < largest.number {
            (largest, most) = (connection, holding.bytes)
        }
        return largest
    }
}

/// How many subscriptions match each channel.
private struct ChannelCounts {
    private static let prefixes = Channel.allCases.map {
        (bit: SubscriptionCounts.Channels($0), prefix: Array($0.prefix.utf8))
    }

    private var counts = [Int](repeating: 0, count: Self.prefixes.count)

    /// The channels of which a prefix can match a topic.
    static func channels(matching prefix: [UInt8]) -> SubscriptionCounts.Channels {
        var matching: SubscriptionCounts.Channels = []
        // Longer than any topic: it matches none.
        guard prefix.count <= Topic.maximumBytes else { return matching }
        for channel in prefixes where channel.prefix.starts(with: prefix) || prefix.starts(with: channel.prefix) {
            matching.insert(channel.bit)
        }
        return matching
    }

    /// Those that at least one subscription matches.
    var channels: SubscriptionCounts.Channels {
        var channels: SubscriptionCounts.Channels = []
        for (index, channel) in Self.prefixes.enumerated() where counts[index] > 0 { channels.insert(channel.bit) }
        return channels
    }

    mutating func add(_ channels: SubscriptionCounts.Channels) { change(channels, by: 1) }

    mutating func remove(_ channels: SubscriptionCounts.Channels) { change(channels, by: -1) }

    mutating func remove(_ other: ChannelCounts) {
        for index in counts.indices { counts[index] -= other.counts[index] }
    }

    private mutating func change(_ channels: SubscriptionCounts.Channels, by change: Int) {
        for (index, channel) in Self.prefixes.enumerated() where channels.contains(channel.bit) {
            counts[index] += change
        }
    }
}
