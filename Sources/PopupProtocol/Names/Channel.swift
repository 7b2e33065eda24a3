/// What a topic begins with: which kind of message follows, and in which encoding.
public enum Channel: String, Sendable, CaseIterable {
    /// `GroupState`, at every change of a group.
    case state
    /// The same as JSON.
    case stateJSON = "state+json"
    /// `Feed`: all changes of one committed batch.
    case feed
    /// `Event`: what happens to popups.
    case events
    /// The same as JSON.
    case eventsJSON = "events+json"
    /// `Heartbeat`: the heartbeat, with the revisions of what changed lately.
    case heartbeat
    /// `Ack`: what became of a producer's commands.
    case acks
    /// The same as JSON.
    case acksJSON = "acks+json"
    /// `Sync`: the current states, for one subscriber.
    case sync
    /// The same as JSON.
    case syncJSON = "sync+json"
    /// `Reply`: the answer to a query.
    case replies
    /// The same as JSON.
    case repliesJSON = "replies+json"

    /// What stands between the channel and the final `/` of its topics.
    public enum Parameters: Sendable {
        /// Nothing: there is one topic.
        case none
        /// `GROUP`.
        case group
        /// `PRODUCER`.
        case producer
        /// `CLIENT/NONCE`.
        case question
        /// `CLIENT/NONCE/` and a group or `*`.
        case snapshot
    }

    /// What stands between the channel and the final `/` of its topics.
    public var parameters: Parameters {
        switch self {
        case .state, .stateJSON, .events, .eventsJSON: .group
        case .feed, .heartbeat: .none
        case .acks, .acksJSON: .producer
        case .sync, .syncJSON: .snapshot
        case .replies, .repliesJSON: .question
        }
    }

    /// How its bodies are encoded.
    public var encoding: WireEncoding {
        switch self {
        case .state, .feed, .events, .heartbeat, .acks, .sync, .replies: .binary
        case .stateJSON, .eventsJSON, .acksJSON, .syncJSON, .repliesJSON: .json
        }
    }

    /// The channel and its separator: what all of its topics begin with.
    public var prefix: String { rawValue + "/" }
}
