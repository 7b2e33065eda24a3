import DequeModule
import PopupClient
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
    private var bytes = 0
    /// The number up to which the events may be incomplete.
    private var missingThrough: UInt64

    init(after number: UInt64) {
        missingThrough = number
    }

    /// Adds an event, and forgets the oldest ones beyond the limits.
    mutating func append(_ event: EncodedEvent) {
        events.append(event)
        bytes += event.json.count
        while events.count > Self.maxCount || bytes > Self.maxBytes, let oldest = events.popFirst() {
            missingThrough = oldest.number
            bytes -= oldest.json.count
        }
    }

    /// Records that events were lost after a number.
    mutating func lose(after number: UInt64) {
        missingThrough = number
        (events, bytes) = ([], 0)
    }

    /// Returns the events after a number; `nil` if some of them were forgotten.
    func events(after number: UInt64) -> Slice<Deque<EncodedEvent>>? {
        guard number >= missingThrough else { return nil }
        return events[(events.firstIndex { $0.number > number } ?? events.endIndex)...]
    }

    static let maxCount = 1024
    static let maxBytes = 512 * 1024
}

/// The groups whose events are followed now. The events of a pattern are received and encoded once for all readers.
///
/// A pattern without a reader is followed for another half minute, so that a reader that reconnects misses nothing.
final class EventHub: Sendable {
    fileprivate struct Feed {
        let receiver: Task<Void, Never>
        var recent: RecentEvents
        var watches: [ObjectIdentifier: EventWatch] = [:]
        var unwatchedSince: ContinuousClock.Instant?
    }

    fileprivate struct State {
        var feeds: [GroupPattern: Feed] = [:]
        var watches: [ObjectIdentifier: EventWatch] = [:]
        var lastNumber: UInt64 = 0
    }

    /// The beginning of the ids of its events. It is different in each gateway and after each start.
    let boot: String
    private let connection: BrokerConnection
    private let missingRights: MissingRights
    private let state = Mutex(State())

    init(_ connection: BrokerConnection, boot: String, _ missingRights: MissingRights) {
        self.connection = connection
        self.missingRights = missingRights
        self.boot = boot
    }

    /// The open streams.
    var watches: [EventWatch] { state.withLock { Array($0.watches.values) } }

    /// Follows the events of patterns, from now on or after an id. `unwatch` ends it.
    ///
    /// - Throws: `ClientError.tooManyStreams`, `closed`.
    func watch(
        _ patterns: [GroupPattern], after id: String?, _ times: Watch.Times
    ) throws(ClientError) -> EventWatch {
        let watch = EventWatch(patterns.widest, times, at: .now)
        let last = id.map { number(of: $0) }
        try state.withLock { state throws(ClientError) in
            for pattern in watch.patterns {
                if state.feeds[pattern] == nil {
                    state.feeds[pattern] = try open(pattern, after: state.lastNumber)
                }
            }
            let name = ObjectIdentifier(watch)
            state.watches[name] = watch
            var missed: [EncodedEvent]? = []
            for pattern in watch.patterns {
                state.feeds[pattern]?.watches[name] = watch
                state.feeds[pattern]?.unwatchedSince = nil
                guard let last else { continue }
                let events = last.flatMap { state.feeds[pattern]?.recent.events(after: $0) }
                missed = events.flatMap { events in missed.map { $0 + events } }
            }
            guard let missed else { return watch.lose(0) }
            watch.replay(missed.sorted { $0.number < $1.number })
        }
        return watch
    }

    /// Ends the watch of a reader.
    func unwatch(_ watch: EventWatch) {
        state.withLock { state in
            let name = ObjectIdentifier(watch)
            state.watches[name] = nil
            for pattern in watch.patterns {
                state.feeds[pattern]?.watches[name] = nil
                if state.feeds[pattern]?.watches.isEmpty == true { state.feeds[pattern]?.unwatchedSince = .now }
            }
        }
    }

    /// Reports to all readers that the broker was lost or is back: see `Hub.checkBroker`.
    func setConnected(_ isConnected: Bool) {
        state.withLock { $0.setConnected(isConnected) }
    }

    /// Checks the time.
    func tick(at now: ContinuousClock.Instant) {
        let (watches, ended) = state.withLock { state in
            let unwatched = state.feeds.filter { $0.value.unwatchedSince.map { now - $0 > Self.linger } ?? false }
            for pattern in unwatched.keys { state.feeds[pattern] = nil }
            return (Array(state.watches.values), unwatched.values.map(\.receiver))
        }
        for task in ended { task.cancel() }
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
                    for try await event in events { absorb(event, of: pattern) }
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

    private func absorb(_ event: WireEvent, of pattern: GroupPattern) {
        guard let json = try? WireJSON.encode(event) else { return }
        state.withLock { state in
            state.lastNumber += 1
            let encoded = EncodedEvent(number: state.lastNumber, json: json)
            state.feeds[pattern]?.recent.append(encoded)
            for watch in (state.feeds[pattern]?.watches ?? [:]).values { watch.offer(encoded) }
        }
    }

    /// Ends the streams of a pattern that cannot be followed any more.
    private func lose(_ pattern: GroupPattern) {
        let feed = state.withLock { $0.feeds.removeValue(forKey: pattern) }
        for watch in (feed?.watches ?? [:]).values { watch.fail() }
    }

    private static let linger: Duration = .seconds(30)
}

extension EventHub.State {
    /// Reports to all readers that the broker was lost or is back. The events in between are not known.
    fileprivate mutating func setConnected(_ isConnected: Bool) {
        for watch in watches.values {
            watch.setConnected(isConnected)
            if isConnected { watch.lose(0) }
        }
        for pattern in feeds.keys { feeds[pattern]?.recent.lose(after: lastNumber) }
    }
}

extension [GroupPattern] {
    /// The patterns without those that another one contains: they need no subscription of their own.
    var widest: [GroupPattern] {
        let distinct = Set(self)
        return distinct.filter { pattern in !distinct.contains { $0 != pattern && $0.contains(pattern) } }.sorted()
    }
}
