/// The first part of a topic: the kind and the encoding of its messages.
public enum Channel: String, Sendable, CaseIterable {
    /// `GroupState`, at every change of a group.
    case state
    /// The same as JSON.
    case stateJSON = "state+json"
    /// The same as `state`, in messages of one frame: see `StateFrame`.
    case stateFrame = "state+frame"
    /// `Feed`: all changes of one committed batch.
    case feed
    /// `Event`: what happens to popups.
    case events
    /// The same as JSON.
    case eventsJSON = "events+json"
    /// `Heartbeat`: that the broker lives, with the revisions of the groups that changed lately.
    case heartbeat
    /// `Ack`: the outcomes of a producer's commands.
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

    /// The form of the part of a topic between the channel and the final `/`.
    public enum Parameters: Sendable {
        /// The channel has one topic, without a name.
        case none
        /// `GROUP`.
        case group
        /// `PRODUCER`.
        case producer
        /// `CLIENT/NONCE`.
        case query
        /// `CLIENT/NONCE/` and a group or `*`.
        case snapshot
    }

    /// The form of the part of its topics between the channel and the final `/`.
    public var parameters: Parameters {
        switch self {
        case .state, .stateJSON, .stateFrame, .events, .eventsJSON: .group
        case .feed, .heartbeat: .none
        case .acks, .acksJSON: .producer
        case .sync, .syncJSON: .snapshot
        case .replies, .repliesJSON: .query
        }
    }

    /// The encoding of its bodies.
    public var encoding: WireEncoding {
        switch self {
        case .state, .stateFrame, .feed, .events, .heartbeat, .acks, .sync, .replies: .binary
        case .stateJSON, .eventsJSON, .acksJSON, .syncJSON, .repliesJSON: .json
        }
    }

    /// The channel and a separator, with which all of its topics begin.
    public var prefix: String { rawValue + "/" }
}
