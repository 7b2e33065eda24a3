import PopupProtocol

/// A message of the broker, decoded.
enum EgressMessage {
    case state(WireGroupState)
    case event(WireEvent)
    case reply(WireReply)
    /// The broker's heartbeat.
    case heads(epoch: UInt64)
}

/// Somebody who waits for messages. Called on the connection's thread: it may not wait.
protocol Subscriber: AnyObject, Sendable {
    /// The topics begin with them.
    var prefixes: [String] { get }

    func receive(_ message: EgressMessage, at now: ContinuousClock.Instant)

    /// No more messages come.
    func finish(_ error: ClientError?)
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
