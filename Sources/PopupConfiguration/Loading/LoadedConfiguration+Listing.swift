import PopupBroker
import PopupProtocol
import PopupState
import SwiftProtobuf

extension LoadedConfiguration {
    /// Returns the configuration as a file that gives the same one, each value with the place where it was set.
    public func listing() -> String {
        var lines: [String] = []
        var path: [Substring] = []
        for setting in Setting.all {
            let parts = setting.key.split(separator: ".")
            // The mappings that begin here: those of the key that the one before is not in.
            let common = zip(path, parts.dropLast()).prefix { $0 == $1 }.count
            for depth in common..<parts.count - 1 {
                lines.append(String(repeating: "  ", count: depth) + "\(parts[depth]):")
            }
            path = parts.dropLast()
            if setting.key == "security.allowPlainNetwork" { lines += configuration.security.listing() }
            let indent = String(repeating: "  ", count: path.count)
            let line = "\(indent)\(parts[parts.count - 1]): \(setting.listedValue(in: configuration))"
            lines.append(origins[setting.key].map { "\(line)  # \($0)" } ?? line)
        }
        lines += list("policies", configuration.broker.policies) { PolicyDescription.resolved($0) }
        lines += list("defaults", configuration.broker.defaults)
        return lines.joined(separator: "\n") + "\n"
    }

    /// Returns the lines of a list, each element followed by a comment with what it resolves to, if `resolve` is given.
    private func list<Element: Message>(
        _ name: String, _ messages: [Element], resolve: ((Element) -> Element)? = nil
    ) -> [String] {
        // JSON is YAML. A message that was read from JSON can be written as JSON.
        func json(_ message: Element) -> String {
            String(decoding: (try? WireJSON.encode(message)) ?? [], as: UTF8.self)
        }
        let elements = messages.flatMap { message in
            ["  - " + json(message)] + (resolve.map { ["    # resolves to " + json($0(message))] } ?? [])
        }
        return elements.isEmpty ? ["\(name): []"] : ["\(name):"] + elements
    }
}

extension Setting {
    /// Returns the value, with quotes where YAML would read it in another way: `*` begins an alias, and an empty value
    /// is not a text.
    fileprivate func listedValue(in configuration: Configuration) -> String {
        switch domain {
        case .endpoint, .path: JSONText.quoted(value(in: configuration))
        case .integer, .choice, .flag, .fileMode: value(in: configuration)
        }
    }
}
