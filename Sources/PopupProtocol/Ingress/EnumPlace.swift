import SwiftProtobuf

/// Where commands hold enum values, for finding a name that no value has: skipping unknown fields, swift-protobuf skips
/// those too, and a mistyped policy would silently be another one.
struct EnumPlace {
    /// The members that lead to the message.
    let path: [String]
    /// Its enum fields, by both of the names that proto3 JSON takes.
    let fields: [String]
    /// Decodes JSON text as the message, strictly.
    let check: @Sendable ([UInt8]) throws -> Void

    private init<M: Message>(_ type: M.Type, at path: String..., fields: String...) {
        self.path = path
        self.fields = fields
        check = { _ = try M(jsonUTF8Bytes: $0) }
    }

    static let all = [
        EnumPlace(WirePopup.self, at: "show", fields: "exclusive"),
        EnumPlace(WirePresentation.self, at: "show", "presentation", fields: "scene", "animation"),
        EnumPlace(WirePageBinding.self, at: "show", "page", fields: "scope"),
        EnumPlace(WirePresentation.self, at: "update", "presentation", fields: "scene", "animation"),
        policy(at: "setPolicy"),
        policy(at: "set_policy"),
    ]

    private static func policy(at path: String) -> EnumPlace {
        EnumPlace(
            WireSetPolicy.self, at: path,
            fields: "preset", "higher", "peers", "lower", "resume", "clock", "offerDefault", "offer_default",
            "undisplayed", "rendererLost", "renderer_lost", "overflow")
    }

    /// The path and the text of the first value in a command whose name is unknown.
    static func misnamed(in json: JSONText) -> (path: String, value: String)? {
        for place in all {
            for field in place.fields {
                guard let value = json.value(at: place.path + [field]) else { continue }
                let text = json.bytes[value]
                do {
                    try place.check(Array("{\"\(field)\":".utf8) + text + [UInt8(ascii: "}")])
                } catch {
                    return ((place.path + [field]).joined(separator: "."), String(decoding: text, as: UTF8.self))
                }
            }
        }
        return nil
    }
}
