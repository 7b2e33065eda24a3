internal import Foundation
internal import PopupGateway
internal import Supervision
internal import Yams

/// The entry `hook` of a token in the file of tokens.
enum HookEntry {
    private typealias Mistake = GatewayConfiguration.Mistake

    private static let keys = ["preset", "each", "when", "cancel", "signature"] + Hook.Field.allCases.map(\.rawValue)
    /// The keys that an entry had before, so that a mistake can name the key of today.
    private static let renamedKeys = ["withdraw": "cancel"]

    /// Reads an entry: a preset with changes.
    ///
    /// - Parameter again: Whether the file of its secret was read before.
    /// - Throws: `GatewayConfiguration.Mistake`.
    static func hook(_ node: Node, at path: String, again: Bool) throws(GatewayConfiguration.Mistake) -> Hook {
        guard let fields = node.mapping else { throw Mistake("`\(path)` must be a mapping") }
        if let unknown = fields.keys.lazy.map({ $0.string ?? "" }).first(where: { !keys.contains($0) }) {
            if let newKey = renamedKeys[unknown] {
                throw Mistake("`\(path).\(unknown)` is now called `\(newKey)`; rename it")
            }
            throw Mistake("`\(path).\(unknown)` is unknown; the keys are \(keys.joined(separator: ", "))")
        }
        var hook = try preset(fields["preset"], at: path)
        if let each = fields["each"] { hook.each = try pointer(each, at: "\(path).each") }
        if let when = fields["when"] { hook.when = try condition(when, at: "\(path).when") }
        if let cancel = fields["cancel"] { hook.cancel = try condition(cancel, at: "\(path).cancel") }
        if let signature = fields["signature"] {
            hook.signature = try self.signature(signature, at: "\(path).signature", again: again)
        }
        for field in Hook.Field.allCases {
            guard let node = fields[field.rawValue] else { continue }
            guard let template = node.string.flatMap({ TextTemplate($0) }) else {
                throw Mistake(
                    "`\(path).\(field.rawValue)` must be a text, with pointers in braces such as {/labels/severity}")
            }
            hook.fields[field] = template
        }
        for field in [Hook.Field.group, .id] where hook.fields[field] == nil {
            throw Mistake("`\(path).\(field.rawValue)` is missing")
        }
        return hook
    }

    private static func preset(_ node: Node?, at path: String) throws(GatewayConfiguration.Mistake) -> Hook {
        guard let node else { return Hook() }
        guard let preset = node.string.flatMap({ Hook.presets[$0] }) else {
            throw Mistake("`\(path).preset` must be one of \(Hook.presets.keys.sorted().joined(separator: ", "))")
        }
        return preset
    }

    private static func pointer(_ node: Node?, at path: String) throws(GatewayConfiguration.Mistake) -> JSONPointer {
        guard let pointer = node?.string.flatMap({ JSONPointer($0) }) else {
            throw Mistake("`\(path)` must be a pointer such as /labels/severity")
        }
        return pointer
    }

    private static func condition(
        _ node: Node, at path: String
    ) throws(GatewayConfiguration.Mistake) -> Hook.Condition {
        guard let fields = node.mapping, fields.count == 2, let texts = fields["is"] else {
            throw Mistake("`\(path)` must be a mapping with `pointer` and `is`")
        }
        let list = texts.sequence?.compactMap(\.string) ?? texts.string.map { [$0] } ?? []
        guard !list.isEmpty else { throw Mistake("`\(path).is` must be a text or a list of texts") }
        return Hook.Condition(try pointer(fields["pointer"], at: "\(path).pointer"), is: Set(list))
    }

    private static func signature(
        _ node: Node, at path: String, again: Bool
    ) throws(GatewayConfiguration.Mistake) -> Hook.Signature {
        guard let fields = node.mapping, fields.count == 2, let header = fields["header"]?.string,
            let file = fields["secretFile"]?.string
        else { throw Mistake("`\(path)` must be a mapping with `header` and `secretFile`") }
        let text: String
        do throws(Mistake) { text = try ServiceFile(file).gatewayText(again: again) } catch {
            throw error.within("`\(path).secretFile`")
        }
        let secret = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard secret.utf8.count >= 16 else {
            throw Mistake("the file `\(file)` of `\(path).secretFile` must have a secret of at least 16 bytes")
        }
        return Hook.Signature(header: header, secret: Array(secret.utf8))
    }
}
