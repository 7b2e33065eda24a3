import PopupBroker
import SwiftProtobuf

extension LoadedConfiguration {
    /// The whole configuration as a file that gives the same one, each value that was set with where it was.
    public func listing() -> String {
        var lines: [String] = []
        var section = ""
        for setting in Setting.all {
            let parts = setting.key.split(separator: ".")
            if parts[0] != section {
                section = String(parts[0])
                lines.append("\(section):")
            }
            let line = "  \(parts[1]): \(setting.listedValue(in: configuration))"
            lines.append(origins[setting.key].map { "\(line)  # \($0)" } ?? line)
        }
        lines.append(configuration.broker.policies.isEmpty ? "policies: []" : "policies:")
        for policy in configuration.broker.policies {
            // JSON is YAML. A message that was read from JSON can be written as JSON.
            lines.append("  - \((try? policy.jsonString()) ?? "{}")")
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension Setting {
    /// The value with quotes where YAML would read something else: `*` begins an alias.
    fileprivate func listedValue(in configuration: Configuration) -> String {
        domain == .endpoint ? "\"\(value(in: configuration))\"" : value(in: configuration)
    }
}
