import PopupClient
import PopupProtocol

/// A reader of patterns.
protocol PatternReader: AnyObject, Sendable {
    /// The patterns that it follows.
    var patterns: [GroupPattern] { get }
}

/// The feed of a pattern: its content, and its readers.
protocol PatternFeed: Sendable {
    associatedtype Reader: PatternReader

    /// The task that receives it.
    var receiver: Task<Void, Never> { get }
    var readers: [ObjectIdentifier: Reader] { get set }
    /// The time since which it has no reader; `nil`: it has one.
    var unreadSince: ContinuousClock.Instant? { get set }
}

/// The patterns that a hub follows, and their readers.
///
/// A pattern without a reader stays for another half minute, so that a reader that reconnects finds what it needs. If the
/// places are needed, these patterns go first. One token holds at most a quarter of the places. A pattern takes one place, and
/// a long one several: the broker limits the number and the bytes of the subscriptions of a connection.
struct FollowedPatterns<Feed: PatternFeed> {
    private struct Holder {
        let reader: Feed.Reader
        let token: TokenHash?
    }

    private var feeds: [GroupPattern: Feed] = [:]
    private var holders: [ObjectIdentifier: Holder] = [:]
    /// The number of readers of each pattern that a token follows.
    private var held: [TokenHash: [GroupPattern: Int]] = [:]
    /// The number of places that are taken.
    private var places = 0
    private let limit: Int

    /// Creates an empty table.
    ///
    /// - Parameter limit: The number of places.
    init(limit: Int) {
        self.limit = limit
    }

    /// The number of patterns.
    var count: Int { feeds.count }
    /// The patterns.
    var patterns: [GroupPattern] { Array(feeds.keys) }
    /// The number of readers.
    var readerCount: Int { holders.count }
    /// The readers.
    var readers: [Feed.Reader] { holders.values.map(\.reader) }

    /// Returns the feed of a pattern; `nil` if it is not followed.
    subscript(pattern: GroupPattern) -> Feed? { feeds[pattern] }

    /// Changes the feed of a pattern, if it is followed.
    mutating func change(_ pattern: GroupPattern, _ change: (inout Feed) -> Void) {
        guard var feed = feeds.removeValue(forKey: pattern) else { return }
        change(&feed)
        feeds[pattern] = feed
    }

    /// Adds a reader, and opens those of its patterns that are not followed yet. If that fails, all stays as it was.
    ///
    /// - Parameters:
    ///   - token: The token that the reader belongs to; `nil`: the gateway itself, which may hold all places.
    ///   - open: Opens a pattern.
    /// - Returns: The feeds that have given up their places. Their receivers are to be cancelled.
    /// - Throws: `ClientError.tooManyStreams`, and what `open` throws.
    mutating func add(
        _ reader: Feed.Reader, for token: TokenHash?, open: (GroupPattern) throws(ClientError) -> Feed
    ) throws(ClientError) -> [Feed] {
        if let token {
            let share = max(1, limit / Self.tokensShare)
            let held = held[token] ?? [:]
            guard held.keys.places + reader.patterns.filter({ held[$0] == nil }).places <= share else {
                throw .tooManyStreams(limit: share)
            }
        }
        let further = reader.patterns.filter { feeds[$0] == nil }
        let surplus = places + further.places - limit
        let unread = surplus <= 0 ? [] : longestUnread(surplus, except: Set(reader.patterns))
        guard unread.places >= surplus else { throw .tooManyStreams(limit: limit) }
        var opened: [GroupPattern: Feed] = [:]
        do throws(ClientError) {
            for pattern in further { opened[pattern] = try open(pattern) }
        } catch {
            for feed in opened.values { feed.receiver.cancel() }
            throw error
        }
        let removed = unread.compactMap { remove($0) }
        feeds.merge(opened) { $1 }
        places += further.places
        attach(reader, for: token)
        return removed
    }

    /// Returns the patterns that have been without a reader longest, as many as have a number of places together.
    ///
    /// - Parameter wanted: The number of places. If there are fewer, all patterns without a reader are returned.
    private func longestUnread(_ wanted: Int, except kept: Set<GroupPattern>) -> [GroupPattern] {
        let unread = feeds.compactMap { pattern, feed in
            kept.contains(pattern) ? nil : feed.unreadSince.map { (pattern: pattern, since: $0) }
        }
        var found: [GroupPattern] = []
        var left = wanted
        for (pattern, _) in unread.sorted(by: { $0.since < $1.since }) where left > 0 {
            found.append(pattern)
            left -= pattern.places
        }
        return found
    }

    private mutating func attach(_ reader: Feed.Reader, for token: TokenHash?) {
        let name = ObjectIdentifier(reader)
        holders[name] = Holder(reader: reader, token: token)
        for pattern in reader.patterns {
            if let token { held[token, default: [:]][pattern, default: 0] += 1 }
            change(pattern) { feed in
                feed.readers[name] = reader
                feed.unreadSince = nil
            }
        }
    }

    /// Removes a reader. The second time has no effect.
    mutating func remove(_ reader: Feed.Reader, at now: ContinuousClock.Instant) {
        let name = ObjectIdentifier(reader)
        guard let holder = holders.removeValue(forKey: name) else { return }
        for pattern in reader.patterns {
            if let token = holder.token { release(pattern, of: token) }
            change(pattern) { feed in
                feed.readers[name] = nil
                if feed.readers.isEmpty { feed.unreadSince = now }
            }
        }
    }

    private mutating func release(_ pattern: GroupPattern, of token: TokenHash) {
        let rest = (held[token]?[pattern] ?? 1) - 1
        held[token]?[pattern] = rest > 0 ? rest : nil
        if held[token]?.isEmpty == true { held[token] = nil }
    }

    /// Removes and returns the feed of a pattern that cannot be followed any more.
    mutating func remove(_ pattern: GroupPattern) -> Feed? {
        let feed = feeds.removeValue(forKey: pattern)
        if feed != nil { places -= pattern.places }
        return feed
    }

    /// Removes and returns the feeds that have had no reader for half a minute.
    mutating func removeUnread(at now: ContinuousClock.Instant) -> [Feed] {
        let unread = feeds.filter { $0.value.unreadSince.map { now - $0 > Self.linger } ?? false }
        return unread.keys.compactMap { remove($0) }
    }

    private static var linger: Duration { .seconds(30) }
    /// The part of the places that one token may hold is one of this many.
    private static var tokensShare: Int { 4 }
}

extension GroupPattern {
    /// The places that a pattern takes: one for each 48 bytes of its subscription, begun or full. So 7168 places of states and
    /// events have at most 336 KiB, of the 512 KiB that are the broker's default of `limits.subscriptionBytesPerConnection`.
    fileprivate var places: Int { (Self.bytesOfChannel + text.utf8.count + 47) / 48 }

    /// The length of `state+frame//`.
    private static var bytesOfChannel: Int { 13 }
}

extension Sequence<GroupPattern> {
    fileprivate var places: Int { reduce(0) { $0 + $1.places } }
}
