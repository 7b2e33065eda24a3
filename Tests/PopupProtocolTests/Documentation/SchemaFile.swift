import Foundation
import Testing

/// The schema as it is written, read line by line: the generated code does not tell its types.
struct SchemaFile {
    struct Field: Hashable {
        var name: String
        var jsonName: String
        var type: String
        var number: Int
    }

    struct Value: Hashable {
        var name: String
        var number: Int
    }

    private(set) var messages: [String: [Field]] = [:]
    private(set) var enums: [String: [Value]] = [:]

    init() throws {
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
                try messages[scope, default: []].append(
                    Field(name: name, jsonName: jsonName(name), type: String(match.1), number: #require(Int(match.3))))
            } else if let match = try /(\w+) = (\d+);/.prefixMatch(in: line) {
                try enums[scope, default: []].append(Value(name: String(match.1), number: #require(Int(match.2))))
            }
        }
    }

    /// A type's full name, as seen from the fields of a message.
    func resolve(_ type: String, in message: String) -> String {
        let bare = String(type.split(separator: " ").last ?? "")
        let nested = "\(message).\(bare)"
        return messages[nested] != nil || enums[nested] != nil ? nested : bare
    }

    private func jsonName(_ name: String) -> String {
        let words = name.split(separator: "_")
        return words.dropFirst().reduce(into: String(words[0])) { $0 += $1.prefix(1).uppercased() + $1.dropFirst() }
    }
}

let packageRoot = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
