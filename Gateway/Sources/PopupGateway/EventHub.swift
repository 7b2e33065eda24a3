import DequeModule
@_spi(Wire) import PopupClient
import PopupProtocol
import Synchronization

/// An event as JSON, encoded once for all streams, with its number since the start of the gateway.
struct EncodedEvent: Sendable {
    let number: UInt64
    let json: [UInt8]
}

/// The newest events of a pattern, for readers that come back.
struct RecentEvents: Sendable {
    private var events: Deque<EncodedEvent> = []
    /// The size of the events that are kept, in bytes.
    private(set) var bytes = 0
    /// The number up to which the events may be incomplete. A reader that has a lower one may have missed some.
    private var missingThrough: UInt64

    /// Creates the events after a number, which no event has.
    init(after number: UInt64) {
        missingThrough = number
    }

    /// The number of events that are kept.
    var count: Int { events.count }

    /// Adds an event, and forgets the oldest ones beyond the limits.
    mutating func append(_ event: EncodedEvent) {
        events.append(event)
        bytes += event.json.count
        while events.count > Self.maxCount || bytes > Self.maxBytes { forgetOldest() }
    }

    /// Forgets the events up to a number.
    mutating func forget(through number: UInt64) {
        while let oldest = events.first, oldest.number <= number { forgetOldest() }
    }

    private mutating func forgetOldest() {
        guard let oldest = events.popFirst() else { return }
        missingThrough = oldest.number
        bytes -= oldest.json.count
    }

    /// Records that events were lost up to a number, which no event has: a reader of the newest event may have missed some.
    mutating func lose(through number: UInt64) {
        missingThrough = number
        (events, bytes) = ([], 0)
    }

    /// Returns the events after a number; `nil` if some of them were forgotten.
    func events(after number: UInt64) -> Slice<Deque<EncodedEvent>>? {
        guard number >= missingThrough else { return nil }
        return events[(events.firstIndex { $0.number > number } ?? events.endIndex)...]
    }

    static let maxCount = 4096
    static let maxBytes = 2 << 20
}

/// The groups whose events are followed now. The events of a pattern are received and encoded once for all readers.
final class EventHub: Sendable {
    fileprivate struct Feed: PatternFeed {
        let receiver: Task<Void, Never>
        var recent: RecentEvents
        var readers: [ObjectIdentifier: EventWatch] = [:]
        var unreadSince: ContinuousClock.Instant?
    }

    fileprivate struct State {
        var followed: FollowedPatterns<Feed>
        let mostBytes: Int
        var lastNumber: UInt64 = 0
        /// The size and the number of the events that are kept of all patterns.
        var kept = (bytes: 0, count: 0)
        /// The events in the order in which they came, also those that are not kept any more.
        var order: Deque<(number: UInt64, pattern: GroupPattern)> = []

        /// Returns a number greater than all before.
        mutating func takeNumber() -> UInt64 {
            lastNumber += 1
            return lastNumber
        }
    }

    /// The beginning of the ids of its events. It is different in each gateway and after each start.
    let boot: String
    private let connection: BrokerConnection
    private let missingRights: MissingRights
    private let state: Mutex<State>

    /// - Parameters:
    ///   - mostPatterns: The number of places for patterns that are followed.
    ///   - mostBytes: The maximum size of the events that are kept of all patterns, in bytes.
    init(
        _ connection: BrokerConnection, boot: String, _ missingRights: MissingRights,
        mostPatterns: Int = EventHub.mostPatterns, mostBytes: Int = EventHub.mostBytes
    ) {
        state = Mutex(State(followed: FollowedPatterns(limit: mostPatterns), mostBytes: mostBytes))
        self.connection = connection
        self.missingRights = missingRights
        self.boot = boot
    }

    /// The open streams.
    var watches: [EventWatch] { state.withLock { $0.followed.readers } }
    /// The number of patterns that are followed.
    var feedCount: Int { state.withLock { $0.followed.count } }
    /// The size of the events that are kept of all patterns, in bytes.
    var keptBytes: Int { state.withLock { $0.kept.bytes } }

    /// Follows the events of patterns, from now on or after an id. `unwatch` ends it.
    ///
    /// - Parameters:
    ///   - token: The token of the reader.
    ///   - id: The id of the last event that the reader has; `nil`: none.
    /// - Throws: `ClientError.tooManyStreams`, `closed`. Then nothing is left of the watch.
    func watch(
        _ patterns: [GroupPattern], for token: TokenHash, after id: String?, _ times: Watch.Times
    ) throws(ClientError) -> EventWatch {
        let watch = EventWatch(patterns.widest, times, at: .now)
        let last = id.map { number(of: $0) }
        let removed = try state.withLock { state throws(ClientError) in
            // No event has it: a reader that has the newest one may have missed some of a pattern that is opened here.
            let number = state.takeNumber()
            let removed = try state.followed.add(watch, for: token) { pattern throws(ClientError) in
                try open(pattern, after: number)
            }
            state.forgetEvents(of: removed)
            guard let last else { return removed }
            var missed: [EncodedEvent]? = []
            for pattern in watch.patterns {
                let events = last.flatMap { state.followed[pattern]?.recent.events(after: $0) }
                missed = events.flatMap { events in missed.map { $0 + events } }
            }
            if let missed { watch.replay(missed.sorted { $0.number < $1.number }) } else { watch.lose(0) }
            return removed
        }
        for feed in removed { feed.receiver.cancel() }
        return watch
    }

    /// Ends the watch of a reader.
    func unwatch(_ watch: EventWatch) {
        state.withLock { $0.followed.remove(watch, at: .now) }
    }

    /// Reports to all readers that the broker was lost, is back or has restarted: see `Hub.checkBroker`.
    func setConnected(_ isConnected: Bool) {
        state.withLock { $0.setConnected(isConnected) }
    }

    /// Checks the time.
    func tick(at now: ContinuousClock.Instant) {
        let (watches, removed) = state.withLock { state in
            let removed = state.followed.removeUnread(at: now)
            state.forgetEvents(of: removed)
            return (state.followed.readers, removed)
        }
        for feed in removed { feed.receiver.cancel() }
        for watch in watches { watch.tick(at: now) }
    }

    /// Returns the number of an id; `nil` for an id of another gateway or start.
    private func number(of id: String) -> UInt64? {
        guard let dash = id.lastIndex(of: "-"), id[..<dash] == boot else { return nil }
        return UInt64(id[id.index(after: dash)...])
    }

    private func open(_ pattern: GroupPattern, after number: UInt64) throws(ClientError) -> Feed {
        let source = try connection.events(of: [pattern.text])
        let receiver = Task {
            do {
                try await missingRights.follow(.events, source) { events in
                    for try await event in events { absorb(event.wire, of: pattern) }
                } reopen: {
                    try connection.events(of: [pattern.text])
                }
            } catch is CancellationError {
                // Nobody reads it any more.
            } catch {
                lose(pattern)
            }
        }
        return Feed(receiver: receiver, recent: RecentEvents(after: number))
    }

    /// Passes an event of a pattern on to its readers, and keeps it.
    func absorb(_ event: WireEvent, of pattern: GroupPattern) {
        guard let json = try? WireJSON.encode(event) else { return }
        state.withLock { state in
            let encoded = EncodedEvent(number: state.takeNumber(), json: json)
            for watch in (state.followed[pattern]?.readers ?? [:]).values { watch.offer(encoded) }
            state.keep(encoded, of: pattern)
        }
    }

    /// Ends the streams of a pattern that cannot be followed any more.
    private func lose(_ pattern: GroupPattern) {
        let feed = state.withLock { state in
            let feed = state.followed.remove(pattern)
            if let feed { state.forgetEvents(of: [feed]) }
            return feed
        }
        for watch in (feed?.readers ?? [:]).values { watch.fail() }
    }

    /// The number of places for patterns that are followed.
    static let mostPatterns = 1024
    /// The maximum size of the events that are kept of all patterns, in bytes.
    static let mostBytes = 64 << 20
}

extension EventHub.State {
    /// Reports to all readers that the broker was lost, is back or has restarted. The events in between are not known.
    fileprivate mutating func setConnected(_ isConnected: Bool) {
        for watch in followed.readers {
            watch.setConnected(isConnected)
            if isConnected { watch.lose(0) }
        }
        let number = takeNumber()
        for pattern in followed.patterns { changeRecent(of: pattern) { $0.lose(through: number) } }
    }

    /// Keeps an event. Beyond the limit, the oldest ones of all patterns are forgotten.
    fileprivate mutating func keep(_ event: EncodedEvent, of pattern: GroupPattern) {
        changeRecent(of: pattern) { $0.append(event) }
        order.append((event.number, pattern))
        while kept.bytes > mostBytes, let oldest = order.popFirst() {
            changeRecent(of: oldest.pattern) { $0.forget(through: oldest.number) }
        }
        guard order.count > 2 * kept.count + Self.mostForgotten else { return }
        // Each pattern forgets its oldest ones first: as many are left of each as are kept.
        var left: [GroupPattern: Int] = [:]
        for pattern in followed.patterns { left[pattern] = followed[pattern]?.recent.count }
        order = Deque(
            order.reversed().filter { entry in
                guard let count = left[entry.pattern], count > 0 else { return false }
                left[entry.pattern] = count - 1
                return true
            }.reversed())
    }

    /// Counts the events of feeds no more, which are not followed any more.
    fileprivate mutating func forgetEvents(of feeds: [EventHub.Feed]) {
        for feed in feeds {
            kept.bytes -= feed.recent.bytes
            kept.count -= feed.recent.count
        }
    }

    /// Changes the kept events of a pattern, if it is followed.
    private mutating func changeRecent(of pattern: GroupPattern, _ change: (inout RecentEvents) -> Void) {
        var growth = (bytes: 0, count: 0)
        followed.change(pattern) { feed in
            growth = (-feed.recent.bytes, -feed.recent.count)
            change(&feed.recent)
            growth.bytes += feed.recent.bytes
            growth.count += feed.recent.count
        }
        kept.bytes += growth.bytes
        kept.count += growth.count
    }

    /// The number of forgotten events up to which the order is not tidied up.
    private static let mostForgotten = 1024
}

extension [GroupPattern] {
    /// The patterns without those that another one contains: they need no subscription of their own.
    var widest: [GroupPattern] {
        let distinct = Set(self)
        return distinct.filter { pattern in !distinct.contains { $0 != pattern && $0.contains(pattern) } }.sorted()
    }
}
