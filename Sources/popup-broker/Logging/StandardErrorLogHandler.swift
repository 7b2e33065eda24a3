import Foundation
import Logging
import PopupConfiguration

/// Writes the log to the standard error, a line an event.
struct StandardErrorLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?
    private let settings: LogSettings
    private var ownLevel: Logger.Level?

    init(settings: LogSettings) {
        self.settings = settings
    }

    var logLevel: Logger.Level {
        get { ownLevel ?? settings.level }
        set { ownLevel = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var fields = metadata
        fields.merge(metadataProvider?.get() ?? [:]) { $1 }
        fields.merge(event.metadata ?? [:]) { $1 }
        if let error = event.error { fields["error"] = "\(error)" }
        let time = Date.now.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        switch settings.format {
        case .text: StandardError.write(Self.text(time, event, fields))
        case .json: StandardError.write(Self.json(time, event, fields))
        }
    }

    private static func text(_ time: String, _ event: LogEvent, _ fields: Logger.Metadata) -> String {
        let level = event.level.rawValue.padding(toLength: 8, withPad: " ", startingAt: 0)
        let list = fields.sorted { $0.key < $1.key }.map { " \($0.key)=\(quoted("\($0.value)"))" }.joined()
        return "\(time) \(level) \(oneLine(event.message.description))\(list)"
    }

    /// A value with spaces stands in quotes: the fields of a line can be told apart.
    private static func quoted(_ value: String) -> String {
        let line = oneLine(value)
        return line.contains(" ") || line.contains("\"") || line.isEmpty
            ? "\"\(line.replacing("\"", with: "\\\""))\"" : line
    }

    /// What a peer sent may stand in a message: it must not make lines of its own.
    private static func oneLine(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else { return text }
        return text.unicodeScalars.reduce(into: "") { line, scalar in
            line +=
                scalar.properties.generalCategory == .control
                ? scalar.escaped(asASCII: true) : String(scalar)
        }
    }

    private static func json(_ time: String, _ event: LogEvent, _ fields: Logger.Metadata) -> String {
        var object: [String: String] = fields.mapValues { "\($0)" }
        object["time"] = time
        object["level"] = event.level.rawValue
        object["message"] = event.message.description
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(object)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }
}
