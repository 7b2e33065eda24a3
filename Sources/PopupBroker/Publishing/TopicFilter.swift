import PopupProtocol

/// The subscriptions to the topics of groups. Messages of groups that match none of them are not encoded: libzmq would
/// drop them.
///
/// A hash of each prefix is kept. If two prefixes have the same hash, a message may be encoded that no client receives;
/// none is left out.
struct TopicFilter {
    typealias Channels = SubscriptionCounts.Channels

    /// The channels with a topic for each group whose messages have a frame of their own for the topic. A prefix may
    /// match the body of a message of one frame, too: those of `state+frame` are always encoded.
    private static let names = [Channel.state, .stateJSON, .events, .eventsJSON].map {
        (bit: Channels($0), prefix: Array($0.prefix.utf8))
    }

    /// The prefixes of names of groups, by channel.
    private var prefixes = [NamePrefixes](repeating: NamePrefixes(), count: Self.names.count)
    /// The number of subscriptions to all groups, by channel.
    private var toAll = [Int](repeating: 0, count: Self.names.count)
    /// The channels without a subscription to all groups.
    private var filtered: Channels = [.state, .stateJSON, .events, .eventsJSON]

    /// Adds a subscription that matches these channels.
    mutating func add(_ prefix: [UInt8], matching: Channels) { change(prefix, matching, by: 1) }

    /// Removes a subscription that was added.
    mutating func remove(_ prefix: [UInt8], matching: Channels) { change(prefix, matching, by: -1) }

    private mutating func change(_ prefix: [UInt8], _ matching: Channels, by change: Int) {
        for (index, channel) in Self.names.enumerated() where matching.contains(channel.bit) {
            if prefix.count > channel.prefix.count {
                prefixes[index].change(prefix[channel.prefix.count...], by: change)
            } else {
                toAll[index] += change
                if toAll[index] == 0 { filtered.insert(channel.bit) } else { filtered.remove(channel.bit) }
            }
        }
    }

    /// Returns those of the channels on which a client may subscribe to the topic of a group.
    @inline(__always)
    func channels(_ channels: Channels, ofGroup name: UnsafeRawBufferPointer) -> Channels {
        channels.isDisjoint(with: filtered) ? channels : filter(channels, name)
    }

    @inline(never)
    private func filter(_ channels: Channels, _ name: UnsafeRawBufferPointer) -> Channels {
        var channels = channels
        for (index, channel) in Self.names.enumerated()
        where channels.contains(channel.bit) && filtered.contains(channel.bit) {
            if !prefixes[index].match(name) { channels.remove(channel.bit) }
        }
        return channels
    }
}

/// Prefixes of names of groups with a final `/`, with the number of subscriptions to each.
private struct NamePrefixes {
    /// The maximum number of different lengths that are looked up. If there are more, every name matches.
    private static let maximumLengths = 24

    private var counts: [UInt64: Int] = [:]
    /// The lengths of the prefixes, the shortest first, with the number of subscriptions of each.
    private var lengths: [(length: Int, count: Int)] = []

    mutating func change(_ prefix: ArraySlice<UInt8>, by change: Int) {
        let hash = prefix.reduce(into: PrefixHash()) { $0.add($1) }.value
        counts[hash, default: 0] += change
        if counts[hash] == 0 { counts[hash] = nil }
        let index = lengths.firstIndex { $0.length >= prefix.count } ?? lengths.count
        if index == lengths.count || lengths[index].length != prefix.count {
            lengths.insert((prefix.count, 0), at: index)
        }
        lengths[index].count += change
        if lengths[index].count == 0 { lengths.remove(at: index) }
    }

    /// Whether a prefix may match the topic of a group.
    func match(_ name: UnsafeRawBufferPointer) -> Bool {
        guard lengths.count <= Self.maximumLengths else { return true }
        var hash = PrefixHash()
        var hashed = 0
        for (length, _) in lengths {
            guard length <= name.count + 1 else { return false }
            while hashed < length {
                hash.add(hashed < name.count ? name[hashed] : UInt8(ascii: "/"))
                hashed += 1
            }
            if counts[hash.value] != nil { return true }
        }
        return false
    }
}

/// The hash FNV-1a of 64 bits (http://www.isthe.com/chongo/tech/comp/fnv/), which can be continued byte by byte.
private struct PrefixHash {
    private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    @inline(__always)
    mutating func add(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
}
