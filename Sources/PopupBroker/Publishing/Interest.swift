import PopupProtocol

/// Which channels somebody subscribes to: counts, a subscription being counted for every channel of which it can match
/// a topic. No table of subscriptions is needed for it: the sockets keep theirs.
struct Interest {
    /// Some of the channels.
    struct Channels: OptionSet {
        let rawValue: UInt16

        init(rawValue: UInt16) { self.rawValue = rawValue }
        init(_ channel: Channel) { rawValue = 1 << UInt16(Channel.allCases.firstIndex(of: channel) ?? 15) }

        static let state = Channels(.state)
        static let stateJSON = Channels(.stateJSON)
        static let feed = Channels(.feed)
        static let events = Channels(.events)
        static let eventsJSON = Channels(.eventsJSON)
        static let heads = Channels(.heads)
        static let acks = Channels(.acks)
        static let acksJSON = Channels(.acksJSON)
        static let replies = Channels(.replies)
        static let repliesJSON = Channels(.repliesJSON)
    }

    private static let prefixes = Channel.allCases.map { Array($0.prefix.utf8) }

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
        where channel.starts(with: prefix) || prefix.starts(with: channel) {
            counts[index] += change
            let bit = Channels(rawValue: 1 << UInt16(index))
            matching.insert(bit)
            if counts[index] > 0 { channels.insert(bit) } else { channels.remove(bit) }
        }
        return matching
    }
}
