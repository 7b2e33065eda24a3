import PopupAccess
import PopupProtocol

/// The subscriptions of each connection, and the channels with at least one subscription.
///
/// A withdrawal counts only for the connection that has subscribed: a client may send any withdrawals without an effect
/// on others.
struct SubscriptionCounts {
    /// A set of channels.
    struct Channels: OptionSet {
        let rawValue: UInt16

        init(rawValue: UInt16) { self.rawValue = rawValue }

        init(_ channel: Channel) {
            self =
                switch channel {
                case .state: .state
                case .stateJSON: .stateJSON
                case .stateFrame: .stateFrame
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

        // Computed properties, so that they are constants where they are used. Stored ones would check their
        // initialization at each use, and these are used for every message.
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
        static var stateFrame: Channels { Channels(rawValue: 1 << 12) }
        /// The channels with a message for each state.
        static var states: Channels { Channels(rawValue: 1 << 0 | 1 << 1 | 1 << 12) }
    }

    /// The limits of the subscriptions.
    struct Bounds {
        /// The maximum number of subscriptions per connection.
        var perConnection: Int
        /// The maximum size of their prefixes in bytes.
        var bytesPerConnection: Int
        /// The maximum size of the prefixes of all connections, in bytes.
        var bytes: Int
        /// The maximum number of subscriptions of all connections that are answered.
        var answered: Int

        /// Creates the limits of a broker.
        init(_ limits: BrokerLimits = BrokerLimits()) {
            perConnection = limits.subscriptionsPerConnection
            bytesPerConnection = limits.subscriptionBytesPerConnection
            bytes = limits.subscriptionBytes
            answered = limits.subscriptions
        }
    }

    /// The outcome of a subscription.
    enum Outcome: Equatable {
        /// The subscription is counted, and matches these channels.
        case counted(Channels)
        /// The subscription exceeds the limit with this key. The connection with the most bytes must be disconnected.
        case excessive(ConnectionID, limit: String)
    }

    /// The subscriptions of one connection.
    private struct Holding {
        var prefixes: Set<[UInt8]> = []
        /// The prefixes that were denied: they match nothing.
        var denied: Set<[UInt8]> = []
        let user: UserName?
        /// The size of the prefixes in bytes.
        var bytes = 0
        var counts = ChannelCounts()
        /// The subscriptions that ask for an answer of `sync`, in their order.
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
    /// The size of the prefixes of all connections in bytes.
    private(set) var bytes = 0
    /// The groups to whose topics a client subscribes.
    private(set) var topics = TopicFilter()
    /// The channels with at least one subscription.
    private(set) var channels: Channels = []
    /// The number of subscriptions.
    private(set) var subscriptions = 0

    init(_ bounds: Bounds = Bounds()) { self.bounds = bounds }

    /// Whether a subscription asks for an answer of `sync`.
    static func isSync(_ prefix: [UInt8]) -> Bool { syncPrefixes.contains { prefix.starts(with: $0) } }

    /// Adds a subscription of a connection. The same one counts once. A denied one takes its room, and matches nothing.
    mutating func add(
        _ prefix: [UInt8], of connection: ConnectionID, by user: UserName? = nil, isDenied: Bool = false
    ) -> Outcome {
        if holdings[connection]?.prefixes.contains(prefix) == true,
            holdings[connection]?.denied.contains(prefix) != isDenied
        {
            remove(prefix, of: connection)
        }
        let matching = isDenied ? [] : ChannelCounts.channels(matching: prefix)
        if let holding = holdings[connection] {
            guard !holding.prefixes.contains(prefix) else { return .counted(matching) }
            if holding.prefixes.count >= bounds.perConnection {
                return .excessive(connection, limit: "limits.subscriptionsPerConnection")
            }
            if holding.bytes + prefix.count > bounds.bytesPerConnection {
                return .excessive(connection, limit: "limits.subscriptionBytesPerConnection")
            }
        }
        if bytes + prefix.count > bounds.bytes {
            return .excessive(largest(of: connection, adding: prefix.count), limit: "limits.subscriptionBytes")
        }
        holdings[connection, default: Holding(user: user)].add(prefix, matching)
        if isDenied { holdings[connection]?.denied.insert(prefix) }
        counts.add(matching)
        topics.add(prefix, matching: matching)
        bytes += prefix.count
        subscriptions += 1
        channels.formUnion(matching)
        return .counted(matching)
    }

    /// The subscriptions of each connection, the oldest first, in an order that does not depend on a hash table.
    var all: [(connection: ConnectionID, user: UserName?, prefixes: [(prefix: [UInt8], isDenied: Bool)])] {
        holdings.sorted { $0.key.number < $1.key.number }.map { connection, holding in
            let prefixes = holding.prefixes.sorted { $0.lexicographicallyPrecedes($1) }
            return (connection, holding.user, prefixes.map { ($0, holding.denied.contains($0)) })
        }
    }

    /// Returns the channels that a subscription of a connection matches; `nil` if the connection does not have it.
    func channels(of prefix: [UInt8], of connection: ConnectionID) -> Channels? {
        guard let holding = holdings[connection], holding.prefixes.contains(prefix) else { return nil }
        return holding.denied.contains(prefix) ? [] : ChannelCounts.channels(matching: prefix)
    }

    /// Whether the subscriptions of a connection are answered with states: if there are too many in total, only those
    /// of connections with at most their equal share of the limit.
    func isAnswered(_ connection: ConnectionID) -> Bool {
        guard subscriptions > bounds.answered else { return true }
        return holdings[connection].map { $0.prefixes.count <= bounds.answered / holdings.count } ?? false
    }

    /// Removes a subscription of a connection. Returns whether the connection had it.
    @discardableResult
    mutating func remove(_ prefix: [UInt8], of connection: ConnectionID) -> Bool {
        guard holdings[connection]?.prefixes.contains(prefix) == true else { return false }
        let isDenied = holdings[connection]?.denied.remove(prefix) != nil
        let matching = isDenied ? [] : ChannelCounts.channels(matching: prefix)
        holdings[connection]?.remove(prefix, matching)
        if holdings[connection]?.prefixes.isEmpty == true { holdings[connection] = nil }
        counts.remove(matching)
        topics.remove(prefix, matching: matching)
        bytes -= prefix.count
        subscriptions -= 1
        channels = counts.channels
        return true
    }

    /// Removes a connection that has ended. Returns its subscriptions that ask for an answer of `sync`.
    mutating func removeAll(of connection: ConnectionID) -> [[UInt8]] {
        guard let holding = holdings.removeValue(forKey: connection) else { return [] }
        counts.remove(holding.counts)
        for prefix in holding.prefixes where !holding.denied.contains(prefix) {
            topics.remove(prefix, matching: ChannelCounts.channels(matching: prefix))
        }
        bytes -= holding.bytes
        subscriptions -= holding.prefixes.count
        channels = counts.channels
        return holding.syncs
    }

    /// Returns the connections of some users with a subscription of which this says yes, the oldest first.
    func connections(
        of isConcerned: (UserName?) -> Bool,
        where isWanted: (_ prefix: [UInt8], _ isDenied: Bool, _ user: UserName?) -> Bool
    ) -> [ConnectionID] {
        let chosen = holdings.filter { _, holding in
            isConcerned(holding.user)
                && holding.prefixes.contains { isWanted($0, holding.denied.contains($0), holding.user) }
        }
        return chosen.keys.sorted { $0.number < $1.number }
    }

    /// Returns the connection with the most bytes; of equal ones, the oldest.
    private func largest(of newest: ConnectionID, adding bytes: Int) -> ConnectionID {
        var (largest, most) = (newest, (holdings[newest]?.bytes ?? 0) + bytes)
        for (connection, holding) in holdings
        where holding.bytes > most || holding.bytes == most && connection.number < largest.number {
            (largest, most) = (connection, holding.bytes)
        }
        return largest
    }
}

/// The number of subscriptions that match each channel.
private struct ChannelCounts {
    private static let prefixes = Channel.allCases.map {
        (bit: SubscriptionCounts.Channels($0), prefix: Array($0.prefix.utf8), isByName: $0 == .stateFrame)
    }

    private var counts = [Int](repeating: 0, count: Self.prefixes.count)

    /// Returns the channels with topics that a prefix can match.
    static func channels(matching prefix: [UInt8]) -> SubscriptionCounts.Channels {
        var matching: SubscriptionCounts.Channels = []
        // A prefix that is longer than any topic matches none.
        guard prefix.count <= Topic.maximumBytes else { return matching }
        for channel in prefixes {
            // Messages of one frame are sent only if a client asks for this channel: others expect two frames.
            let isMatching =
                prefix.starts(with: channel.prefix) || !channel.isByName && channel.prefix.starts(with: prefix)
            if isMatching { matching.insert(channel.bit) }
        }
        return matching
    }

    /// The channels that at least one subscription matches.
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
