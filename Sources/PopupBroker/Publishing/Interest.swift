import PopupProtocol

/// Which channels somebody subscribes to: counts, a subscription being counted for every channel of which it can match
/// a topic. No table of subscriptions is needed for it: the sockets keep theirs.
struct Interest {
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
                case .heads: .heads
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
        static var heads: Channels { Channels(rawValue: 1 << 5) }
        static var acks: Channels { Channels(rawValue: 1 << 6) }
        static var acksJSON: Channels { Channels(rawValue: 1 << 7) }
        static var sync: Channels { Channels(rawValue: 1 << 8) }
        static var syncJSON: Channels { Channels(rawValue: 1 << 9) }
        static var replies: Channels { Channels(rawValue: 1 << 10) }
        static var repliesJSON: Channels { Channels(rawValue: 1 << 11) }
    }

    private static let prefixes = Channel.allCases.map { (bit: Channels($0), prefix: Array($0.prefix.utf8)) }

    private var counts = [Int](repeating: 0, count: Channel.allCases.count)
    /// The channels to which there is a subscription.
    private(set) var channels: Channels = []
    /// Subscriptions held.
    private(set) var subscriptions = 0

    init() {}

    /// Counts a subscription, or its withdrawal, and returns the channels that it matches.
    @discardableResult
    mutating func count(_ prefix: [UInt8], isSubscription: Bool) -> Channels {
        let change = isSubscription ? 1 : -1
        subscriptions += change
        var matching: Channels = []
        for (index, channel) in Self.prefixes.enumerated()
        where channel.prefix.starts(with: prefix) || prefix.starts(with: channel.prefix) {
            counts[index] += change
            let bit = channel.bit
            matching.insert(bit)
            if counts[index] > 0 { channels.insert(bit) } else { channels.remove(bit) }
        }
        return matching
    }
}
