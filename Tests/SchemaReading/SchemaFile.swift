package import Foundation

/// The schema as it is written, read line by line: the generated code does not tell its types.
package struct SchemaFile {
    package struct Field: Hashable {
        package var name: String
        package var jsonName: String
        package var type: String
        package var number: Int

        package init(name: String, jsonName: String, type: String, number: Int) {
            self.name = name
            self.jsonName = jsonName
            self.type = type
            self.number = number
        }
    }

    package struct Value: Hashable {
        package var name: String
        package var number: Int

        package init(name: String, number: Int) {
            self.name = name
            self.number = number
        }
    }

    package private(set) var messages: [String: [Field]] = [:]
    package private(set) var enums: [String: [Value]] = [:]

    package init() throws {
        let url = packageRoot.appending(path: "Sources/PopupProtocol/Schema/popup_broker.proto")
        var scopes: [Substring] = []
        for line in try String(contentsOf: url, encoding: .utf8).split(separator: "\n") {
            let line = line.trimmingPrefix { $0 == " " }
            let scope = scopes.filter { !$0.isEmpty }.joined(separator: ".")
            if let match = try /(message|enum|oneof) (\w+) \{(\})?/.prefixMatch(in: line) {
                let name = scope.isEmpty ? String(match.2) : "\(scope).\(match.2)"
                if match.1 == "message" { messages[name] = [] }
                if match.1 == "enum" { enums[name] = [] }
                if match.3 == nil { scopes.append(match.1 == "oneof" ? "" : match.2) }
            } else if line == "}" {
                scopes.removeLast()
            } else if let match = try /((?:optional |repeated )?[\w.]+) (\w+) = (\d+);/.prefixMatch(in: line) {
                let name = String(match.2)
                messages[scope, default: []].append(
                    Field(name: name, jsonName: jsonName(name), type: String(match.1), number: Int(match.3) ?? 0))
            } else if let match = try /(\w+) = (\d+);/.prefixMatch(in: line) {
                enums[scope, default: []].append(Value(name: String(match.1), number: Int(match.2) ?? 0))
            }
        }
    }

    /// A type's full name, as seen from the fields of a message.
    package func resolve(_ type: String, in message: String) -> String {
        let bare = String(type.split(separator: " ").last ?? "")
        let nested = "\(message).\(bare)"
        return messages[nested] != nil || enums[nested] != nil ? nested : bare
    }

    private func jsonName(_ name: String) -> String {
        let words = name.split(separator: "_")
        return words.dropFirst().reduce(into: String(words[0])) { $0 += $1.prefix(1).uppercased() + $1.dropFirst() }
    }
}

/// The folder of the package, from this file's place in it.
package let packageRoot = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
