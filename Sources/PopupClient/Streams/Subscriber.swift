import PopupProtocol

/// Somebody who waits for messages. Called on the connection's thread: it may not wait.
protocol Subscriber: AnyObject, Sendable {
    /// The topics begin with them.
    var prefixes: [String] { get }

    func receive(_ message: EgressMessage, at now: ContinuousClock.Instant)

    /// When it is to be asked for `changes`; nil: when a message has come.
    var deadline: ContinuousClock.Instant? { get }

    /// What it wants to be subscribed to beside its prefixes, and what not any more.
    func changes(at now: ContinuousClock.Instant) -> [SubscriptionChange]

    /// What it is subscribed to beside its prefixes.
    var passingTopics: [String] { get }

    /// The broker was away and is there again.
    func reconnected(at now: ContinuousClock.Instant)

    /// No more messages come.
    func finish(_ error: ClientError?)
}

extension Subscriber {
    var deadline: ContinuousClock.Instant? { nil }
    func changes(at now: ContinuousClock.Instant) -> [SubscriptionChange] { [] }
    var passingTopics: [String] { [] }
    func reconnected(at now: ContinuousClock.Instant) {}
}

/// Groups that a stream follows.
struct GroupFilter {
    let patterns: [GroupPattern]

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

    /// The shortest prefixes of topics that hold all of them. A group's prefix holds the groups below it too, which
    /// `matches` keeps out.
    func prefixes(of channel: Channel) -> [String] {
        Set(
            patterns.map { pattern in
                switch pattern.form {
                case .every: channel.prefix
                case .below: channel.prefix + pattern.text.dropLast()
                case .exact: channel.prefix + pattern.text + "/"
                }
            }
        ).sorted()
    }
}
