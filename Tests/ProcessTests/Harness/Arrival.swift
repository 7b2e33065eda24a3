import PopupProtocol

/// One message of the broker as it came in.
struct Arrival {
    /// What its body holds, by its channel.
    enum Content {
        case state(WireGroupState)
        case event(WireEvent)
        case feed(WireFeed)
        case heartbeat(WireHeartbeat)
        case reply(WireReply)
        /// Not as the protocol has it.
        case unreadable(String)
    }

    let topic: String
    let body: [UInt8]
    let at: ContinuousClock.Instant
    let content: Content

    init(_ frames: [[UInt8]], at: ContinuousClock.Instant) {
        // On one channel both are in one frame, with a zero byte between them.
        let isStateFrame = frames[0].starts(with: "state+frame/".utf8)
        let parts = isStateFrame ? frames[0].split(separator: 0, maxSplits: 1).map(Array.init) : frames
        topic = String(decoding: parts[0], as: UTF8.self)
        body = parts.count > 1 ? parts[1] : []
        self.at = at
        let isWhole = frames.count == (isStateFrame ? 1 : 2)
        content = isWhole ? Self.content(topic, body) : .unreadable("\(frames.count) frames")
    }

    private static func content(_ topic: String, _ body: [UInt8]) -> Content {
        guard let topic = Topic(topic) else { return .unreadable("no topic of the protocol") }
        let encoding = topic.channel.encoding
        do {
            switch topic {
            case .state, .stateFrame: return .state(try encoding.decode(body))
            case .events: return .event(try encoding.decode(body))
            case .feed: return .feed(try encoding.decode(body))
            case .heartbeat: return .heartbeat(try encoding.decode(body))
            case .replies: return .reply(try encoding.decode(body))
            case .acks, .sync: return .unreadable("not a channel of this broker")
            }
        } catch {
            return .unreadable("\(error)")
        }
    }
}

extension Arrival: CustomStringConvertible {
    var description: String {
        switch content {
        case .state(let state): "\(topic) r\(state.revision) \(state.words)"
        case .event(let event): "\(topic) r\(event.revision) \(event.words)"
        case .feed(let feed): "\(topic) \(feed.states.map { "\($0.group) r\($0.revision) \($0.words)" })"
        case .heartbeat(let heartbeat): "\(topic) \(heartbeat.groups.map { "\($0.group) r\($0.revision)" })"
        case .reply(let reply):
            "\(topic) \((try? WireEncoding.json.encode(reply)).map { String(decoding: $0, as: UTF8.self) } ?? "")"
        case .unreadable(let why): "\(topic) unreadable (\(why)): \(body.prefix(200))"
        }
    }
}
