import PopupProtocol

/// What can be counted. Each is a run of operations; one operation is one popup shown.
enum Piece: String, CaseIterable {
    /// Reads a `show` of the wire.
    case decode
    /// Reads a `show` in JSON.
    case decodeJSON = "decode-json"
    /// Reads a `show` in JSON whose last field is of another type, with the words of its refusal.
    case decodeWrongJSON = "decode-wrong-json"
    /// Reads a `show` in JSON without its last brace.
    case decodeBrokenJSON = "decode-broken-json"
    /// The scheduler alone: each popup takes its group's slot, and closes the one before.
    case show
    /// The scheduler alone: a popup joins a queue of 1000, the active one is dismissed, the first of the queue follows.
    case pushDismiss = "push-dismiss"
    /// The scheduler alone: each popup is shown at once, and times out.
    case timeOut = "time-out"
    /// A `show` a frame through the whole broker, a state out.
    case relayState = "relay-state"
    /// A `show` a frame through the whole broker, a state out in one frame.
    case relayFrame = "relay-frame"
    /// A `show` a frame of a user with limited rights through the whole broker, a state out.
    case relayUser = "relay-user"
    /// A `show` a frame, each a turn of the loop of its own: as under light load.
    case relayOneByOne = "relay-one-by-one"
    /// A `show` a frame through the whole broker, states out on `feed/`.
    case relayFeed = "relay-feed"
    /// 64 `show`s a frame, a state out for each.
    case batchState = "batch-state"
    /// 64 `show`s a frame, states out on `feed/`.
    case batchFeed = "batch-feed"
    /// A numbered `show` a frame, acknowledgements out.
    case relayAcks = "relay-acks"
    /// A `show` a frame in JSON, a state in JSON out.
    case relayJSON = "relay-json"
    /// A `show` a frame in JSON, its events in JSON out.
    case eventsJSON = "events-json"

    /// Does it `count` times.
    func run(_ count: Int) throws {
        switch self {
        case .decode: try Decoding.run(count)
        case .decodeJSON: try JSONDecoding(contentType: #""text/plain""#).run(count)
        case .decodeWrongJSON: try JSONDecoding(contentType: "[7]", reason: .malformed).run(count)
        case .decodeBrokenJSON: try JSONDecoding(contentType: #""text/plain""#, end: "}", reason: .malformed).run(count)
        case .show: try Scheduling.show(count)
        case .pushDismiss: try Scheduling.pushDismiss(count)
        case .timeOut: try Scheduling.timeOut(count)
        case .relayState: try Relay(subscription: "state/").run(count)
        case .relayFrame: try Relay(subscription: "state+frame/").run(count)
        case .relayUser: try Relay(subscription: "state/", hasUsers: true).run(count)
        case .relayOneByOne: try Relay(framesATurn: 1, subscription: "state/").run(count)
        case .relayFeed: try Relay(subscription: "feed/").run(count)
        case .batchState: try Relay(showsAFrame: 64, subscription: "state/").run(count)
        case .batchFeed: try Relay(showsAFrame: 64, subscription: "feed/").run(count)
        case .relayAcks: try Relay(subscription: "acks/", isNumbered: true).run(count)
        case .relayJSON: try Relay(subscription: "state+json/", isJSON: true).run(count)
        case .eventsJSON: try Relay(subscription: "events+json/", isJSON: true).run(count)
        }
    }
}
