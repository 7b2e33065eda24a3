import PopupProtocol
import PopupScheduling
import SwiftProtobuf

/// One line of a simulation or recording: a message as a JSON object, with `at` in ms before its members.
enum SimulationLine {
    static func text(of message: some SchemaMessage, at time: Milliseconds) -> String {
        let json = String(decoding: message.jsonBytes, as: UTF8.self)
        let members = json.dropFirst()
        return members == "}" ? "{\"at\":\(time)}" : "{\"at\":\(time),\(members)"
    }
}

extension Simulation.Output {
    /// The output as one JSON object: `at` in ms as a number, then the event's `group`, `popup` and own member, or the
    /// reply's `client`, `nonce` and `reply`.
    public var jsonLine: String {
        switch self {
        case .event(var event, let time):
            // Both follow from `at` and the order of the lines.
            event.time = 0
            event.revision = 0
            return SimulationLine.text(of: event, at: time)
        case .reply(let reply, let time):
            return SimulationLine.text(of: reply, at: time)
        }
    }
}
