import PopupProtocol

/// A receiver of messages. It is called on the thread of the connection and must not block.
protocol Subscriber: AnyObject, Sendable {
    /// The prefixes of its topics.
    var prefixes: [String] { get }

    /// The groups whose states or events it receives; `nil`: none, and the replies of the broker. It also receives the
    /// heartbeats, and the answers on its further topics.
    var patterns: [GroupPattern]? { get }

    /// Whether it counts towards `limits.streams`.
    var isStream: Bool { get }

    func receive(_ message: EgressMessage, at now: ContinuousClock.Instant)

    /// The time at which to call `changes`; `nil`: after the next message.
    var deadline: ContinuousClock.Instant? { get }

    /// Returns the further topics to subscribe to, and those to cancel.
    ///
    /// - Parameter mayAsk: Whether there may be further topics. If not, and there would be some, `deadline` stays due.
    func changes(at now: ContinuousClock.Instant, mayAsk: Bool) -> [SubscriptionChange]

    /// The further topics to which it is subscribed.
    var temporaryTopics: [String] { get }

    /// Handles a reconnection.
    func reconnected(at now: ContinuousClock.Instant)

    /// Records whether the broker was heard lately. It was, until this says otherwise.
    func confirm(_ isConfirmed: Bool)

    /// Handles the end: no more messages arrive.
    func finish(_ error: ClientError?)
}

extension Subscriber {
    var patterns: [GroupPattern]? { nil }
    var isStream: Bool { true }
    var deadline: ContinuousClock.Instant? { nil }
    func changes(at now: ContinuousClock.Instant, mayAsk: Bool) -> [SubscriptionChange] { [] }
    var temporaryTopics: [String] { [] }
    func reconnected(at now: ContinuousClock.Instant) {}
    func confirm(_ isConfirmed: Bool) {}
}

/// The groups that a stream follows.
struct GroupFilter {
    let patterns: [GroupPattern]

    /// Creates the filter of names and patterns.
    ///
    /// - Throws: `ClientError.invalidGroup`.
    init(_ texts: [String]) throws(ClientError) {
        var patterns: [GroupPattern] = []
        for text in texts {
            guard let pattern = GroupPattern(text) else { throw .invalidGroup(text) }
            patterns.append(pattern)
        }
        self.patterns = patterns
    }

    func matches(_ group: String) -> Bool {
        guard let group = GroupName(group) else { return false }
        return patterns.contains { $0.matches(group) }
    }

    /// Returns the shortest prefixes of topics that cover all groups. The prefix of a group also covers the groups below it,
    /// which `matches` excludes.
    func prefixes(of channel: Channel) -> [String] {
        Set(patterns.map { channel.prefix + $0.topicBeginning }).sorted()
    }
}
