import PopupProtocol
import SwiftProtobuf

extension Simulation.Output {
    /// The output as one JSON object: `at` in ms as a number, then the event's `group`, `popup` and own member, or the
    /// reply's `client`, `nonce` and `reply`.
    public var jsonLine: String {
        switch self {
        case .event(var event, let time):
            // Both follow from `at` and the order of the lines.
            event.time = 0
            event.revision = 0
            return Self.line(event, at: time)
        case .reply(let reply, let time):
            return Self.line(reply, at: time)
        }
    }

    private static func line(_ message: some Message, at time: Int64) -> String {
        let json = (try? message.jsonString()) ?? "{}"
        let members = json.dropFirst()
        return members == "}" ? "{\"at\":\(time)}" : "{\"at\":\(time),\(members)"
    }
}
