import PopupBroker
import PopupProtocol

extension MessageList<WireSetPolicy> {
    /// The list `policies`: each element a `setPolicy` in the words of the protocol.
    static func policies(file: String) -> Self {
        let fields: [[String]: [String]] = [
            []: fieldNames(of: WireSetPolicy.self),
            ["caps"]: fieldNames(of: WireCap.self),
            ["quiet"]: fieldNames(of: WireQuietWindow.self),
        ]
        return Self(file: file, key: "policies", fields: fields, group: \.group) { policy throws(CommandRefusal) in
            _ = try PolicyTranslator.policy(policy)
        }
    }
}
