import PopupProtocol

/// A message of the broker, decoded.
enum EgressMessage {
    case state(WireGroupState)
    case event(WireEvent)
    case reply(WireReply)
    case ack(ProducerName, WireAck)
    /// A part of an answer, on the topic that it was asked for on.
    case sync(String, WireSync)
    /// The broker's heartbeat.
    case heartbeat(WireHeartbeat)

    /// What this version cannot read is as if it had not been sent.
    init?(_ body: [UInt8], on topic: String) {
        guard let channel = Channel(rawValue: String(topic.prefix { $0 != "/" })) else { return nil }
        let encoding = channel.encoding
        do {
            switch channel {
            case .state: self = .state(try encoding.decode(body))
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
