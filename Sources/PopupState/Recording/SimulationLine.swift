package import PopupProtocol
package import PopupScheduling
import SwiftProtobuf

/// One line of a simulation or recording: a message as a JSON object, with `at` in ms before its members.
package enum SimulationLine {
    /// Returns the line of a message, without its end.
    package static func text(of message: some SchemaMessage, at time: Milliseconds) -> String {
        let json = String(decoding: message.jsonBytes, as: UTF8.self)
        let members = json.dropFirst()
        return members == "}" ? "{\"at\":\(time)}" : "{\"at\":\(time),\(members)"
    }
}
