import PopupProtocol

/// A message of the broker, decoded.
enum EgressMessage {
    case state(WireGroupState)
    case event(WireEvent)
    case reply(WireReply)
    case ack(ProducerName, WireAck)
    /// A part of an answer to `sync`, with its topic.
    case sync(String, WireSync)
    /// A heartbeat of the broker.
    case heartbeat(WireHeartbeat)

    /// The epoch of the broker that sent it; `nil` if it names none: a part of an answer to `sync` that has no states, and an
    /// event or a reply of a broker that does not name it yet.
    var epoch: UInt64? {
        switch self {
        case .state(let state): state.epoch
        case .ack(_, let ack): ack.epoch
        case .sync(_, let sync): sync.hasEnd ? sync.end.epoch : sync.states.first?.epoch
        case .heartbeat(let heartbeat): heartbeat.epoch
        case .event(let event): event.epoch > 0 ? event.epoch : nil
        case .reply(let reply): reply.epoch > 0 ? reply.epoch : nil
        }
    }

    /// Decodes a message of one frame. Returns `nil` for a message that this version cannot read.
    init?(frame: [UInt8]) {
        guard let (topic, body) = StateFrame.split(frame), let topic = String(validating: topic, as: UTF8.self)
        else { return nil }
        self.init(Array(body), on: topic)
    }

    /// Decodes a message. Returns `nil` for a message that this version cannot read.
    init?(_ body: [UInt8], on topic: String) {
        guard let channel = Channel(rawValue: String(topic.prefix { $0 != "/" })) else { return nil }
        let encoding = channel.encoding
        do {
            switch channel {
            case .state, .stateFrame: self = .state(try encoding.decode(body))
            case .events: self = .event(try encoding.decode(body))
            case .replies: self = .reply(try encoding.decode(body))
            case .heartbeat: self = .heartbeat(try encoding.decode(body))
            case .acks:
                guard case .acks(let producer, _)? = Topic(topic) else { return nil }
                self = .ack(producer, try encoding.decode(body))
            case .sync: self = .sync(topic, try encoding.decode(body))
            default: return nil
            }
        } catch {
            return nil
        }
    }
}
