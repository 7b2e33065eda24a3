/// The JSON of commands for which the protocol has no message: see `popupctl --json`.
enum Report {
    /// A command was sent.
    struct Sent: Encodable {
        let sent: String
        /// The shard; absent if the command names none.
        let shard: String?
    }

    /// A suspension is in force.
    struct Suspended: Encodable {
        /// The group or pattern.
        let suspended: String
        let token: String
        /// The priority below which popups are held back; absent if all are.
        let minPriority: Int32?
    }

    /// A suspension is not in force any more.
    struct Resumed: Encodable {
        /// The token.
        let resumed: String
        /// Whether there was such a suspension; absent if the user may not ask.
        let wasKnown: Bool?
    }

    /// A group has a session.
    struct Session: Encodable {
        let group: String
        /// The session; empty if the group has none.
        let session: String
        /// The popups that closed with the previous session.
        let closed: [String]
    }

    /// The broker has answered.
    struct Ping: Encodable {
        let endpoint: String
        let milliseconds: Double
    }
}
