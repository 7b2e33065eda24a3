/// The first frame of every message of the broker: the channel, the subject, and a final `/`.
///
/// Because a topic ends in `/`, a subscription to `state/lobby/` never matches the group `lobby2`. It does match the
/// groups below `lobby`.
public enum Topic: Hashable, Sendable {
    /// `state/GROUP/`.
    case state(GroupName, WireEncoding)
    /// `state+frame/GROUP/`.
    case stateFrame(GroupName)
    /// `feed/`.
    case feed
    /// `events/GROUP/`.
    case events(GroupName, WireEncoding)
    /// `heartbeat/`.
    case heartbeat
    /// `acks/PRODUCER/`.
    case acks(producer: ProducerName, WireEncoding)
    /// `sync/CLIENT/NONCE/GROUP/`, with `*` as the group for all groups.
    case sync(client: ClientToken, nonce: ClientToken, group: GroupName?, WireEncoding)
    /// `replies/CLIENT/NONCE/`.
    case replies(client: ClientToken, nonce: ClientToken, WireEncoding)

    /// The size of the longest topic, one of `sync+json`, in bytes.
    public static let maximumBytes =
        Channel.syncJSON.prefix.utf8.count + 2 * (GroupName.maxSegmentBytes + 1) + GroupName.maximumBytes + 1

    /// The channel of the topic.
    public var channel: Channel {
        switch self {
        case .state(_, let encoding): encoding == .json ? .stateJSON : .state
        case .stateFrame: .stateFrame
        case .feed: .feed
        case .events(_, let encoding): encoding == .json ? .eventsJSON : .events
        case .heartbeat: .heartbeat
        case .acks(_, let encoding): encoding == .json ? .acksJSON : .acks
        case .sync(_, _, _, let encoding): encoding == .json ? .syncJSON : .sync
        case .replies(_, _, let encoding): encoding == .json ? .repliesJSON : .replies
        }
    }

    /// The topic as it is sent.
    public var text: String {
        switch self {
        case .state(let group, _), .stateFrame(let group), .events(let group, _): "\(channel.prefix)\(group)/"
        case .feed, .heartbeat: channel.prefix
        case .acks(let producer, _): "\(channel.prefix)\(producer)/"
        case .sync(let client, let nonce, let group, _):
            "\(channel.prefix)\(client)/\(nonce)/\(group?.text ?? "*")/"
        case .replies(let client, let nonce, _): "\(channel.prefix)\(client)/\(nonce)/"
        }
    }

    /// Creates a topic from its text; `nil` if it is not a topic.
    public init?(_ text: String) {
        guard text.utf8.last == UInt8(ascii: "/"), let slash = text.firstIndex(of: "/"),
            let channel = Channel(rawValue: String(text[..<slash]))
        else { return nil }
        let encoding = channel.encoding
        let rest = text[text.index(after: slash)...].dropLast()
        let parts = rest.split(separator: "/", omittingEmptySubsequences: false)
        switch channel {
        case .state, .stateJSON:
            guard let group = GroupName(String(rest)) else { return nil }
            self = .state(group, encoding)
        case .stateFrame:
            guard let group = GroupName(String(rest)) else { return nil }
            self = .stateFrame(group)
        case .events, .eventsJSON:
            guard let group = GroupName(String(rest)) else { return nil }
            self = .events(group, encoding)
        case .feed, .heartbeat:
            guard text == channel.prefix else { return nil }
            self = channel == .feed ? .feed : .heartbeat
        case .acks, .acksJSON:
            guard let producer = ProducerName(String(rest)) else { return nil }
            self = .acks(producer: producer, encoding)
        case .replies, .repliesJSON:
            guard parts.count == 2, let client = ClientToken(String(parts[0])),
                let nonce = ClientToken(String(parts[1]))
            else { return nil }
            self = .replies(client: client, nonce: nonce, encoding)
        case .sync, .syncJSON:
            guard parts.count >= 3, let client = ClientToken(String(parts[0])),
                let nonce = ClientToken(String(parts[1]))
            else { return nil }
            let name = parts.dropFirst(2).joined(separator: "/")
            let group = GroupName(name)
            guard name == "*" || group != nil else { return nil }
            self = .sync(client: client, nonce: nonce, group: group, encoding)
        }
    }
}

extension Topic: CustomStringConvertible {
    /// The topic as it is sent.
    public var description: String { text }
}
