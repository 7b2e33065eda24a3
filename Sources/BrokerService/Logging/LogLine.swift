import Foundation
import Logging
import PopupConfiguration
import PopupProtocol

/// One line of the log.
struct LogLine {
    var level: Logger.Level
    var message: String
    var fields: Logger.Metadata = [:]

    /// Returns the line with the present time, without its end.
    func text(_ format: Log.Format) -> String {
        let time = Date.now.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        return switch format {
        case .text: text(time)
        case .json: json(time)
        }
    }

    private func text(_ time: String) -> String {
        let level = level.rawValue.padding(toLength: 8, withPad: " ", startingAt: 0)
        let list = fields.sorted { $0.key < $1.key }.map { " \($0.key)=\(Self.quoted("\($0.value)"))" }.joined()
        return "\(time) \(level) \(Self.oneLine(message))\(list)"
    }

    /// Returns a value, in quotes if it contains spaces, so that the fields of a line can be told apart.
    private static func quoted(_ value: String) -> String {
        let line = oneLine(value)
        return line.contains(" ") || line.contains("\"") || line.isEmpty
            ? "\"\(line.replacing("\"", with: "\\\""))\"" : line
    }

    /// Returns the text on one line. A message may contain what a peer has sent, which must not add lines to the log.
    private static func oneLine(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else { return text }
        return text.unicodeScalars.reduce(into: "") { line, scalar in
            line +=
                scalar.properties.generalCategory == .control
                ? scalar.escaped(asASCII: true) : String(scalar)
        }
    }

    private func json(_ time: String) -> String {
        var members: [String: AnyJSON] = fields.mapValues { .text("\($0)") }
        members["time"] = .text(time)
        members["level"] = .text(level.rawValue)
        members["message"] = .text(message)
        return AnyJSON.object(members).json
    }
}
